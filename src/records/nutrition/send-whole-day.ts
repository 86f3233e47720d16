import { itemKey } from './items.ts';
import type { DayOutcome, DayState, NextStep } from './day-state.ts';
import { outgoing } from './service.ts';

/** Sends the whole day to a service that replaces days. */
export async function sendWholeDay(
  day: DayState,
  repeatable: 'always' | 'unless-acted-on',
): Promise<DayOutcome | NextStep> {
  const { service, ledger } = day.target;
  const { date } = day.record;
  if (!service.isSaidToReplace && !day.keepsEdits && (await service.canRead())) {
    const look = await day.look(undefined);
    if (look.kind === 'failed' || look.kind === 'unclear') return day.unsettled(look.failure);
    if (look.kind === 'shown' && look.by === 'read') day.keepEdits(look.items);
  }
  const content = outgoing(day.content);
  if (service.refusesEmpty) ledger.nutrition.markUnclear(date);
  const posted = await day.post(
    {
      ...content,
      items: content.items.map((item) => day.editedBodies.get(itemKey(item.body)) ?? item),
    },
    repeatable,
  );
  switch (posted.kind) {
    case 'failed':
      if (service.refusesEmpty) day.restore();
      return day.unsettled(posted.failure);
    case 'unclear':
      day.lastFailure = posted.failure;
      if (service.refusesEmpty) return day.unclear(content.items);
      return repeatable === 'always' ? day.unsettled(posted.failure) : 'retry-after-pause';
    case 'rejected':
      if (day.earlierDebt !== undefined && service.kind === 'replace') {
        return await day.putBack(posted, outgoing(day.stored).items);
      }
      day.restore();
      return day.rejected(posted);
    case 'taken':
      break;
  }
  const { items } = posted;
  if (items === undefined) return day.finish(content.items);
  const seen = day.compare(items);
  if (seen.extra.length > 0 || seen.outdated.length > 0) {
    // It added to the day: this request has caused the copies.
    day.learnKind('append');
    day.mayRemoveExtra = true;
    if (!service.refusesEmpty) return 'retry-with-empty-day';
    const rest = { stuck: seen.outdated, foreign: [], extra: seen.extra };
    return day.finish(seen.present, rest);
  }
  if (day.stored.items.some(({ id }) => id !== undefined) && !seen.knowsIds) {
    day.learnKind('replace');
  } else {
    const proof = await day.proveKind(seen.present);
    if (proof !== undefined) return proof;
  }
  return day.finish([
    ...day.adopt(seen.present, seen.missing, items, new Set()),
    ...seen.edited.map(({ item }) => item),
  ]);
}
