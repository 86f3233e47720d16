import { EMPTY_DAY } from '../ledger/nutrition.ts';
import { sha256 } from '../system/this-process.ts';
import { recordDigest } from './digest.ts';
import { nutritionBody, oursOf } from './nutrition/ours.ts';
import type { JsonObject, NutritionPart, PreparedRecord, RecordKind } from './types.ts';

/** A record without its content. */
type RecordAbout = Omit<PreparedRecord, 'kind' | 'body' | 'digest' | 'parts' | 'fields'>;

export function wellness(about: RecordAbout, body: JsonObject): PreparedRecord {
  return { kind: 'wellness', ...about, digest: recordDigest(body), body };
}

export function nutrition(
  about: RecordAbout,
  parts: readonly NutritionPart[],
  fields: JsonObject,
): PreparedRecord {
  const { date } = about;
  return {
    kind: 'nutrition',
    ...about,
    digest: sha256(`${date}${JSON.stringify(parts)}${JSON.stringify(fields)}`),
    parts,
    fields,
    get body() {
      const day = { ...about, known: EMPTY_DAY, parts, fields, around: () => [] };
      const ours = oursOf(day, { merge: 'same-input', force: false });
      return nutritionBody(date, ours.items, ours.fields);
    },
  };
}

/** Returns a day about which no input says anything. */
export function emptyDay(
  date: string,
  sources: readonly string[],
  kind: RecordKind = 'nutrition',
): PreparedRecord {
  const about = { outcome: 'ready', date, sources, files: sources, body: { date } } as const;
  const nothing = { ...about, programs: {}, warnings: [], zoneUsed: false, digest: '' };
  return kind === 'wellness' ? { kind, ...nothing } : { kind, ...nothing, parts: [], fields: {} };
}
