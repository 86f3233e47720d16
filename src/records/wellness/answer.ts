import { sameJson } from '../digest.ts';
import { WELLNESS_FIELDS } from '../fields.ts';
import type { JsonObject, JsonValue, PreparedRecord, Warning } from '../types.ts';
import { NUMBER_AS_TEXT, isObject, show } from '../values.ts';

/** Relative difference of numbers that count as equal: services round. */
const ROUNDING = 1e-4;

/** Returns a row with its numbers as numbers: some services write decimals as text, and accept none. */
export function numbersOf(row: Readonly<Record<string, unknown>> = {}): typeof row {
  const entries = Object.entries(row).map(([name, value]) => {
    const { type } = WELLNESS_FIELDS[name] ?? {};
    const isNumber = type === 'number' || type === 'integer';
    const isText = typeof value === 'string' && NUMBER_AS_TEXT.test(value);
    return [name, isNumber && isText ? Number(value) : value];
  });
  return Object.fromEntries(entries) as typeof row;
}

/**
 * Compares the row in the answer to a wellness record with the request.
 *
 * @param requested the values in the request: a part of the record's, or all of them
 * @param row the day as the service stored it; undefined if it does not show it
 * @param isCoachWatts the row is whole, and its date a day in UTC; otherwise it may be a part of the record
 * @returns the fields that the service dropped, and warnings for the user
 */
export function notKeptWarnings(
  { fields, date, sources }: Pick<PreparedRecord, 'fields' | 'date' | 'sources'>,
  row: Readonly<Record<string, unknown>> | undefined,
  isCoachWatts: boolean,
  requested: JsonObject = fields,
): { readonly dropped: readonly string[]; readonly notes: readonly Warning[] } {
  // Platforms are known to drop other fields, so these are no reason to send a day again.
  const sent = Object.entries(requested).filter(
    ([name, value]) => Object.hasOwn(WELLNESS_FIELDS, name) && value !== null,
  );
  // An answer with none of the fields is not a row.
  if (
    row === undefined ||
    !Object.keys(fields).some((name) => name in WELLNESS_FIELDS && hasValue(row, name))
  ) {
    return { dropped: [], notes: [] };
  }
  const source = sources[0] ?? '';
  const notes: Warning[] = [];
  const isDropped = (name: string) => row[name] === null || (isCoachWatts && !hasValue(row, name));
  const dropped = sent.map(([name]) => name).filter(isDropped);
  if (dropped.length > 0) {
    const message = 'the platform took the day without it: it does not know this field';
    notes.push(...dropped.map((field) => ({ source, field, message })));
  }
  for (const [field, value] of sent) {
    const stored = row[field] as JsonValue | undefined;
    if (!hasValue(row, field) || isSame(value, stored)) continue;
    const message = `the platform stored ${show(stored ?? null)} for ${show(value)}`;
    notes.push({ source, field, message });
  }
  const { date: stored = date } = row;
  const day = isCoachWatts && typeof stored === 'string' ? stored.slice(0, 10) : date;
  if (day !== date) {
    notes.push({ source, field: 'date', message: `the platform filed ${date} under ${day}` });
  }
  return { dropped, notes };
}

function hasValue(row: Readonly<Record<string, unknown>>, name: string): boolean {
  return row[name] !== undefined && row[name] !== null;
}

/** The service merges `rawJson` with its earlier one: every member of the request must be in it. */
export function isSame(sent: JsonValue, stored: JsonValue | undefined): boolean {
  if (typeof sent === 'number' && typeof stored === 'number') {
    return Math.abs(sent - stored) <= ROUNDING * Math.max(1, Math.abs(sent));
  }
  if (isObject(sent) && isObject(stored)) {
    return Object.entries(sent).every(([name, value]) => sameJson(value, stored[name] ?? null));
  }
  return stored !== undefined && sameJson(sent, stored);
}
