import type { WireItem } from '../../api/wire.ts';
import type { KnownDay, SentItem } from '../../ledger/nutrition.ts';
import { isDropped, statedItem } from './day-plan.ts';
import { holdsItem, itemIdentity } from './items.ts';
import { KeyIndex } from './key-index.ts';
import type { JsonObject } from '../types.ts';

/** Compares what the platform shows of a day with what the ledger knows of it. */

/** An item as the platform shows it. */
export type ShownItem = WireItem & { readonly body: JsonObject };

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
  /** Items of this client that are not in `items`, such as other computers'. They stay. */
  readonly others: ShownItem[];
  /** Items that the input holds no longer. */
  readonly gone: SentItem[];
  readonly news: News[];
}

export interface CompareOptions {
  /** Each `source` that the platform has given to items that were sent from here. */
  readonly sources: readonly string[];
  /** Overwrite changes made in the platform. */
  readonly force: boolean;
  /** Send removed items again. */
  readonly resends?: boolean;
  /** This is the first look of a run: what was sent before it has arrived. */
  readonly isFirst?: boolean;
  /** A run has looked at the day since it was last sent from here. */
  readonly isSettled?: boolean;
  /** This run has taken items back: equal ones are from a request at the same moment. */
  readonly isUndone?: boolean;
  /** The items are from the answer to a request that held all unanswered items. */
  readonly isAnswer?: boolean;
}

/** Checks that an item was written by a client of this computer. */
export function isOwn({ source }: ShownItem, sources: readonly string[]): boolean {
  if (source === undefined) return true;
  return sources.length === 0 ? source.startsWith('oauth:') : sources.includes(source);
}

/**
 * Compares a day. Items match by id, else by content, else by instant and name. What the input dropped
 * goes, what others sent stays, and changes made in the platform stay.
 */
export function compareDay(
  day: Pick<KnownDay, 'items' | 'others'>,
  shown: readonly ShownItem[],
  options: CompareOptions,
) {
  // Items that were sent from here stay own under another client ID, too.
  const sent = day.items.filter(({ found }) => found !== true).map(({ id }) => id);
  const ids = new Set(sent.filter((id) => id !== undefined));
  const isOurs = (item: ShownItem) => isOwn(item, options.sources) || ids.has(item.id ?? '');
  const free = new Set(shown.filter(isOurs));
  const found = matchItems(day.items, free, options.isUndone);
  const into: Found = { items: [], surplus: [], others: [], gone: [], news: [] };
  takeCopies(found, free, options, into);
  /** Another computer has written to the day: it shows a new item, or its own copy in place of ours. */
  const hasNews =
    [...free].some((item) => !day.others.includes(otherKey(item))) ||
    [...found].some(([{ id }, there]) => id !== undefined && id !== there.id);
  into.others.push(...free);
  const contested = sortDropped(day.items, found, options, into);
  for (const item of day.items.filter((each) => !isDropped(each))) {
    const there = found.get(item);
    if (there === undefined) into.items.push(absent(item, options, hasNews, into.news));
    else present(item, there, contested.has(item), options, into);
  }
  return { ...into, foods: shown.filter((item) => !isOurs(item)) };
}

/**
 * Decides about the items that have to leave the platform. Those that were changed there stay.
 *
 * @returns the items of the input that are new versions of changed ones, which `found` has in their place
 */
