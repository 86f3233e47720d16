import type { KnownDay, SentItem } from '../../ledger/nutrition.ts';
import { isDropped, statedItem } from './day-plan.ts';
import { holdsItem, itemIdentity } from './items.ts';
import { KeyIndex } from './key-index.ts';
import type { JsonObject } from '../types.ts';

/** Compares what the platform shows of a day with what the ledger knows of it. */

/** An item as the platform shows it. */
export interface ShownItem {
  readonly id?: string;
  /** Who wrote it, such as `oauth:APP` or `manual`. */
  readonly source?: string;
  /** The list it is in, as `PATCH .../items` wants it: `breakfast`, `lunch`, `dinner`, `snacks`. */
  readonly meal?: string;
  /** The item without `id` and `source`. */
  readonly body: JsonObject;
}

/**
 * What a look found, for a note. `adapted`: stored with other values than were sent. `again`: dropped by another
 * computer's request. `earlier`: a version that this ledger never sent. `edited`, `removed`: in the platform.
 * `kept`: edited there, so not removed. `unshown`: not in the answer to the request that sent it.
 */
export interface News {
  readonly what: 'adapted' | 'again' | 'earlier' | 'edited' | 'kept' | 'removed' | 'unshown';
  readonly body: JsonObject;
  /** The item as the platform stored it. */
  readonly stored?: JsonObject;
}

/** What to do about a day. */
export type Comparison = ReturnType<typeof compareDay>;

interface Found {
  /** The ledger's items after the look. */
  readonly items: SentItem[];
  /** Items to remove from the platform. */
  readonly surplus: ShownItem[];
  /** Items that the input holds no longer. */
  readonly gone: SentItem[];
  readonly news: News[];
}

export interface CompareOptions {
  /** The `source` that the platform gives to this client's items, if an answer has shown it. */
  readonly source: string | undefined;
  /** The platform adds to days, so ids last. A platform that replaces a day gives all its items new ids. */
  readonly idsLast: boolean;
  /** Overwrite changes made in the platform. */
  readonly force: boolean;
  /** Send removed items again. */
  readonly resends?: boolean;
  /** The day was sent from here since an earlier run looked at it: another request may have dropped items. */
  readonly fresh: boolean;
  /** This is the first look of a run. */
  readonly isFirst?: boolean;
  /** The items are from the answer to a request that held all unanswered items. */
  readonly isAnswer?: boolean;
}

/** Checks that an item was written by this client. */
export function isOwn({ source: of }: ShownItem, source: string | undefined): boolean {
  return of === undefined || (source === undefined ? of.startsWith('oauth:') : of === source);
}

/**
 * Compares a day. Items match by id, else by content, else by instant and name. What the input dropped
 * goes, what others sent stays, and changes made in the platform stay.
 */
export function compareDay(
  day: Pick<KnownDay, 'items' | 'others' | 'idsLast'>,
  shown: readonly ShownItem[],
  options: CompareOptions,
) {
  // What a platform that replaced days showed has other ids since the last replacement.
  const idsLast = options.idsLast && day.idsLast;
  const free = new Set(shown.filter((item) => isOwn(item, options.source)));
  // An item that was taken back and has left may come from another computer now.
  const isOver = ({ undone, state, edited }: SentItem) =>
    undone === true && state === 'gone' && edited === undefined && !options.fresh;
  const known = day.items.filter((item) => !isOver(item));
  const found = matchItems(known, free, idsLast);
  const surplus = takeCopies(found, free, options);
  /** Another computer has written to the day: it shows a new item, or its own copy in place of ours. */
  const hasNews =
    [...free].some((item) => !day.others.includes(otherKey(item))) ||
    [...found].some(([{ id }, there]) => id !== undefined && id !== there.id);
  const items = day.items.filter(isOver);
  const into: Found = { items, surplus, gone: [], news: [] };
  const kept = sortDropped(known, found, options, into);
  for (const item of known.filter((each) => !isDropped(each))) {
    const own = found.get(item);
    const changed = isPending(item) ? kept.get(itemIdentity(item.body))?.there : undefined;
    const there = changed ?? own;
    if (there === undefined) into.items.push(absent(item, options, hasNews, into.news));
    else {
      if (changed !== undefined) kept.delete(itemIdentity(item.body));
      // The athlete changed the earlier version while the new one was on its way.
      if (own !== undefined && there !== own) into.surplus.push(own);
      const isContested = changed !== undefined || (isPending(item) && item.edited !== undefined);
      present(item, there, isContested, options, into);
    }
  }
  const left = [...kept.values()];
  for (const { item, there } of left) {
    const isKnown = item.edited !== undefined && holdsItem(there.body, item.edited);
    if (!isKnown || item.state === 'dropped') into.news.push({ what: 'kept', body: there.body });
    into.items.push({ ...item, state: 'gone', edited: there.body });
  }
  /** Items of this client that are not in `items`, such as other computers'. They stay. */
  const others = [...free, ...left.map(({ there }) => there)];
  return { ...into, others };
}

