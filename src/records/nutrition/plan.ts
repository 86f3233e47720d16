import { daysAfter } from '../../base/time.ts';
import type { DayContent, KnownDay, LedgerDay, SentItem } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import { sameJson } from '../digest.ts';
import { MAX_INTEGER } from '../fields.ts';
import { isDropped, mergeDay } from './day-plan.ts';
import { itemKey } from './items.ts';
import type { DayOutcome, JsonObject, MergeMode, PreparedRecord } from '../types.ts';

/** What a nutrition day should hold, by the ledger, the inputs and the days around it. */

/** A day to deliver. Its body follows from what is sent and from what the platform holds. */
export type NutritionRecord = Omit<PreparedRecord & { readonly kind: 'nutrition' }, 'body'>;

export interface DayOptions {
  /** `same-input` by default. */
  readonly merge?: MergeMode;
  /** Send days that the service already has, overwrite edits made there, erase foods of others. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Instead of sending, takes items back that were sent from here. Returns what stays of one. */
  readonly undo?: (item: SentItem) => SentItem | undefined;
  /** The user takes them back: does not send them again without `force`, and leaves those found there. */
  readonly remember?: boolean;
}

/**
 * Works out what the day should hold.
 *
 * @returns `items` with those to remove; `moved`: items that stay on the day that they were sent for;
 *   `partialTotals`: totals that are left out, since they count a part of the day only
 */
export function planDay(
  record: NutritionRecord,
  known: KnownDay,
  { undo, merge = 'same-input', force, remember = false }: DayOptions,
  ledger: RecordLedger,
  run: ReadonlyMap<string, PreparedRecord>,
) {
  if (undo !== undefined) {
    const items = known.items.flatMap((item): SentItem[] => {
      const left = isDropped(item) ? item : undo(item);
      if (left !== undefined) return [left];
      const isUnsent = item.state === 'new' && item.edited === undefined;
      if (isUnsent || (remember && item.found === true)) return [];
      return [{ ...item, state: 'dropped', ...(remember ? { undone: true } : {}) }];
    });
    return { items, fields: {}, moved: [], partialTotals: [] };
  }
  const { parts, date } = record;
  const merged = mergeDay(known, parts, record.fields, merge, force);
  const { dropped, partialTotals } = merged;
  const holds = keysByDay((day) =>
    ledger.nutrition
      .day(day)
      .items.filter((item) => !isDropped(item))
      .map(({ body }) => body),
  );
  const says = keysByDay((day) => itemsOf(run.get(day)));
  const writes = keysByDay((day) => itemsOf(run.get(day)).filter((item) => isWrittenOn(item, day)));
  const around = [daysAfter(date, -1), daysAfter(date, 1)];
  // If only the zone of the input has changed since, items stay on the day that they were sent for.
  const isShifted = (body: JsonObject, from: string, to: string) => {
    if (run.get(to)?.zoneUsed !== true) return false;
    const key = itemKey(body);
    return holds(from, key) && !says(from, key) && writes(to, key) && !holds(to, key);
  };
  const isMoved = ({ state, body }: SentItem) =>
    state === 'new' && around.some((day) => isShifted(body, day, date));
  const back = (item: SentItem): SentItem =>
    item.state === 'dropped' && around.some((day) => isShifted(item.body, date, day))
      ? { ...item, state: 'unanswered' }
      : item;
  const moved = merged.items.filter(isMoved);
  const items = [...merged.items.filter((item) => !moved.includes(item)), ...dropped.map(back)];
  // If everything that the record says was taken back, its totals stay away too.
  const staysAway = itemsOf(record).length > 0 && items.every(({ undone }) => undone === true);
  return { items, fields: staysAway ? known.fields : merged.fields, moved, partialTotals };
}

/** Checks that nothing of a day has to be sent or removed. */
export function isDone({ items, fields, sentFields }: LedgerDay): boolean {
  const isOpen = ({ state }: SentItem) =>
    state === 'new' || state === 'unanswered' || state === 'dropped';
  return !items.some(isOpen) && sameJson(fields, sentFields);
}

/** Returns the items that a day should hold. */
export function wantedItems({ items }: DayContent): readonly SentItem[] {
  const wanted = items.filter((item) => !isDropped(item) && item.state !== 'removed');
  return wanted.map((item) => ({ ...item, body: item.edited ?? item.body }));
}

/** Returns the outcome of a day with more calories than a platform can store. A stated total overrides the sum. */
export function excessOf(
  { date, sources: [source = ''] }: NutritionRecord,
  { items, fields }: { items: readonly { readonly body: JsonObject }[]; fields: JsonObject },
): DayOutcome | undefined {
  const sum = items.reduce((total, { body }) => total + Number(body['calories'] ?? 0), 0);
  if ('calories' in fields || Math.round(sum) <= MAX_INTEGER) return undefined;
  const problem = `the items of ${date} add up to ${sum} kcal, and a platform stores at most ${MAX_INTEGER}`;
  const about = { field: 'calories', problem };
  return { outcome: 'invalid', source, ...about, problems: [about] };
}

/** Checks that the zone puts an item on this day: a record's own date may differ. */
function isWrittenOn({ logged_at: at }: JsonObject, date: string): boolean {
  return typeof at === 'string' && at.startsWith(date);
}

/** Returns a test if a day has an item with a key. It reads a day when it is asked about it, once. */
function keysByDay(read: (day: string) => readonly JsonObject[]) {
  const known = new Map<string, ReadonlySet<string>>();
  return (day: string, key: string): boolean => {
    const keys = known.get(day) ?? new Set(read(day).map(itemKey));
    known.set(day, keys);
    return keys.has(key);
  };
}

function itemsOf(record: PreparedRecord | NutritionRecord | undefined): readonly JsonObject[] {
  return record?.kind === 'nutrition' ? record.parts.flatMap(({ items }) => items ?? []) : [];
}
