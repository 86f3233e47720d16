/**
 * Reads dates and times in the extended form of ISO 8601, and nothing that needs a guess. A refusal says
 * what to write instead.
 */

/** A parsed timestamp. Wall times are in ms, counted as if the clock's zone were UTC. */
export type Timestamp =
  | { readonly form: 'date'; readonly date: string }
  | {
      readonly form: 'time';
      /** The written calendar date. */
      readonly date: string;
      readonly wall: number;
      /**
       * The offset: ms east of UTC if it is numeric; `utc` for `Z` and for `-00:00`, which says
       * that the local offset is not known (RFC 3339, 4.3); `none` if there is none.
       */
      readonly offset: number | 'utc' | 'none';
      /** It was second 60; the wall time holds second 59. */
      readonly leapSecond: boolean;
    };

const MINUTE = 60_000;
/** The range of offsets in use on Earth: Baker Island to Kiritimati. */
const MIN_OFFSET = -12 * 60 * MINUTE;
const MAX_OFFSET = 14 * 60 * MINUTE;

const DATE = '(\\d{4})-(\\d{2})-(\\d{2})';
const TIME = '(\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d+))?)?';
const OFFSET = '(Z|[+-]\\d{2}(?::?\\d{2})?)';
/** A space may also stand before the offset, as Apple Health writes it. */
const PATTERN = new RegExp(`^${DATE}(?:(?:T${TIME}${OFFSET}?)|(?: ${TIME}(?: ?${OFFSET})?))?$`);

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Parses a timestamp, or explains the fault. Surrounding blanks do not matter.
 *
 * @param wanted decides the example in a message
 */
export function readTimestamp(
  text: string,
  wanted: 'date' | 'time',
): Timestamp | { readonly problem: string } {
  const trimmed = text.trim();
  const match = PATTERN.exec(trimmed);
  if (match === null) return { problem: wrongForm(trimmed, wanted) };
  const [, year = '', month = '', day = ''] = match;
  const problem = wrongDate(Number(year), Number(month), Number(day));
  if (problem !== undefined) return { problem };
  const date = `${year}-${month}-${day}`;
  const hour = match[4] ?? match[9];
  if (hour === undefined) return { form: 'date', date };
  return readTime(date, {
    hour: Number(hour),
    minute: Number(match[5] ?? match[10]),
    second: Number(match[6] ?? match[11] ?? 0),
    fraction: match[7] ?? match[12] ?? '',
    offset: match[8] ?? match[13] ?? '',
  });
}

interface TimeParts {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: string;
  readonly offset: string;
}

function readTime(date: string, parts: TimeParts): Timestamp | { readonly problem: string } {
  const { hour, minute, second } = parts;
  if (hour === 24) return { problem: 'hour 24 is not taken: write 00:00 of the next day' };
  if (hour > 23) return { problem: `there is no hour ${hour}` };
  if (minute > 59) return { problem: `there is no minute ${minute}` };
  if (second > 60) return { problem: `there is no second ${second}` };
  const offset = readOffset(parts.offset);
  if (typeof offset === 'object') return offset;
  // Truncated, not rounded: a time must not move into the next second, or the next day.
  const millis = Number(parts.fraction.slice(0, 3).padEnd(3, '0'));
  const clock = ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 + millis;
  return {
    form: 'time',
    date,
    wall: Date.parse(`${date}T00:00:00Z`) + clock,
    offset,
    leapSecond: second === 60,
  };
}

function readOffset(text: string): number | 'utc' | 'none' | { readonly problem: string } {
  if (text === '') return 'none';
  if (text === 'Z') return 'utc';
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || '0');
  const size = (hours * 60 + minutes) * MINUTE;
  if (size === 0) return text.startsWith('-') ? 'utc' : 0;
  const offset = text.startsWith('-') ? -size : size;
  if (minutes > 59 || offset < MIN_OFFSET || offset > MAX_OFFSET) {
    return { problem: `the offset ${text} is outside -12:00 to +14:00` };
  }
  return offset;
}

function wrongDate(year: number, month: number, day: number): string | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined) return `there is no month ${month}`;
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (day >= 1 && day <= days) return undefined;
  return `there is no day ${day} in ${name} ${year}, which has ${days} days`;
}

/** An example of a time, for messages. */
export const TIME_EXAMPLE = '2026-02-15T07:30:00+01:00';

function wrongForm(text: string, wanted: 'date' | 'time'): string {
  const example =
    wanted === 'time' ? `write ${TIME_EXAMPLE}` : `write 2026-02-15, or ${TIME_EXAMPLE}`;
  if (text === '') return `is empty: ${example}`;
  if (/^-?\d{9,}(\.\d+)?$/.test(text)) return `is a count of seconds or milliseconds: ${example}`;
  if (wanted === 'time' && /^\d{1,2}:\d{2}/.test(text)) return `has no date: ${example}`;
  const basic = /^(\d{4})(\d{2})(\d{2})(T|$)/.exec(text);
  if (basic !== null) {
    if (wanted === 'time') return `is written without hyphens: ${example}`;
    return `is written without hyphens: write ${basic.slice(1, 4).join('-')}, and a time as 07:30:00`;
  }
  if (/^\d{1,4}[/.]\d{1,2}[/.]\d{1,4}/.test(text)) {
    return `does not say for certain which number is the day and which the month: ${example}`;
  }
  if (text.endsWith(']')) {
    return 'names a zone in brackets, which is not taken: leave it out, the offset says enough';
  }
  return `is no ISO 8601 ${wanted === 'time' ? 'timestamp' : 'date'}: ${example}`;
}
