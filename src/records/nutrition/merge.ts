import type { WireItem } from '../../api/wire.ts';
import type { DayItem, LedgerDay } from '../../ledger/nutrition.ts';
import { sameJson } from '../digest.ts';
import type { JsonObject } from '../types.ts';
import { holdsItem, itemIdentity } from './items.ts';
import { KeyIndex } from './key-index.ts';
import { type MergePolicy, isContested, isHeld, isLeaving, isUndone, without } from './ours.ts';
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
  /** It is the first of a run: it may confirm what an earlier run has sent. */
  readonly isLater?: boolean;
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
  const look = theirs ?? { items: assumedItems(base) };
  const plan = new Comparison(base, ours, look, sources, policy).result();
  return theirs === undefined ? { ...plan, seen: base.others } : plan;
}

/** Returns what the platform holds if nobody else has changed the day. */
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

/** Compares the items of a day with the shown ones. */
class Comparison {
  readonly #base: LedgerDay;
  readonly #look: Look;
  readonly #policy: MergePolicy;
  readonly #wanted: readonly DayItem[];
  readonly #leaving: readonly DayItem[];
  readonly #sources: readonly string[];
  readonly #source: string | undefined;
  /** Ids of items that were sent from here: they are own, with any source. */
  readonly #ids: ReadonlySet<string>;
  /** The shown items that match none. */
  readonly #free: Set<ShownItem>;
  readonly #found = new Map<DayItem, ShownItem>();
  /** Items with copies: a look that shows none of them confirms them. */
  readonly #copied = new Set<DayItem>();
  readonly #plan = {
    post: [] as DayItem[],
    remove: [] as Removal[],
    keep: [] as DayItem[],
    conflicts: [] as DayItem[],
    news: [] as News[],
  };
  readonly #kept: ShownItem[] = [];
  /** Items that may be of this ledger or of another one. */
  readonly #doubtful: ShownItem[] = [];

  constructor(
    base: LedgerDay,
    ours: readonly DayItem[],
    look: Look,
    sources: readonly string[],
    policy: MergePolicy,
  ) {
    this.#base = base;
    this.#look = look;
    this.#policy = policy;
    this.#wanted = ours.filter((item) => !isLeaving(item));
    this.#leaving = ours.filter(isLeaving);
    const own = base.items.filter(({ foreign }) => foreign !== true);
    this.#ids = new Set(own.flatMap(({ id = [] }) => id));
    this.#free = new Set(look.items);
    this.#source = this.#newSource(sources);
    this.#sources = this.#source === undefined ? sources : [...sources, this.#source];
  }

  result(): Plan {
    this.#match();
    for (const item of this.#wanted) if (item.state === 'unsure') this.#takeCopies(item);
    /** Another computer has written to the day: it shows a new item, or its own copy in place of ours. */
    const isNews = (shown: ShownItem) =>
      isOfApplication(shown) && !this.#base.others.includes(otherKey(shown));
    const hasNews =
      [...this.#free].some(isNews) ||
      [...this.#found].some(([{ id }, there]) => id !== undefined && id !== there.id);
    const contested = this.#leave();
    for (const item of this.#wanted) {
      const there = this.#found.get(item);
      if (there === undefined) this.#absent(item, hasNews);
      else this.#present(item, there, contested.has(item));
    }
    const others = [...this.#free, ...this.#kept];
    const seen = [...others, ...this.#doubtful].filter(isOfApplication).map(otherKey);
    return { ...this.#plan, others, seen, source: this.#source };
  }

  /**
   * Returns the source of the items that a request of this ledger has just added, if it is a new one. If another
   * application has sent the same items at the same moment, that does not show.
   */
  #newSource(sources: readonly string[]): string | undefined {
    if (this.#look.isAnswer !== true) return undefined;
    const { others, items } = this.#base;
    const known = new Set([...others, ...items.flatMap(({ id = [] }) => id)]);
    const sent = this.#wanted.filter(({ state, id }) => state === 'unsure' && id === undefined);
    const identities = new Set(sent.map(identityOf));
    const added = this.#look.items.filter(
      (shown) =>
        isOfApplication(shown) && !known.has(otherKey(shown)) && identities.has(identityOf(shown)),
    );
    const [source, ...more] = new Set(added.map((shown) => shown.source));
    const isKnown = added.some((shown) => sources.includes(shown.source ?? ''));
    return more.length > 0 || isKnown ? undefined : source;
  }

  #isOwn(shown: ShownItem): boolean {
    const { id, source } = shown;
    return source === undefined || this.#sources.includes(source) || this.#ids.has(id ?? '');
  }

  /** Checks that an item may be from a request of this ledger: no answer may have shown a source yet. */
  #mayBeOwn(shown: ShownItem): boolean {
    return this.#isOwn(shown) || (this.#sources.length === 0 && isOfApplication(shown));
  }

  /** Finds each item among the shown ones. */
  #match(): void {
    const wanted = this.#wanted;
    const byId = new KeyIndex(this.#free, ({ id }) => id);
    const byIdentity = new KeyIndex(this.#free, identityOf);
    const isOver = (item: DayItem) => this.#found.has(item);
    const mayBeOwn = (shown: ShownItem) => this.#mayBeOwn(shown);
    const take = (item: DayItem, shown: ShownItem | undefined) => {
      if (shown === undefined || isOver(item)) return;
      this.#free.delete(shown);
      this.#found.set(item, shown);
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
    const isUndo = this.#policy.undo !== undefined;
    for (const item of this.#leaving)
      takeSame(item, (shown) => this.#isOwn(shown) || (isUndo && mayBeOwn(shown)));
    const unnamed = this.#leaving.filter(
      (item) => item.id === undefined && item.foreign !== true && !this.#hasLeft(item),
    );
    for (const item of unnamed) takeEqual(item, mayBeOwn);
    // No answer has shown its id before the athlete changed it.
    for (const item of unnamed) if (item.state !== 'away') takeVersion(item, mayBeOwn);
    // Changed items: first the unchanged ones of the input, then new versions. Removed items have none.
    const isNew = (item: DayItem) => item.state === undefined || isContested(item);
    const held = wanted.filter(isHeld);
    // A new version of a known item does not match another computer's item.
    const versions = new KeyIndex(new Set(this.#leaving), identityOf);
    for (const item of [...held.filter((each) => !isNew(each)), ...held.filter(isNew)]) {
      const before = isNew(item) ? versions.first(identityOf(item), isOver) : undefined;
      if (before === undefined) takeVersion(item, isOfApplication);
    }
  }

  /** Whether the user took an item back and it has left: an equal item is another computer's. */
  #hasLeft(item: DayItem): boolean {
    const { status, items } = this.#base;
    return status === 'settled' && isUndone(item) && items.includes(item);
  }

  /** Returns the free items that are from the same requests as the first, and the equal ones of other applications. */
  #copiesOf(item: DayItem, first: ShownItem): Record<'mine' | 'rivals', readonly ShownItem[]> {
    const equal = [...this.#free].filter(({ body }) => holdsItem(body, item.body));
    const isMine = (shown: ShownItem) => this.#isOwn(shown) || shown.source === first.source;
    const isRival = (shown: ShownItem) => this.#isOwn(first) && isOfApplication(shown);
    return {
      mine: equal.filter(isMine),
      rivals: equal.filter((shown) => !isMine(shown) && isRival(shown)),
    };
  }

  /**
   * Removes the copies of an item that requests of this ledger have left. The smallest id stays, on every computer; so
   * one of another application stays in place of ours.
   */
  #takeCopies(item: DayItem): void {
    const first = this.#found.get(item);
    if (first === undefined || !this.#mayBeOwn(first) || !holdsItem(first.body, item.body)) return;
    const { mine, rivals } = this.#copiesOf(item, first);
    const idOf = ({ id = '' }: ShownItem) => id;
    const all = [first, ...mine, ...rivals];
    const [stays = first] = all.sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    for (const shown of [first, ...mine]) {
      this.#free.delete(shown);
      if (shown === stays) continue;
      this.#plan.remove.push({ shown, why: 'copy' });
      // The items to post go first, and then the next look removes it.
      this.#plan.keep.push(withId({ body: item.body, inputs: [], state: 'base' }, shown));
    }
    if (all.length > 1) this.#copied.add(item);
    this.#free.delete(stays);
    this.#found.set(item, stays);
  }

  /**
   * Decides about the items that have to leave the platform. Items that were changed there stay.
   *
   * @returns the items of the input that are new versions of changed ones, which are found in their place
   */
  #leave(): ReadonlySet<DayItem> {
    const { isLater = false } = this.#look;
    const isFresh = ({ state, id }: DayItem) =>
      state === undefined || (state === 'unsure' && (!isLater || id === undefined));
    const fresh = new Set(this.#wanted.filter(isFresh));
    const versions = new KeyIndex(fresh, identityOf);
    const contested = new Set<DayItem>();
    for (const item of this.#leaving) {
      const { edited } = item;
      const there = this.#found.get(item);
      if (there === undefined) {
        // A request of another computer that was in progress may bring it back.
        const isOver = this.#base.status === 'settled' && this.#look.isAnswer !== true;
        if (item.foreign !== true && (!isOver || isUndone(item))) this.#plan.keep.push(item);
        continue;
      }
      const isKnown = edited !== undefined && holdsItem(there.body, edited);
      const isEdited = isKnown || !holdsItem(there.body, item.stored ?? item.body);
      const version = versions.first(identityOf(item), (each) => !contested.has(each));
      if (!isEdited || this.#policy.force) {
        if (version !== undefined) fresh.delete(version);
        const isGone = version === undefined && this.#policy.undo === undefined && !isUndone(item);
        this.#plan.remove.push({ shown: there, why: isGone ? 'gone' : 'version' });
        for (const shown of item.state === 'unsure' ? this.#copiesOf(item, there).mine : []) {
          this.#free.delete(shown);
          this.#plan.remove.push({ shown, why: 'copy' });
        }
        this.#plan.keep.push(withId(without(item, 'edited'), there));
      } else if (version === undefined) {
        if (!isKnown || !this.#base.items.includes(item))
          this.#plan.news.push({ what: 'kept', body: there.body });
        this.#plan.keep.push({ ...withId(item, there), edited: there.body });
        this.#kept.push(there);
      } else {
        // The athlete changed the earlier version while the new one was on its way.
        const own = this.#found.get(version);
        if (own !== undefined && this.#isOwn(own))
          this.#plan.remove.push({ shown: own, why: 'copy' });
        this.#found.set(version, there);
        contested.add(version);
      }
    }
    return contested;
  }

  /** Decides about an item that the platform shows, in any version. */
  #present(item: DayItem, there: ShownItem, isVersion: boolean): void {
    const { state, stored, edited, body, inputs, id, foreign } = item;
    const theirs = there.body;
    const [isOwn, mayBeOwn] = [this.#isOwn(there), this.#mayBeOwn(there)];
    const isNew = state === undefined && !this.#ids.has(there.id ?? '');
    const isForeign = foreign === true || isNew || (id !== there.id && !mayBeOwn);
    const isProven = isOwn || (isForeign && !isVersion);
    const isConfirmed = this.#look.isLater === true && isProven && !this.#copied.has(item);
    const at = {
      // Another application may own this id, so it does not count as sent from here.
      ...(isProven ? withId({ body, inputs }, there) : { body, inputs }),
      ...((isVersion ? !mayBeOwn : isForeign) ? { foreign: true as const } : {}),
      state: state === 'unsure' && !isConfirmed ? state : ('base' as const),
    };
    if (!isProven) this.#doubtful.push(there);
    const isConflict = isVersion || isContested(item) || (state === 'unsure' && !mayBeOwn);
    const isUnseen = id === undefined && !this.#base.others.includes(otherKey(there));
    const isAdapted = this.#look.isAnswer === true && state === 'unsure' && isUnseen && !isConflict;
    // Whose item this is stays unknown. `stored` keeps that a look has shown it.
    const isShown = state === 'unsure' && !isProven;
    if (holdsItem(theirs, body)) this.#plan.keep.push(isShown ? { ...at, stored: theirs } : at);
    else if (stored !== undefined && holdsItem(theirs, stored))
      this.#plan.keep.push({ ...at, stored });
    else if (isAdapted) {
      this.#plan.news.push({ what: 'adapted', body, stored: theirs });
      this.#plan.keep.push({ ...at, stored: theirs });
    } else if (this.#policy.force && (mayBeOwn || isConflict || state === undefined)) {
      this.#replace(item, there);
    } else if (!isConflict && state !== undefined) {
      const isNews = edited === undefined || !holdsItem(theirs, edited);
      if (isNews) this.#plan.news.push({ what: mayBeOwn ? 'edited' : 'foreign', body: theirs });
      this.#plan.keep.push({ ...at, edited: theirs });
    } else if (state === undefined && !isVersion && isOwn) {
      // This ledger never sent it: a version of another computer, or of a lost ledger.
      this.#plan.news.push({ what: 'earlier', body: theirs });
      this.#replace(item, there);
    } else {
      // An answer showed ours before the other version took its place.
      const wasShown = state === 'unsure' && id !== undefined;
      const before = isVersion ? undefined : (stored ?? (wasShown ? body : undefined));
      const kept = before === undefined ? at : { ...at, stored: before };
      const contested = { ...kept, edited: theirs, state: 'away' } as const;
      this.#plan.conflicts.push(contested);
      // The next answer may show that an item is of our source, and then ours replaces it.
      const isOpen = !isVersion && state === undefined && mayBeOwn;
      this.#plan.keep.push(isOpen ? item : contested);
    }
  }

  /** Posts an item, and removes the version in the platform afterwards if that is ours. */
  #replace({ body, inputs }: DayItem, there: ShownItem): void {
    this.#plan.post.push({ body, inputs });
    const before = withId({ body: there.body, inputs: [], state: 'base' } as const, there);
    if (this.#isOwn(there)) {
      this.#plan.remove.push({ shown: there, why: 'version' });
      this.#plan.keep.push(before);
    } else {
      this.#plan.news.push({ what: 'beside', body: there.body });
      this.#kept.push(there);
      // The answer may show that it is of our source.
      if (this.#sources.length === 0) this.#plan.keep.push({ ...before, foreign: true });
    }
  }

  /** Decides about an item that the platform does not show. */
  #absent(item: DayItem, hasNews: boolean): void {
    const { state, body, inputs, id, stored } = item;
    const isUnsure = state === 'unsure';
    // This ledger took it off the day, not the athlete, and now an input has it again.
    const isBack = this.#base.items.some((each) => isLeaving(each) && each.body === body);
    const wasShown = (id !== undefined || stored !== undefined) && !isBack;
    const isUnanswered = isUnsure && !wasShown;
    // A request of another computer that had read the day before ours was written after ours.
    const isDropped = isUnsure && wasShown && hasNews;
    const isNew = state === undefined || (isContested(item) && stored === undefined);
    const isAgain = state !== 'away' && this.#policy.resends === true;
    if (isNew || isAgain || isDropped || (isUnanswered && this.#look.isAnswer !== true)) {
      if (isDropped) this.#plan.news.push({ what: 'again', body });
      this.#plan.post.push({ body, inputs });
      return;
    }
    const isNews = state !== 'away' || isContested(item);
    if (isNews) this.#plan.news.push({ what: isUnanswered ? 'unshown' : 'removed', body });
    this.#plan.keep.push({ ...without(item, 'edited'), state: 'away' });
  }
}

function withId<T extends object>(
  item: T,
  { id }: Pick<ShownItem, 'id'>,
): T & { readonly id?: string } {
  return id === undefined ? item : { ...item, id };
}
