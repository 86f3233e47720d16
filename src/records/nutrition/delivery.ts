import type { Context } from '../../base/context.ts';
import { itemSet, sameInput } from './items.ts';
import type { DayContent } from '../../ledger/nutrition.ts';
import { type DayOutcome, DayState, type NextStep } from './day-state.ts';
import { sameContent } from './day-plan.ts';
import { type DayOptions, type DayTarget, type NutritionRecord, isEmpty, planDay } from './plan.ts';
import { outgoing } from './service.ts';
import * as words from './words.ts';
import { sendMissing } from './send-missing.ts';
import { sendUnseen } from './send-unseen.ts';
import { sendWholeDay } from './send-whole-day.ts';

/**
 * Delivers a nutrition day so that the service holds each item exactly once, although no service says
 * if it replaces a day or adds to it. Unless it is known to replace, a day takes two steps: learn its
 * content, then send only the missing items. The ledger holds the debt from before the first step until
 * the service has confirmed the second. So a request that may have been processed is never repeated:
 * the first step of the next attempt shows its effect.
 */

/** Limits the attempts to bring a day to its intended content. */
const MAX_ROUNDS = 5;

/** Pause after an unclear answer: a gateway may still be processing the request (ms). */
const SETTLE_MS = 2_000;

/** Delivers one day. @throws SyncError `STORAGE`, `INTERRUPTED` */
export async function deliverDay(
  context: Pick<Context, 'clock' | 'signal'>,
  record: NutritionRecord,
  options: DayOptions,
  target: DayTarget,
): Promise<DayOutcome> {
  const { date } = record;
  const { ledger, service } = target;
  let known = ledger.nutrition.day(date);
  if (known.unclear && options.assumeArrived) {
    const content = known.intended ?? known.stored;
    if (!options.dryRun) ledger.nutrition.settle(date, content);
    known = { stored: content, intended: undefined, unclear: false };
  }
  if (known.unclear && !options.force) {
    return { outcome: 'unclear', count: known.intended?.items.length ?? 0, attempts: 0 };
  }
  const { content, gone, moved, partialTotals } = planDay(
    record,
    known.intended ?? known.stored,
    options,
    target,
  );
  const isSettled = known.intended === undefined && sameContent(content, known.stored);
  if (moved.length > 0) target.warn(words.movedNote(record, moved));
  // The platform may hold something else by now.
  const looksAnew = options.force || options.merge === 'replace-day';
  if (isSettled && (!looksAnew || isEmpty(content))) return { outcome: 'unchanged' };
  if (partialTotals.length > 0) target.warn(words.partialTotalsNote(record, partialTotals));
  if (
    outgoing(content).items.length === 0 &&
    service.kind !== 'append' &&
    known.stored.items.length > 0
  ) {
    target.warn(words.emptiesNote(record, date));
  }
  if (options.dryRun) {
    if (gone.length > 0 && options.undo === undefined)
      target.warn(words.goneNote(record, gone, true));
    const looksFirst = service.kind !== 'replace' && !service.isOpaque;
    const stored = itemSet(known.stored.items);
    const items = outgoing(content).items.filter(({ body }) => !(looksFirst && stored.has(body)));
    const by = (await service.canRead()) ? 'read' : 'empty-post';
    return {
      outcome: 'would-push',
      content: { ...content, items },
      look: looksFirst ? by : undefined,
      removals: looksFirst && service.canRemove ? removals(known.stored, content) : [],
    };
  }
  const before = [...(known.intended?.items ?? []), ...(known.intended?.maybe ?? [])];
  const wanted = itemSet(before.length === 0 ? [] : content.items);
  const maybe = before.filter(({ body }) => !wanted.has(body));
  ledger.nutrition.intend(date, { ...content, maybe });
  return await deliverInRounds(
    context,
    new DayState(record, content, { ...known, maybe, gone }, options, target),
  );
}

/** Returns items with an id that the day should no longer hold, or hold in another version. */
function removals(
  { items }: DayContent,
  content: DayContent,
): readonly { readonly id: string; readonly meal: string }[] {
  return items.flatMap(({ id, meal, body, removed }) => {
    if (id === undefined || meal === undefined || removed === true) return [];
    const stays = content.items.some((item) => item.id === id && sameInput(item.body, body));
    return stays ? [] : [{ id, meal }];
  });
}

async function deliverInRounds(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  day: DayState,
): Promise<DayOutcome> {
  let step: NextStep = 'retry';
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    if (step === 'retry-after-pause') await clock.sleep(SETTLE_MS, signal);
    const result = await deliverOnce(day, step);
    if (typeof result === 'object') return result;
    step = result;
  }
  return day.unsettled(day.lastFailure);
}

/** Makes one attempt, in the way that suits the kind of service. */
async function deliverOnce(day: DayState, step: NextStep): Promise<DayOutcome | NextStep> {
  const { service } = day;
  if (service.isSaidToReplace) return await sendWholeDay(day, 'always');
  if (service.isOpaque) return await sendUnseen(day);
  if (service.refusesEmpty || (service.kind === 'replace' && step !== 'retry-after-pause')) {
    return await sendWholeDay(day, 'unless-acted-on');
  }
  return await sendMissing(day, step === 'retry-with-empty-day' ? 'empty-post' : undefined);
}
