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

/** An item of the ledger, and what the platform holds of it. */
interface Version {
  readonly item: SentItem;
  readonly shown: ShownItem;
}

/** What a comparison found, for messages. */
interface News {
  /** Changed both by the input and in the platform. */
  readonly contested: Version[];
  /** Changed in the platform. */
  readonly edited: ShownItem[];
  /** Stored with other values than were sent. */
  readonly adapted: Version[];
  /** No longer on the platform. */
  readonly removed: SentItem[];
  /** Not in the answer to the request that sent them. */
  readonly unshown: SentItem[];
  /** No longer in the input. */
  readonly gone: SentItem[];
  /** Dropped by another computer's request. */
  readonly again: SentItem[];
  /** Versions that this ledger never sent. */
  readonly earlier: ShownItem[];
}

/** What to do about a day. */
export interface Comparison extends News {
  /** The ledger's items after the look. */
  readonly items: readonly SentItem[];
  /** Those of `items` that have to be sent. */
  readonly missing: readonly SentItem[];
  /** Items to remove from the platform. */
  readonly surplus: readonly ShownItem[];
  /** Items of this client that are not in `items`, such as other computers'. They stay. */
  readonly others: readonly ShownItem[];
  /** Items of other sources. They stay. */
  readonly foods: readonly ShownItem[];
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
): Comparison {
  const { source, fresh } = options;
  // What a platform that replaced days showed has other ids since the last replacement.
  const idsLast = options.idsLast && day.idsLast;
  const free = new Set(shown.filter((item) => isOwn(item, source)));
  // An item that was taken back and has left may come from another computer now.
  const isOver = ({ undone, state }: SentItem) => undone === true && state === 'gone' && !fresh;
  const known = day.items.filter((item) => !isOver(item));
  const found = matchItems(known, free, idsLast);
  const surplus = takeCopies(found, free, options);
  /** Another computer has written to the day: it shows a new item, or its own copy in place of ours. */
  const hasNews =
    [...free].some((item) => !day.others.includes(otherKey(item))) ||
    [...found].some(([{ id }, there]) => id !== undefined && id !== there.id);
  const news: News = {
    ...{ contested: [], edited: [], adapted: [], removed: [] },
    ...{ unshown: [], gone: [], again: [], earlier: [] },
  };
  const items = day.items.filter(isOver);
  const kept = sortDropped(known, found, options, { items, surplus, gone: news.gone });
  for (const item of known.filter((each) => !isDropped(each))) {
    const identity = itemIdentity(item.body);
    const isNew = item.state === 'new' || item.state === 'unanswered';
    const changed = isNew ? kept.get(identity) : undefined;
    const own = found.get(item);
    const there = changed ?? own;
    if (there === undefined) items.push(absent(item, options, hasNews, news));
    else {
      const isContested = isNew && (there === changed || item.edited !== undefined);
      if (there === changed) kept.delete(identity);
      // The athlete changed the earlier version while the new one was on its way.
      if (own !== undefined && there !== own) surplus.push(own);
      const next = present(item, there, isContested, options, news);
      items.push(next);
      if (next.state === 'new' && next.edited === undefined) {
        surplus.push(there);
        items.push(dropped(item, there));
      }
    }
  }
  news.edited.push(...kept.values());
  return {
    items,
    missing: items.filter(isToSend),
    surplus,
    others: [...free, ...kept.values()],
    foods: shown.filter((item) => !isOwn(item, source)),
    ...news,
  };
}

/**
 * Decides about the items that have to leave the platform.
 *
 * @returns the items that were changed in the platform, by instant and name. They stay.
 */