/**
 * Decides about the items that have to leave the platform.
 *
 * @returns the items that were changed in the platform, by instant and name. They stay, and the ledger
 *   knows the change if the input has them again.
 */
function sortDropped(
  known: readonly SentItem[],
  found: ReadonlyMap<SentItem, ShownItem>,
  { fresh, isAnswer, force }: CompareOptions,
  into: Found,
): Map<string, { readonly item: SentItem; readonly there: ShownItem }> {
  const isWanted = (item: SentItem) => !isDropped(item);
  const wanted = new Set(known.filter(isWanted).map(({ body }) => itemIdentity(body)));
  const kept: ReturnType<typeof sortDropped> = new Map();
  for (const item of known.filter(isDropped)) {
    const identity = itemIdentity(item.body);
    const there = found.get(item);
    const holds = (own: JsonObject) => there !== undefined && holdsItem(there.body, own);
    const { edited, ...plain } = item;
    const isEdited = (edited !== undefined && holds(edited)) || !holds(item.as ?? item.body);
    if (there !== undefined && isEdited && !force) {
      kept.set(identity, { item, there });
      continue;
    }
    const leaves = item.state === 'dropped' && (there !== undefined || isAnswer === true);
    if (leaves && !wanted.has(identity)) into.gone.push(item);
    if (there !== undefined) {
      into.surplus.push(there);
      const left = isEdited ? item : plain;
      into.items.push(there.id === undefined ? left : { ...left, id: there.id });
    } else if (fresh || isAnswer === true || item.undone === true) {
      // A request of another computer that was in progress may bring it back.
      into.items.push({ ...plain, state: 'gone' });
    }
  }
  return kept;
}

function isPending({ state }: SentItem): boolean {
  return state === 'new' || state === 'unanswered';
}

/** Checks that the next request holds an item. */
export function isToSend(item: SentItem): boolean {
  return isPending(item) && item.edited === undefined;
}

/** Decides about an item that the platform shows, in any version. */
function present(
  item: SentItem,
  shown: ShownItem,
  isContested: boolean,
  { force, isAnswer, isFirst }: CompareOptions,
  into: Found,
): void {
  const { body, state, as } = item;
  const { body: theirs, id, meal } = shown;
  const place = { ...(id === undefined ? {} : { id }), ...(meal === undefined ? {} : { meal }) };
  const isFresh = state === 'unanswered' || (state === 'fresh' && isFirst !== true);
  const at = { ...statedItem(item), ...(isFresh ? { state: 'fresh' as const } : {}), ...place };
  if (holdsItem(theirs, body)) into.items.push(at);
  else if (as !== undefined && holdsItem(theirs, as)) into.items.push({ ...at, as });
  else if (isAnswer === true && state === 'unanswered' && !isContested) {
    into.news.push({ what: 'adapted', body, stored: theirs });
    into.items.push({ ...at, as: theirs });
  } else if (!force && isContested) into.items.push({ ...at, edited: theirs, state: 'new' });
  else if (!force && state !== 'new') {
    const isNews = item.edited === undefined || !holdsItem(theirs, item.edited);
    if (isNews) into.news.push({ what: 'edited', body: theirs });
    into.items.push({ ...at, edited: theirs });
  } else {
    // This ledger never sent it: a version of another computer, or of a lost ledger.
    if (!force) into.news.push({ what: 'earlier', body: theirs });
    const gone = { body: theirs, input: item.input, ...place, state: 'dropped' as const };
    into.items.push({ ...statedItem(item), state: 'new' }, gone);
    into.surplus.push(shown);
  }
}

