import type { DayContent, SentItem } from '../../ledger/nutrition.ts';
import { holdsItem, itemIdentity, itemKey, sameInput } from './items.ts';
import { KeyIndex } from './key-index.ts';
import type { JsonObject } from '../types.ts';

/** Compares what a service shows of a day with what the day should hold. */

/** An item as a service shows it. */
export interface ShownItem {
  readonly id?: string;
  /** Who wrote it, such as `oauth:APP` or `manual`. */
  readonly source?: string;
  /** The list it is in, as `PATCH .../items` wants it: `breakfast`, `lunch`, `dinner`, `snacks`. */
  readonly meal?: string;
  /** The item without `id` and `source`. */
  readonly body: JsonObject;
}

export interface Comparison {
  /** Our items in the day, with the ids that the service shows. */
  readonly present: readonly SentItem[];
  /** Items that the service lacks. */
  readonly missing: readonly SentItem[];
  /** Versions of missing items, and items that the input no longer has: to be removed. */
  readonly outdated: readonly Outdated[];
  /** Not changed: the athlete edited them in the platform, or another device sent them. */
  readonly edited: readonly Edited[];
  /** Left out: the athlete removed them in the platform. */
  readonly removed: readonly SentItem[];
  /** Surplus copies of items. */
  readonly extra: readonly ShownItem[];
  /** Not changed: versions that this ledger does not know, perhaps another device's. */
  readonly foreign: readonly Outdated[];
  /** Items of ours that this ledger did not know: another device sent them. */
  readonly adopted: readonly SentItem[];
  /** The service showed an item that this ledger knows by its id. */
  readonly knowsIds: boolean;
}

/** An item that the service holds in another version than was sent from here. */
export interface Edited {
  readonly item: SentItem;
  readonly shown: ShownItem;
}

/** An item to remove from the service, and its replacement. */
export interface Outdated {
  readonly shown: ShownItem;
  readonly next?: SentItem;
}

export interface CompareOptions {
  /** The content that the service last confirmed. */
  readonly stored: DayContent;
  /** Items that an interrupted run may have sent, and that were not confirmed. */
  readonly maybe: readonly SentItem[];
  /** The `source` that the service gives to our items, if an answer has shown it. */
  readonly source: string | undefined;
  /** Overwrite edits made in the platform, and items of other devices. */
  readonly force: boolean;
  /** Remove items that the day should no longer hold, even if the athlete edited them; by default `force`. */
  readonly removeEdited?: boolean;
  /** The service adds to days, so ids last. A service that replaces a day gives all its items new ids. */
  readonly idsLast?: boolean;
  /** No request of this ledger has removed items since `stored`: another device did, or the athlete. */
  readonly untouched?: boolean;
}

/** The input of items that another device sent. */
export const ELSEWHERE = 'elsewhere';

/**
 * Compares a day at the service with its intended content. Items are matched by the id that an
 * earlier answer gave, else by instant, name and amounts. Items of other sources are never touched.
 */
