import type { WireItem } from '../../api/wire.ts';
import type { DayItem, LedgerDay } from '../../ledger/nutrition.ts';
import { sameJson } from '../digest.ts';
import type { JsonObject } from '../types.ts';
import { holdsItem, itemIdentity } from './items.ts';
import { KeyIndex } from './key-index.ts';
import {
  type MergePolicy,
  isContested,
  isHeld,
  isLeaving,
  isUndone,
  resends,
  without,
} from './ours.ts';
import type { News } from './words.ts';

/** An item as the platform shows it. */
export type ShownItem = WireItem & { readonly body: JsonObject };

/** An item to remove from the platform. */
export interface Removal {
  readonly shown: ShownItem;
  /** `gone`: no input has it any more; `version`: for a new version, or taken back; `copy`: there more than once. */
  readonly why: 'gone' | 'version' | 'copy';
}

/** What the platform shows of a day. */
export interface Look {
  readonly items: readonly ShownItem[];
  /** From a list for the whole run: the day may have changed since. */
  readonly isListed?: boolean;
  /** From the answer to a request of this delivery, which held all items that were to be posted. */
  readonly isAnswer?: boolean;
}

/** What to do about a day. */
export interface Plan {
  /** Items that no request may have brought there. */
  readonly post: readonly DayItem[];
  /** Items of this ledger or of a learned source that leave, after the posts. */
  readonly remove: readonly Removal[];
  /** The other items of the day, and those that leave it, as the ledger has to know them. */
  readonly keep: readonly DayItem[];
  /** Items with another version in the platform, which stays until the user decides. */
  readonly conflicts: readonly DayItem[];
  /** Items of other computers and of the athlete. */
  readonly others: readonly ShownItem[];
  /** The shown items of applications of which the ledger keeps no id. */
  readonly seen: readonly string[];
  readonly news: readonly News[];
  /** A new `source` of items that were sent from here. */
  readonly source: string | undefined;
}

/**
 * Merges a day from three sides: the items of the ledger, of the inputs, and of the platform. Items of any source match
 * by id, else by content, else by instant and name. An item is removed only if this ledger sent it or has learned its
 * source.
 *
 * @param base what the ledger knew before the inputs were joined to it
 * @param ours what the inputs say: see `oursOf`
 * @param theirs undefined: the platform shows nothing, so it holds what the ledger knows
 * @param sources each `source` that the platform has given to items that were sent from here
 */
