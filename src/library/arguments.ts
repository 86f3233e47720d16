import { SyncError } from '../base/errors.ts';
import { isCalendarDate } from '../base/time.ts';
import { parseSetting } from '../config/settings.ts';
import type { NutritionRecord, WellnessRecord } from './types.ts';

export type DailyRecord = WellnessRecord | NutritionRecord;

/** Names the place of records without an `origin`. */
export const DEFAULT_ORIGIN = 'athlete-sync';

export function addressOf(given: string | URL): URL {
  const url = parseSetting('baseUrl', String(given), 'baseUrl');
  if (url === undefined) throw new SyncError('CONFIG', 'baseUrl is missing.');
  return url;
}

export function checkDay(name: string, day: string | undefined): void {
  if (day === undefined || isCalendarDate(day)) return;
  throw new SyncError('USAGE', `${name}: ${day} is not a day.`, {
    hint: 'Write it as YYYY-MM-DD.',
  });
}

export function isList<T>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

export function refuseChoice(input: string): never {
  throw new SyncError('INPUT_INVALID', `${input} may be the export of several programs.`, {
    hint: 'Convert it to records in the form of docs/records.md.',
  });
}
