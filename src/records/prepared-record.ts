import { EMPTY_DAY } from '../ledger/nutrition.ts';
import { nutritionBody, oursOf } from './nutrition/ours.ts';
import type { JsonObject, PreparedRecord, RecordKind } from './types.ts';

/** Returns the request of a day of which nothing was sent before. */
export function requestBody({ kind, date, fields, ...day }: PreparedRecord): JsonObject {
  if (kind === 'wellness') return { date, ...fields };
  const inputs = { ...day, date, fields, known: EMPTY_DAY, around: () => [] };
  const ours = oursOf(inputs, { merge: 'same-input', force: false });
  return nutritionBody(date, ours.items, ours.fields);
}

/** Returns a day about which no input says anything. */
export function emptyDay(
  date: string,
  sources: readonly string[],
  kind: RecordKind = 'nutrition',
): PreparedRecord {
  const about = { outcome: 'ready', kind, date, sources, files: sources, warnings: [] } as const;
  return { ...about, parts: [], fields: {}, programs: {}, zoneUsed: false, digest: '' };
}
