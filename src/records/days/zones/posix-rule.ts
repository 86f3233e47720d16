import type { OffsetChange } from './offsets.ts';

/**
 * The rule at the end of a TZif file (RFC 9636, 3.3.1): a TZ string of POSIX, such as
 * `CET-1CEST,M3.5.0,M10.5.0/3`, in which an hour may be -167 to 167. All times are in ms.
 */

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const NAME = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)';
const TIME = '[+-]?\\d{1,3}(?::\\d\\d){0,2}';
const DATE = `(?:M\\d{1,2}\\.[1-5]\\.[0-6]|J?\\d{1,3})(?:/${TIME})?`;
const RULE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE}),(${DATE}))?$`);

/**
 * Parses a TZ string.
 *
 * @returns the offset outside of summer time, and the changes of a year in the order of their instants;
 *   undefined for text that is none
 */
export function readPosixRule(text: string) {
  const [, standard, summer, start, end] = RULE.exec(text) ?? [];
  if (standard === undefined) return undefined;
  const offset = offsetOf(standard);
  const never = (): OffsetChange[] => [];
  if (start === undefined || end === undefined) return { offset, changesOf: never };
  const summerOffset = summer === undefined ? offset + HOUR : offsetOf(summer);
  const changesOf = (year: number): OffsetChange[] => {
    const begin = { instant: wallOf(start, year) - offset, offset: summerOffset };
    const finish = { instant: wallOf(end, year) - summerOffset, offset };
    return begin.instant < finish.instant ? [begin, finish] : [finish, begin];
  };
  return { offset, changesOf };
}

/** POSIX counts west of Greenwich as positive. */
function offsetOf(text: string): number {
  return -timeOf(text) || 0;
}

function timeOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const size = hours * HOUR + (minutes * 60 + seconds) * SECOND;
  return text.startsWith('-') ? -size : size;
}

/** Returns the wall time of a date such as `M10.5.0/3` in a year. */
function wallOf(text: string, year: number): number {
  const [date = '', time = '2'] = text.split('/');
  return midnightOf(date, year) + timeOf(time);
}

function midnightOf(date: string, year: number): number {
  const numbers = date.replace(/^[JM]/, '').split('.').map(Number);
  if (date.startsWith('M')) {
    const [month = 1, week = 1, weekday = 0] = numbers;
    const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
    const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const day = 1 + ((weekday - first + 7) % 7) + (week - 1) * 7;
    // Week 5 is the last one of the month.
    return Date.UTC(year, month - 1, day > days ? day - 7 : day);
  }
  const [day = 0] = numbers;
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  // J counts from 1 and skips 29 February: J60 is 1 March in every year. Without J, 0 is 1 January.
  const days = date.startsWith('J') && !(isLeap && day >= 60) ? day - 1 : day;
  return Date.UTC(year, 0, 1) + days * DAY;
}