function sortDropped(
  known: readonly SentItem[],
  found: ReadonlyMap<SentItem, ShownItem>,
  { fresh, isAnswer, force }: CompareOptions,
  into: { readonly items: SentItem[]; readonly surplus: ShownItem[]; readonly gone: SentItem[] },
): Map<string, ShownItem> {
  const wanted = new Set(known.filter((item) => !isDropped(item)).map(identityOf));
  const kept = new Map<string, ShownItem>();
  for (const item of known.filter(isDropped)) {
    const there = found.get(item);
    const isChanged = there && !force && !holdsItem(there.body, item.as ?? item.body);
    if (isChanged === true) {
      kept.set(identityOf(item), there);
      continue;
    }
    if (item.state === 'dropped' && !wanted.has(identityOf(item))) into.gone.push(item);
    if (there !== undefined) {
      into.surplus.push(there);
      into.items.push(there.id === undefined ? item : { ...item, id: there.id });
    } else if (fresh || isAnswer === true || item.undone === true) {
      // A request of another computer that was in progress may bring it back.
      into.items.push({ ...item, state: 'gone' });
    }
  }
  return kept;
}

/** Checks that an item has to be sent. */
export function isToSend({ state, edited }: SentItem): boolean {
  return (state === 'new' || state === 'unanswered') && edited === undefined;
}

/** Returns the platform's version of an item, which has to go. */
function dropped({ input }: SentItem, { id, meal, body }: ShownItem): SentItem {
  const at = { ...(id === undefined ? {} : { id }), ...(meal === undefined ? {} : { meal }) };
  return { body: body, input, ...at, state: 'dropped' };
}

/** Decides about an item that the platform shows, in whatever version. `new`: the shown one has to go. */
function present(
  item: SentItem,
  shown: ShownItem,
  isContested: boolean,
  { force, isAnswer, isFirst }: CompareOptions,
  news: News,
): SentItem {
  const { id, meal } = shown;
  const { body, state } = item;
  const plain = statedItem(item);
  const isFresh = state === 'unanswered' || (state === 'fresh' && isFirst !== true);
  const at = {
    ...plain,
    ...(isFresh ? { state: 'fresh' as const } : {}),
    ...(id === undefined ? {} : { id }),
    ...(meal === undefined ? {} : { meal }),
  };
  const theirs = shown.body;
  if (holdsItem(shown.body, body)) return at;
  if (item.as !== undefined && holdsItem(shown.body, item.as)) return { ...at, as: item.as };
  if (isAnswer === true && item.state === 'unanswered' && !isContested) {
    news.adapted.push({ item, shown });
    return { ...at, as: theirs };
  }
  if (force) return { ...plain, state: 'new' };
  if (isContested) {
    news.contested.push({ item, shown });
    return { ...at, edited: theirs, state: 'new' };
  }
  if (item.state === 'new') {
    // This ledger never sent it: a version of another computer, or of a lost ledger.
    news.earlier.push(shown);
    return item;
  }
  if (item.edited === undefined || !holdsItem(shown.body, item.edited)) news.edited.push(shown);
  return { ...at, edited: theirs };
}

function identityOf({ body }: Pick<SentItem, 'body'>): string {
  return itemIdentity(body);
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
  for (const item of items) {
    if (idsLast && item.id !== undefined) take(item, byId.first(item.id));
  }
  // If its id is gone, a dropped item was removed: an equal one is another computer's.
  const isOver = (item: SentItem) =>
    found.has(item) || (idsLast && isDropped(item) && item.id !== undefined);
  const wanted = items.filter((item) => !isDropped(item));
  const dropped = items.filter(isDropped);
  for (const item of [...wanted, ...dropped].filter((each) => !isOver(each))) {
    const isSame = ({ body }: ShownItem) =>
      [item.body, item.as, item.edited].some((own) => own !== undefined && holdsItem(body, own));
    take(item, byIdentity.first(itemIdentity(item.body), isSame));
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
  news: News,
): SentItem {
  if (item.state === 'unanswered' && isAnswer === true) {
    news.unshown.push(item);
    return { ...statedItem(item), state: 'fresh' };
  }
  if (item.state === 'new' || item.state === 'unanswered') {
    return { ...statedItem(item), state: item.state };
  }
  if (resends) return { ...statedItem(item), state: 'unanswered' };
  if (item.state === 'removed') return item;
  // A request of another computer that had read the day before ours was written after ours.
  if (fresh && hasNews && item.state === 'fresh') {
    news.again.push(item);
    return { ...statedItem(item), state: 'unanswered' };
  }
  news.removed.push(item);
  return { ...item, state: 'removed' };
}