function sortDropped(
  items: readonly SentItem[],
  found: Map<SentItem, ShownItem>,
  { isSettled = false, isAnswer = false, isFirst = false, force }: CompareOptions,
  into: Found,
): ReadonlySet<SentItem> {
  const wanted = new Set(items.filter((item) => !isDropped(item)));
  const versions = new KeyIndex(wanted, ({ body }) => itemIdentity(body));
  const contested = new Set<SentItem>();
  const gone: SentItem[] = [];
  for (const item of items.filter(isDropped)) {
    const { edited, ...plain } = item;
    const there = found.get(item);
    const identity = itemIdentity(item.body);
    const holds = (own: JsonObject) => there !== undefined && holdsItem(there.body, own);
    const isKnown = edited !== undefined && holds(edited);
    const isEdited = isKnown || !holds(item.as ?? item.body);
    const leaves = item.state === 'dropped' && (there !== undefined || isAnswer);
    if (there !== undefined && isEdited && !force) {
      const isFree = (each: SentItem) => isPending(each) && !contested.has(each);
      const version = versions.first(identity, isFree);
      if (version === undefined) {
        if (!isKnown || item.state === 'dropped')
          into.news.push({ what: 'kept', body: there.body });
        into.items.push({ ...item, state: 'gone', edited: there.body });
        into.others.push(there);
        continue;
      }
      // The athlete changed the earlier version while the new one was on its way.
      const own = found.get(version);
      if (own !== undefined) into.surplus.push(own);
      found.set(version, there);
      contested.add(version);
      continue;
    }
    if (leaves) gone.push(item);
    if (there !== undefined) {
      into.surplus.push(there);
      into.items.push(there.id === undefined ? plain : { ...plain, id: there.id });
    } else if (!isSettled || item.undone === true) {
      // A request of another computer that was in progress may bring it back.
      into.items.push({ ...plain, state: 'gone' });
    }
  }
  const isNew = (item: SentItem) => isPending(item) || (item.state === 'fresh' && !isFirst);
  into.gone.push(...withoutVersion(gone, [...wanted].filter(isNew)));
  return contested;
}

/** Returns the items that leave a day and that no new one replaces. */
export function withoutVersion(
  leaving: readonly SentItem[],
  wanted: readonly SentItem[],
): readonly SentItem[] {
  const versions = new Set(wanted);
  const byIdentity = new KeyIndex(versions, ({ body }) => itemIdentity(body));
  return leaving.filter(({ body }) => {
    const version = byIdentity.first(itemIdentity(body));
    return version === undefined || !versions.delete(version);
  });
}

/** Checks that no answer has shown an item. */
export function isPending({ state }: SentItem): boolean {
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
  isVersion: boolean,
  { force, isAnswer, isFirst }: CompareOptions,
  into: Found,
): void {
  const { body, state, as, edited, found } = item;
  const { body: theirs, id } = shown;
  const isContested = isVersion || (isPending(item) && edited !== undefined);
  const place = id === undefined ? {} : { id };
  const isFresh = state === 'unanswered' || (state === 'fresh' && isFirst !== true);
  const at = {
    ...statedItem(item),
    ...(isFresh ? { state: 'fresh' as const } : {}),
    ...(found === true || (state === 'new' && !isContested) ? { found: true as const } : {}),
    ...place,
  };
  if (holdsItem(theirs, body)) into.items.push(at);
  else if (as !== undefined && holdsItem(theirs, as)) into.items.push({ ...at, as });
  else if (isAnswer === true && state === 'unanswered' && !isContested) {
    into.news.push({ what: 'adapted', body, stored: theirs });
    into.items.push({ ...at, as: theirs });
  } else if (!force && isContested) into.items.push({ ...at, edited: theirs, state: 'new' });
  else if (!force && state !== 'new') {
    const isNews = edited === undefined || !holdsItem(theirs, edited);
    if (isNews) into.news.push({ what: 'edited', body: theirs });
    into.items.push({ ...at, edited: theirs });
  } else {
    // This ledger never sent it: a version of another computer, or of a lost ledger.
    if (!force) into.news.push({ what: 'earlier', body: theirs });
    const gone = { body: theirs, inputs: item.inputs, ...place, state: 'dropped' as const };
    into.items.push({ ...statedItem(item), state: 'new' }, gone);
    into.surplus.push(shown);
  }
}

/** Returns the shown items that are one more of an own item than there should be. */
export function copiesIn(
  shown: readonly ShownItem[],
  own: readonly Pick<SentItem, 'body'>[],
): readonly ShownItem[] {
  const left = new Set(own);
  const [all, free] = [new Set(own), left].map(
    (items) => new KeyIndex(items, ({ body }) => itemIdentity(body)),
  );
  return shown.filter(({ body }) => {
    const isSame = (item: Pick<SentItem, 'body'>) => holdsItem(body, item.body);
    const first = free?.first(itemIdentity(body), isSame);
    if (first !== undefined) left.delete(first);
    return first === undefined && all?.first(itemIdentity(body), isSame) !== undefined;
  });
}