/** Identifies an item of another computer. A platform that replaces a day gives all its items new ids. */
export function otherKey({ id, body }: ShownItem): string {
  return id ?? itemIdentity(body);
}

/** Finds each item of the ledger among the shown ones, which it takes out of `free`. */
function matchItems(items: readonly SentItem[], free: Set<ShownItem>, idsLast: boolean) {
  const found = new Map<SentItem, ShownItem>();
  const byId = new KeyIndex(free, ({ id }) => id);
  const byIdentity = new KeyIndex(free, ({ body }) => itemIdentity(body));
  const take = (item: SentItem, shown: ShownItem | undefined) => {
    if (shown === undefined) return;
    free.delete(shown);
    found.set(item, shown);
  };
  const takeById = (item: SentItem) => {
    if (item.id !== undefined) take(item, byId.first(item.id));
  };
  const takeEqual = (item: SentItem) => {
    for (const own of [item.body, item.as, item.edited]) {
      if (own === undefined || found.has(item)) continue;
      take(
        item,
        byIdentity.first(itemIdentity(own), ({ body }) => holdsItem(body, own)),
      );
    }
  };
  // If its id is gone, a dropped item was removed: an equal one is another computer's.
  const isOver = (item: SentItem) =>
    found.has(item) || (idsLast && isDropped(item) && item.id !== undefined);
  const wanted = items.filter((item) => !isDropped(item));
  const dropped = items.filter(isDropped);
  for (const group of [wanted, dropped]) {
    group.forEach(takeById);
    group.filter((item) => !isOver(item)).forEach(takeEqual);
  }
  // Changed items: first the unchanged ones of the input, then new versions.
  const isNew = ({ state }: SentItem) => state === 'new';
  const others = [
    ...wanted.filter((item) => !isNew(item)),
    ...(idsLast ? [] : dropped.filter(({ state }) => state === 'dropped')),
    ...wanted.filter(isNew),
  ];
  for (const item of others.filter((each) => !isOver(each) && each.state !== 'removed')) {
    take(item, byIdentity.first(itemIdentity(item.body)));
  }
  return found;
}

/** Takes copies of this client's items out of `free`. The smallest id stays, on every computer. */
function takeCopies(
  found: Map<SentItem, ShownItem>,
  free: Set<ShownItem>,
  { source, idsLast }: CompareOptions,
): ShownItem[] {
  const copies: ShownItem[] = [];
  if (source === undefined) return copies;
  const byIdentity = new KeyIndex(free, ({ body }) => itemIdentity(body));
  for (const [item, first] of found) {
    if (isDropped(item) || !holdsItem(first.body, item.body)) continue;
    let stays = first;
    for (;;) {
      const isCopy = (other: ShownItem) => holdsItem(other.body, item.body);
      const copy = byIdentity.first(itemIdentity(item.body), isCopy);
      if (copy === undefined) break;
      free.delete(copy);
      const isSmaller = idsLast && (copy.id ?? '') < (stays.id ?? '');
      copies.push(isSmaller ? stays : copy);
      if (isSmaller) stays = copy;
    }
    found.set(item, stays);
  }
  return copies;
}

/** Decides about an item that the platform does not show. */
function absent(
  item: SentItem,
  { fresh, isAnswer, resends = false }: CompareOptions,
  hasNews: boolean,
  news: News[],
): SentItem {
  if (item.state === 'unanswered' && isAnswer === true) {
    news.push({ what: 'unshown', body: item.body });
    return { ...statedItem(item), state: 'fresh' };
  }
  if (isPending(item)) return { ...statedItem(item), state: item.state ?? 'new' };
  if (resends) return { ...statedItem(item), state: 'unanswered' };
  if (item.state === 'removed') return item;
  // A request of another computer that had read the day before ours was written after ours.
  if (fresh && hasNews && item.state === 'fresh') {
    news.push({ what: 'again', body: item.body });
    return { ...statedItem(item), state: 'unanswered' };
  }
  news.push({ what: 'removed', body: item.body });
  return { ...item, state: 'removed' };
}