export function compareDay(
  shown: readonly ShownItem[],
  wanted: readonly SentItem[],
  options: CompareOptions,
): Comparison {
  const { stored, maybe, source, force, removeEdited = force } = options;
  const { idsLast = false, untouched = false } = options;
  const storedById = new Map(
    stored.items.flatMap((item) => (item.id === undefined ? [] : [[item.id, item] as const])),
  );
  const isOurs = (item: ShownItem) =>
    (item.id !== undefined && storedById.has(item.id)) ||
    item.source === undefined ||
    (source === undefined ? item.source.startsWith('oauth:') : item.source === source);
  const free = new Set(shown.filter(isOurs));
  const freeById = new KeyIndex(free, ({ id }) => id);
  const freeByIdentity = new KeyIndex(free, ({ body }) => itemIdentity(body));
  const knowsIds = shown.some(({ id }) => id !== undefined && storedById.has(id));
  const take = (found: ShownItem | undefined): ShownItem | undefined => {
    if (found !== undefined) free.delete(found);
    return found;
  };
  const takeId = (id: string) => take(freeById.first(id));
  const takeVersionOf = ({ body }: SentItem, test?: (item: ShownItem) => boolean) =>
    take(freeByIdentity.first(itemIdentity(body), test));
  const isUnknown = ({ id }: ShownItem) => id === undefined || !storedById.has(id);
  const present: SentItem[] = [];
  const missing = new Set<SentItem>();
  const outdated: Outdated[] = [];
  const edited: Edited[] = [];
  const removed: SentItem[] = [];

  const byId = new Map<SentItem, ShownItem>();
  for (const item of wanted) {
    const found = item.id === undefined ? undefined : takeId(item.id);
    if (found !== undefined) byId.set(item, found);
  }
  // Items that are there already are never sent again, with any id.
  const lacking: SentItem[] = [];
  for (const item of wanted) {
    const known = byId.get(item);
    if (known !== undefined && holdsItem(known.body, item.body)) {
      present.push(withId(item, known));
      continue;
    }
    const equal = takeVersionOf(
      item,
      (shown) => isUnknown(shown) && holdsItem(shown.body, item.body),
    );
    if (equal !== undefined && known !== undefined) outdated.push({ shown: known });
    if (equal === undefined) lacking.push(item);
    else present.push(withId(item, equal));
  }
  for (const item of lacking) {
    const known = byId.get(item);
    const before = item.id === undefined ? undefined : storedById.get(item.id);
    const changed = before === undefined || !sameInput(before.body, item.body);
    const version = known === undefined && !changed ? takeVersionOf(item, isUnknown) : undefined;
    if (known !== undefined) {
      const asSent = before !== undefined && holdsItem(known.body, before.body);
      if (asSent || force) {
        const next = withoutId(item);
        missing.add(next);
        outdated.push({ shown: known, next });
      } else {
        edited.push({ item, shown: known });
      }
    } else if (version !== undefined && force) {
      const next = withoutId(item);
      missing.add(next);
      outdated.push({ shown: version, next });
    } else if (version !== undefined) {
      edited.push({ item: withId(item, version), shown: version });
    } else if (item.removed === true && !changed) {
      removed.push(item);
    } else if (
      before !== undefined &&
      !changed &&
      (knowsIds || (untouched && item.input === ELSEWHERE))
    ) {
      removed.push({ ...item, removed: true });
    } else {
      missing.add(withoutId(item));
    }
  }

  const replacing = new Set(outdated.map(({ next }) => next));
  const additional = new Set([...missing].filter((item) => !replacing.has(item)));
  const identityOf = ({ body }: SentItem) => itemIdentity(body);
  const missingByIdentity = new KeyIndex(missing, identityOf);
  const additionalByIdentity = new KeyIndex(additional, identityOf);
  const kept = new Set(wanted.map(({ id }) => id));
  for (const item of stored.items) {
    if (item.id === undefined || kept.has(item.id)) continue;
    const found =
      takeId(item.id) ??
      (knowsIds || idsLast
        ? undefined
        : takeVersionOf(item, (shown) => isUnknown(shown) && holdsItem(shown.body, item.body)));
    if (found === undefined) continue;
    if (holdsItem(found.body, item.body) || removeEdited) {
      outdate(found, item);
      continue;
    }
    // No other version is sent beside what the athlete edited.
    const next = missingByIdentity.first(identityOf(item)) ?? item;
    missing.delete(next);
    additional.delete(next);
    edited.push({ item: withId(next, found), shown: found });
  }

  const wantedKeys = new Set(wanted.map(({ body }) => itemKey(body)));
  for (const item of maybe) {
    if (wantedKeys.has(itemKey(item.body))) continue;
    const found = takeVersionOf(item, ({ body }) => holdsItem(body, item.body));
    if (found === undefined) continue;
    outdate(found, item);
  }
  /** Marks an item for removal; its new version, if there is one, is sent after that. */
  function outdate(shown: ShownItem, item: SentItem): void {
    const next = additionalByIdentity.first(identityOf(item));
    if (next !== undefined) additional.delete(next);
    outdated.push({ shown, ...(next === undefined ? {} : { next }) });
  }

  const foreign: Outdated[] = [];
  const toSend: SentItem[] = [];
  for (const item of missing) {
    const other = additional.has(item) ? takeVersionOf(item) : undefined;
    if (other === undefined) toSend.push(item);
    else if (force) {
      toSend.push(item);
      outdated.push({ shown: other, next: item });
    } else foreign.push({ shown: other, next: item });
  }
  const extra: ShownItem[] = [];
  for (const item of present) {
    for (
      let found;
      (found = takeVersionOf(item, ({ body }) => holdsItem(body, item.body))) !== undefined;
    ) {
      extra.push(found);
    }
  }
  const adopted = [...free]
    .filter((item) => source !== undefined && item.source === source && item.id !== undefined)
    .map((item): SentItem => withId({ body: item.body, input: ELSEWHERE }, item));
  return {
    present,
    missing: toSend,
    outdated,
    edited,
    removed,
    extra,
    foreign,
    adopted,
    knowsIds,
  };
}

function withId(item: SentItem, { id, meal }: ShownItem): SentItem {
  const plain = withoutId(item);
  if (id === undefined) return plain;
  return { ...plain, id, ...(meal === undefined ? {} : { meal }) };
}

export function withoutId({ body, input }: SentItem): SentItem {
  return { body, input };
}