/** Identifies an item of another computer. */
export function otherKey({ id, body }: ShownItem): string {
  return id ?? itemIdentity(body);
}

/** Finds each item of the ledger among the shown ones, which it takes out of `free`. */
function matchItems(items: readonly SentItem[], free: Set<ShownItem>, isUndone = false) {
  const found = new Map<SentItem, ShownItem>();
  const byId = new KeyIndex(free, ({ id }) => id);
  const byIdentity = new KeyIndex(free, ({ body }) => itemIdentity(body));
  const take = (item: SentItem, shown: ShownItem | undefined) => {
    if (shown === undefined) return;
    free.delete(shown);
    found.set(item, shown);
  };
  const takeEqual = (item: SentItem) => {
    for (const own of [item.body, item.as, item.edited]) {
      if (own === undefined || found.has(item)) continue;
      const isEqual = ({ body }: ShownItem) => holdsItem(body, own);
      take(item, byIdentity.first(itemIdentity(own), isEqual));
    }
  };
  // An equal item may be another computer's if ours is known to have left.
  const hasLeft = ({ id, undone, state, edited }: SentItem) =>
    id !== undefined || (state === 'gone' && undone === true && edited === undefined && !isUndone);
  const isOver = (item: SentItem) => found.has(item) || (isDropped(item) && hasLeft(item));
  const wanted = items.filter((item) => !isDropped(item));
  const dropped = items.filter(isDropped);
  for (const group of [wanted, dropped]) {
    for (const item of group) if (item.id !== undefined) take(item, byId.first(item.id));
    group.filter((item) => !isOver(item)).forEach(takeEqual);
  }
  // Changed items: first the unchanged ones of the input, then new versions. Removed items have none.
  const others = [
    ...wanted.filter(({ state }) => state !== 'new' && state !== 'removed'),
    ...wanted.filter(({ state }) => state === 'new'),
  ];
  for (const item of others) {
    if (!isOver(item)) take(item, byIdentity.first(itemIdentity(item.body)));
  }
  return found;
}

/** Takes copies of this client's items out of `free`. The smallest id stays, on every computer. */
function takeCopies(
  found: Map<SentItem, ShownItem>,
  free: Set<ShownItem>,
  { sources }: CompareOptions,
  { surplus }: Found,
): void {
  if (sources.length === 0) return;
  const byIdentity = new KeyIndex(free, ({ body }) => itemIdentity(body));
  for (const [item, first] of found) {
    const isCopy = ({ body }: ShownItem) => holdsItem(body, item.body);
    if (isDropped(item) || !isCopy(first)) continue;
    const all = [first];
    const next = () => byIdentity.first(itemIdentity(item.body), isCopy);
    for (let copy = next(); copy !== undefined; copy = next()) {
      free.delete(copy);
      all.push(copy);
    }
    const idOf = ({ id = '' }: ShownItem) => id;
    all.sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    const [stays = first, ...copies] = all;
    surplus.push(...copies);
    found.set(item, stays);
  }
}

/** Decides about an item that the platform does not show. */
function absent(
  item: SentItem,
  { isAnswer, resends = false }: CompareOptions,
  hasNews: boolean,
  news: News[],
): SentItem {
  const { state, body } = item;
  if (state === 'unanswered' && isAnswer === true) {
    news.push({ what: 'unshown', body });
    return { ...statedItem(item), state: 'fresh' };
  }
  if (isPending(item)) return { ...statedItem(item), state: state ?? 'new' };
  if (resends) return { ...statedItem(item), state: 'unanswered' };
  if (state === 'removed') return item;
  // A request of another computer that had read the day before ours was written after ours.
  if (hasNews && state === 'fresh') {
    news.push({ what: 'again', body });
    return { ...statedItem(item), state: 'unanswered' };
  }
  news.push({ what: 'removed', body });
  return { ...item, state: 'removed' };
}
