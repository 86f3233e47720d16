import type { DayContent, SentItem } from '../../ledger/nutrition.ts';
import { type Outdated, type ShownItem, compareDay } from './day-match.ts';
import type { DayOutcome, DayState, NextStep } from './day-state.ts';
import { sameJson } from '../digest.ts';
import { holdsItem, itemIdentity, itemSet } from './items.ts';
import { type Look, outgoing } from './service.ts';
import * as words from './words.ts';
import { sendWholeDay } from './send-whole-day.ts';

/** Learns what the day holds, then sends the missing items. */
export async function sendMissing(
  day: DayState,
  by: 'empty-post' | undefined,
): Promise<DayOutcome | NextStep> {
  const { service } = day;
  const { fields } = day.content;
  const look = await day.look(by);
  switch (look.kind) {
    case 'failed':
    case 'unclear':
      return day.unsettled(look.failure);
    case 'opaque':
      service.learnOpaque();
      day.warn(words.opaqueNote(day.record, 'not-shown'));
      return 'retry';
    case 'refused':
      return await afterRefusedLook(day, look);
    case 'shown':
      break;
  }
  let seen = day.compare(look.items);
  if (day.options.merge === 'replace-day' && seen.removed.length > 0) {
    // The input decides what the day holds: what the athlete removed is sent again.
    for (const { id } of seen.removed) day.forgetId(id);
    seen = day.compare(look.items);
  }
  const emptied = look.by === 'empty-post';
  const holdsOurs = seen.knowsIds || seen.present.length > 0;
  if (emptied && holdsOurs) day.learnKind('append');
  if (emptied && !holdsOurs && hasIds(day.stored) && service.kind === 'append') {
    service.forgetKind();
  }

  const surplus = day.mayRemoveExtra ? seen.extra.map((shown) => ({ shown })) : [];
  const removal = await removeItems(day, [...seen.outdated, ...surplus], look);
  if (typeof removal === 'string' || 'outcome' in removal) return removal;
  const { removed, stuck } = removal;
  const conflicts = {
    stuck: service.canRemove ? stuck : [...stuck, ...seen.foreign],
    foreign: service.canRemove ? seen.foreign : [],
    extra: day.mayRemoveExtra ? [] : seen.extra,
  };
  const held = new Set(stuck.flatMap(({ next }) => (next === undefined ? [] : [next])));
  const missing = seen.missing.filter((item) => !held.has(item));
  if (seen.edited.length > 0) day.warn(words.editedNote(day.record, seen.edited));
  const newlyRemoved = seen.removed.filter((item) => !day.wasRemoved(item));
  if (newlyRemoved.length > 0) day.warn(words.removedNote(day.record, newlyRemoved));
  const rest = [
    ...seen.edited.map(({ item }) => item),
    ...seen.removed,
    ...(day.options.undo === undefined ? seen.adopted : []),
    ...day.stored.items.filter(
      ({ id }) => id !== undefined && stuck.some(({ shown }) => shown.id === id),
    ),
  ];
  /** Checks if an interrupted run removed an item without sending its replacement. */
  const isRemovedBefore = ({ id, body }: SentItem) =>
    day.earlierDebt !== undefined &&
    !day.content.items.some((item) => item.id === id) &&
    !look.items.some((item) => item.id === id || itemIdentity(item.body) === itemIdentity(body));
  // After a removal, perhaps in an earlier round or run, the service recalculates the day's own fields.
  day.hasRemoved ||= removed.size > 0;
  const fieldsWait =
    (day.hasRemoved && Object.keys(fields).length > 0) ||
    (look.by === 'read' && !sameJson(fields, day.stored.fields));
  if (missing.length === 0 && !fieldsWait) return day.finish([...seen.present, ...rest], conflicts);

  const posted = await day.post({ items: missing, fields }, 'unless-acted-on');
  switch (posted.kind) {
    case 'failed':
      return day.unsettled(posted.failure);
    case 'unclear':
      day.lastFailure = posted.failure;
      return 'retry-after-pause';
    case 'rejected':
      return await day.putBack(
        posted,
        emptied && !holdsOurs
          ? outgoing(day.stored).items
          : day.stored.items.filter(
              (item) => item.id !== undefined && (removed.has(item.id) || isRemovedBefore(item)),
            ),
      );
    case 'taken':
      break;
  }
  if (posted.items === undefined) {
    return day.finish([...seen.present, ...missing, ...rest], conflicts);
  }
  const { items } = posted;
  const isThere = (item: Pick<ShownItem, 'id' | 'body'>) =>
    items.some(({ id, body }) =>
      item.id === undefined ? holdsItem(body, item.body) : id === item.id,
    );
  const own = items.find(({ id }) => !look.items.some((item) => item.id === id))?.source;
  if (own !== undefined) service.learnSource(own);
  const others = [...seen.edited, ...seen.foreign].map(({ shown }) => shown);
  const stayed = [...seen.present, ...day.compare(look.items).adopted, ...others];
  if (stayed.length > 0) {
    if (!stayed.some(isThere)) {
      day.learnKind('replace');
      day.keepEdits(look.items);
      return 'retry';
    }
    day.learnKind('append');
  }
  const after = compareDay(items, [...seen.present, ...missing], {
    stored: { items: seen.present, fields: {} },
    maybe: [],
    source: service.source,
    force: false,
  });
  const before = new Set(look.items.map(({ id }) => id));
  const present = day.adopt(after.present, after.missing, items, before);
  const sent = itemSet(missing);
  const proof = await day.proveKind(present.filter(({ body }) => sent.has(body)));
  if (proof === 'retry' && look.by === 'read') day.keepEdits(look.items);
  if (proof !== undefined) return proof;
  const extra = after.extra.filter(({ id }) => !stuck.some(({ shown }) => shown.id === id));
  return day.finish([...present, ...rest], { ...conflicts, extra });
}

