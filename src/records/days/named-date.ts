import { readTimeOfDay } from '../clock.ts';

/** `Nov 20, 2026`, `Friday, 20 November 2026 at 7:30 PM`: the name settles which number is the day. */
const NAMED_MONTH =
  // Finnish marraskuu is November, and begins like March.
  /^(?:([a-z]{3,9})\.?,? )?(?:(\d{1,2})\.? )?(?!marras)([a-z]{3,9})\.?,? (?:(\d{1,2}),? )?(\d{4})(?:,| at|(?!\S))(.*)$/i;
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
const WEEKDAYS = 'sunmontuewedthufrisat';

/**
 * Writes a date with the name of its month as ISO 8601 does, with the time after it.
 *
 * @returns undefined for another text; a problem if it names another weekday
 */
export function readNamedDate(text: string): string | { readonly problem: string } | undefined {
  const [, weekday = '', before = '', name = '', after = '', year = '', clock = ''] =
    NAMED_MONTH.exec(text) ?? [];
  const month = placeOf(name, MONTHS) + 1;
  const day = before || after;
  if (month === 0 || day === '' || (before !== '' && after !== '')) return undefined;
  const date = [year, ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
  const found = new Date(date).getUTCDay();
  if (weekday !== '' && !Number.isNaN(found) && placeOf(weekday, WEEKDAYS) !== found)
    return { problem: `${date} is not a ${weekday}: correct the date, or leave the weekday out` };
  const time = clock.trim();
  return time === '' ? date : `${date}T${readTimeOfDay(time) ?? time}`;
}

/** Returns the place of a name among names of three letters; -1 if it is none. */
function placeOf(name: string, names: string): number {
  const at = name.length < 3 ? -1 : names.indexOf(name.slice(0, 3).toLowerCase());
  return at % 3 === 0 ? at / 3 : -1;
}