export function merge(
  base: LedgerDay,
  ours: readonly DayItem[],
  theirs: Look | undefined,
  sources: readonly string[],
  policy: MergePolicy,
): Plan {
  const { isAnswer = false } = theirs ?? {};
  /** The first look of a run may confirm what an earlier run has sent. */
  const isLater = theirs !== undefined && policy.before === undefined;
  const shownItems = theirs?.items ?? assumedItems(base);
  const wanted = ours.filter((item) => !isLeaving(item));
  const leaving = ours.filter(isLeaving);
  /** Ids of items that were sent from here: they are own, with any source. */
  const ids = new Set(
    base.items.filter(({ foreign }) => foreign !== true).flatMap(({ id = [] }) => id),
  );
  const source = newSource();
  const ownSources = source === undefined ? sources : [...sources, source];
  /** The shown items that match none. */
  const free = new Set(shownItems);
  const found = new Map<DayItem, ShownItem>();
  /** Items with copies: a look that shows none of them confirms them. */
  const copied = new Set<DayItem>();
  const post: DayItem[] = [];
  const remove: Removal[] = [];
  const keep: DayItem[] = [];
  const conflicts: DayItem[] = [];
  const news: News[] = [];
  const kept: ShownItem[] = [];
  /** Items that may be of this ledger or of another one. */
  const doubtful: ShownItem[] = [];

  if (free.size > 0) match();
  for (const item of wanted) if (item.state === 'unsure') takeCopies(item);
  /** Another computer has written to the day: it shows a new item, or its own copy in place of ours. */
  const isNews = (shown: ShownItem) =>
    isOfApplication(shown) && !base.others.includes(otherKey(shown));
  const hasNews =
    [...free].some(isNews) ||
    [...found].some(([{ id }, there]) => id !== undefined && id !== there.id);
  const contested = leaving.length > 0 ? leave() : new Set<DayItem>();
  for (const item of wanted) {
    const there = found.get(item);
    if (there === undefined) absent(item, hasNews);
    else present(item, there, contested.has(item));
  }
  const others = [...free, ...kept];
  const seen = [...others, ...doubtful].filter(isOfApplication).map(otherKey);
  return { post, remove, keep, conflicts, others, seen: theirs ? seen : base.others, news, source };

  /**
   * Returns the source of the items that a request of this ledger has just added, if it is a new one. If another
   * application has sent the same items at the same moment, that does not show.
   */
  function newSource(): string | undefined {
    if (!isAnswer) return undefined;
    const { others, items } = base;
    const known = new Set([...others, ...items.flatMap(({ id = [] }) => id)]);
    const sent = wanted.filter(({ state, id }) => state === 'unsure' && id === undefined);
    const identities = new Set(sent.map(identityOf));
    const added = shownItems.filter(
      (shown) =>
        isOfApplication(shown) && !known.has(otherKey(shown)) && identities.has(identityOf(shown)),
    );
    const [first, ...more] = new Set(added.map((shown) => shown.source));
    const isKnown = added.some((shown) => sources.includes(shown.source ?? ''));
    return more.length > 0 || isKnown ? undefined : first;
  }

  function isOwn(shown: ShownItem): boolean {
    const { id, source } = shown;
    return source === undefined || ownSources.includes(source) || ids.has(id ?? '');
  }

  /** Checks that an item may be from a request of this ledger: no answer may have shown a source yet. */
  function mayBeOwn(shown: ShownItem): boolean {
    return isOwn(shown) || (ownSources.length === 0 && isOfApplication(shown));
  }

  /** Finds each item among the shown ones. */
  function match(): void {
    const byId = new KeyIndex(free, ({ id }) => id);
    const byIdentity = new KeyIndex(free, identityOf);
    const isOver = (item: DayItem) => found.has(item);
    const take = (item: DayItem, shown: ShownItem | undefined) => {
      if (shown === undefined || isOver(item)) return;
      free.delete(shown);
      found.set(item, shown);
    };
    const takeSame = (item: DayItem, test?: Test) => {
      if (item.id !== undefined) take(item, byId.first(item.id, test));
    };
    const takeEqual = (item: DayItem, test: Test) => {
      for (const own of [item.body, item.stored, item.edited]) {
        if (own === undefined || isOver(item)) continue;
        const isEqual = (shown: ShownItem) => test(shown) && holdsItem(shown.body, own);
        take(item, byIdentity.first(itemIdentity(own), isEqual));
      }
    };
    const takeVersion = (item: DayItem, test: Test) => {
      take(item, byIdentity.first(identityOf(item), test));
    };
    for (const item of wanted) takeSame(item);
    for (const item of wanted) takeEqual(item, mayBeOwn);
    for (const item of wanted) takeEqual(item, () => true);
    // Another application's item leaves with that application.
    const isUndo = policy.undo !== undefined;
    for (const item of leaving)
      takeSame(item, (shown) => isOwn(shown) || (isUndo && mayBeOwn(shown)));
    const unnamed = leaving.filter(
      (item) => item.id === undefined && item.foreign !== true && !hasLeft(item),
    );
    for (const item of unnamed) takeEqual(item, mayBeOwn);
    // No answer has shown its id before the athlete changed it.
    for (const item of unnamed) if (item.state !== 'away') takeVersion(item, mayBeOwn);
    // Changed items: first the unchanged ones of the input, then new versions. Removed items have none.
    const isNew = (item: DayItem) => item.state === undefined || isContested(item);
    const held = wanted.filter(isHeld);
    // A new version of a known item does not match another computer's item.
    const before = new Set(leaving.filter(isOver).map(identityOf));
    const isVersion = (item: DayItem) => isNew(item) && !before.has(identityOf(item));
    for (const item of [...held.filter((each) => !isNew(each)), ...held.filter(isVersion)])
      takeVersion(item, isOfApplication);
  }

  /** Whether the user took an item back and it has left: an equal item is another computer's. */
  function hasLeft(item: DayItem): boolean {
    const { status, items } = base;
    return status === 'settled' && isUndone(item) && items.includes(item);
  }

  /** Returns the free items that are from the same requests as the first, and the equal ones of other applications. */
  function copiesOf(
    item: DayItem,
    first: ShownItem,
  ): Record<'mine' | 'rivals', readonly ShownItem[]> {
    const equal = [...free].filter(({ body }) => holdsItem(body, item.body));
    const isMine = (shown: ShownItem) => isOwn(shown) || shown.source === first.source;
    const isRival = (shown: ShownItem) => isOwn(first) && isOfApplication(shown);
    return {
      mine: equal.filter(isMine),
      rivals: equal.filter((shown) => !isMine(shown) && isRival(shown)),
    };
  }

  /**
   * Removes the copies of an item that requests of this ledger have left. The smallest id stays, on every computer; so
   * one of another application stays in place of ours.
   */
  function takeCopies(item: DayItem): void {
    const first = found.get(item);
    if (first === undefined || !mayBeOwn(first) || !holdsItem(first.body, item.body)) return;
    const { mine, rivals } = copiesOf(item, first);
    const idOf = ({ id = '' }: ShownItem) => id;
    const all = [first, ...mine, ...rivals];
    const [stays = first] = all.sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    for (const shown of [first, ...mine]) {
      free.delete(shown);
      if (shown === stays) continue;
      remove.push({ shown, why: 'copy' });
      // The items to post go first, and then the next look removes it.
      keep.push(withId({ body: item.body, inputs: [], state: 'base' }, shown));
    }
    if (all.length > 1) copied.add(item);
    free.delete(stays);
    found.set(item, stays);
  }

  /**
   * Decides about the items that have to leave the platform. Items that were changed there stay.
   *
   * @returns the items of the input that are new versions of changed ones, which are found in their place
   */
  function leave(): ReadonlySet<DayItem> {
    const isFresh = ({ state, id }: DayItem) =>
      state === undefined || (state === 'unsure' && (!isLater || id === undefined));
    const fresh = new Set(wanted.filter(isFresh));
    const versions = new KeyIndex(fresh, identityOf);
    const contested = new Set<DayItem>();
    for (const item of leaving) {
      const { edited } = item;
      const there = found.get(item);
      if (there === undefined) {
        // A request of another computer that was in progress may bring it back.
        const isOver = base.status === 'settled' && !isAnswer;
        if (item.foreign !== true && (!isOver || isUndone(item))) keep.push(item);
        continue;
      }
      const isKnown = edited !== undefined && holdsItem(there.body, edited);
      const isEdited = isKnown || !holdsItem(there.body, item.stored ?? item.body);
      const version = versions.first(identityOf(item), (each) => !contested.has(each));
      if (!isEdited || policy.force) {
        if (version !== undefined) fresh.delete(version);
        const isGone = version === undefined && policy.undo === undefined && !isUndone(item);
        remove.push({ shown: there, why: isGone ? 'gone' : 'version' });
        for (const shown of item.state === 'unsure' ? copiesOf(item, there).mine : []) {
          free.delete(shown);
          remove.push({ shown, why: 'copy' });
        }
        keep.push(withId(without(item, 'edited'), there));
      } else if (version === undefined) {
        if (!isKnown || !base.items.includes(item)) news.push({ what: 'kept', body: there.body });
        keep.push({ ...withId(item, there), edited: there.body });
        kept.push(there);
      } else {
        // The athlete changed the earlier version while the new one was on its way.
        const own = found.get(version);
        if (own !== undefined && isOwn(own)) remove.push({ shown: own, why: 'copy' });
        found.set(version, there);
        contested.add(version);
      }
    }
    return contested;
  }

  /** Decides about an item that the platform shows, in any version. */
  function present(item: DayItem, there: ShownItem, isVersion: boolean): void {
    const { state, stored, edited, body, inputs, id, foreign } = item;
    const shown = there.body;
    const [isSure, isPossible] = [isOwn(there), mayBeOwn(there)];
    const isNew = state === undefined && !ids.has(there.id ?? '');
    const isForeign = foreign === true || isNew || (id !== there.id && !isPossible);
    const isProven = isSure || (isForeign && !isVersion);
    // A request of this run may have taught the source of what was there before it.
    const wasThere = policy.before?.has(there.id ?? '') === true;
    const isConfirmed = (isLater || wasThere) && isProven && !copied.has(item);
    const at = {
      // Another application may own this id, so it does not count as sent from here.
      ...(isProven ? withId({ body, inputs }, there) : { body, inputs }),
      ...((isVersion ? !isPossible : isForeign) ? { foreign: true as const } : {}),
      state: state === 'unsure' && !isConfirmed ? state : ('base' as const),
    };
    if (!isProven) doubtful.push(there);
    const isConflict = isVersion || isContested(item) || (state === 'unsure' && !isPossible);
    const isUnseen = id === undefined && !base.others.includes(otherKey(there));
    const isAdapted = isAnswer && state === 'unsure' && isUnseen && !isConflict;
    // Whose item this is stays unknown. `stored` keeps that a look has shown it.
    const isShown = state === 'unsure' && !isProven;
    if (holdsItem(shown, body)) keep.push(isShown ? { ...at, stored: shown } : at);
    else if (stored !== undefined && holdsItem(shown, stored)) keep.push({ ...at, stored });
    else if (isAdapted) {
      news.push({ what: 'adapted', body, stored: shown });
      keep.push({ ...at, stored: shown });
    } else if (policy.force && (isPossible || isConflict || state === undefined)) {
      replace(item, there);
    } else if (!isConflict && state !== undefined) {
      const isKnown = edited !== undefined && holdsItem(shown, edited);
      if (!isKnown) news.push({ what: isPossible ? 'edited' : 'foreign', body: shown });
      keep.push({ ...at, edited: shown });
    } else if (state === undefined && !isVersion && isSure) {
      // This ledger never sent it: a version of another computer, or of a lost ledger.
      news.push({ what: 'earlier', body: shown });
      replace(item, there);
    } else {
      // An answer showed ours before the other version took its place.
      const wasShown = state === 'unsure' && id !== undefined;
      const before = isVersion ? undefined : (stored ?? (wasShown ? body : undefined));
      const known = before === undefined ? at : { ...at, stored: before };
      const rival = { ...known, edited: shown, state: 'away' } as const;
      conflicts.push(rival);
      // The next answer may show that an item is of our source, and then ours replaces it.
      const isOpen = !isVersion && state === undefined && isPossible;
      keep.push(isOpen ? item : rival);
    }
  }

  /** Posts an item, and removes the version in the platform afterwards if that is ours. */
  function replace({ body, inputs }: DayItem, there: ShownItem): void {
    post.push({ body, inputs });
    const before = withId({ body: there.body, inputs: [], state: 'base' } as const, there);
    if (isOwn(there)) {
      remove.push({ shown: there, why: 'version' });
      keep.push(before);
    } else {
      news.push({ what: 'beside', body: there.body });
      kept.push(there);
      // The answer may show that it is of our source.
      if (ownSources.length === 0) keep.push({ ...before, foreign: true });
    }
  }

  /** Decides about an item that the platform does not show. */
  function absent(item: DayItem, hasNews: boolean): void {
    const { state, body, inputs, id, stored } = item;
    const isUnsure = state === 'unsure';
    // This ledger took it off the day, not the athlete, and now an input has it again.
    const isBack = base.items.some((each) => isLeaving(each) && each.body === body);
    const wasShown = (id !== undefined || stored !== undefined) && !isBack;
    const isUnanswered = isUnsure && !wasShown;
    // A request of another computer that had read the day before ours was written after ours.
    const isDropped = isUnsure && wasShown && hasNews;
    const isNew = state === undefined || (isContested(item) && stored === undefined);
    const isAgain = state !== 'away' && resends(policy);
    if (isNew || isAgain || isDropped || (isUnanswered && !isAnswer)) {
      if (isDropped) news.push({ what: 'again', body });
      post.push({ body, inputs });
      return;
    }
    if (state !== 'away' || isContested(item))
      news.push({ what: isUnanswered ? 'unshown' : 'removed', body });
    keep.push({ ...without(item, 'edited'), state: 'away' });
  }
}

/** Returns the items that the platform holds if only this ledger has changed the day. */
function assumedItems({ items, fields, status }: LedgerDay): readonly ShownItem[] {
  // Only an interrupted undo sends no fields.
  const mayStay = (item: DayItem) =>
    status === 'open' && isLeaving(item) && (!isUndone(item) || sameJson(fields, {}));
  return items
    .filter((item) => isHeld(item) || mayStay(item))
    .map((item) => withId({ body: item.edited ?? item.stored ?? item.body }, item));
}

/** Identifies an item of another computer. */
function otherKey({ id, body }: ShownItem): string {
  return id ?? itemIdentity(body);
}

/** Checks that an application wrote an item. The platform may not say who wrote it. */
function isOfApplication({ source }: ShownItem): boolean {
  return source?.startsWith('oauth:') ?? true;
}

type Test = (shown: ShownItem) => boolean;

const identityOf = ({ body }: { readonly body: JsonObject }) => itemIdentity(body);

function withId<T extends object>(
  item: T,
  { id }: Pick<ShownItem, 'id'>,
): T & { readonly id?: string } {
  return id === undefined ? item : { ...item, id };
}