/** Handles a service that takes no day without items. */
async function afterRefusedLook(
  day: DayState,
  look: Extract<Look, { kind: 'refused' }>,
): Promise<DayOutcome | NextStep> {
  const { service } = day;
  // One refusal may be a proxy's, and on a service that appends the whole day would be doubled.
  if (service.kind === 'append') {
    day.restore();
    return day.rejected(look);
  }
  if (++day.refusedEmptyDays < 2) return 'retry';
  // If the day itself is refused too, the empty list was not the reason.
  service.refusesEmpty = true;
  const outcome = await sendWholeDay(day, 'unless-acted-on');
  service.refusesEmpty = typeof outcome !== 'object' || outcome.outcome !== 'rejected';
  if (service.refusesEmpty) day.warn(words.opaqueNote(day.record, 'refused'));
  return outcome;
}

interface Removal {
  /** The ids of removed items. */
  readonly removed: ReadonlySet<string | undefined>;
  /** Items that the service offers no way to remove. */
  readonly stuck: readonly Outdated[];
}

/** Removes items from a day. */
async function removeItems(
  day: DayState,
  items: readonly Outdated[],
  look: Extract<Look, { kind: 'shown' }>,
): Promise<DayOutcome | NextStep | Removal> {
  const { service } = day;
  const removed = new Set<string | undefined>();
  const stuck: Outdated[] = [];
  for (const item of items) {
    day.forgetId(item.shown.id);
    const removal = await service.remove(day.record.date, item.shown, day.tally);
    // A failed removal may have been processed.
    if (typeof removal === 'object' || removal === 'removed') day.mayHaveChanged = true;
    if (typeof removal === 'object') return day.unsettled(removal.failure);
    if (removal === 'changed') return 'retry';
    if (removal === 'removed') removed.add(item.shown.id);
    // A service that replaces days needs no removal; an empty day shows which kind this is.
    else if (look.by === 'read' && service.kind !== 'append') {
      day.keepEdits(look.items);
      return 'retry-with-empty-day';
    } else stuck.push(item);
  }
  return { removed, stuck };
}

function hasIds({ items }: DayContent): boolean {
  return items.some(({ id, removed }) => id !== undefined && removed !== true);
}
