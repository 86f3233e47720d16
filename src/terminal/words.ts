import type { Text } from '../base/phrase.ts';

/** Formats numbers and names for people. */

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the first texts of a list; a last one counts the others, which only `--json` shows. */
export function firstOf<T extends Text>(texts: readonly T[], most: number): (T | string)[] {
  const more = texts.length - most;
  return more > 0 ? [...texts.slice(0, most), `and ${more} more, which --json lists`] : [...texts];
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Ends a text with a full stop, unless it ends as a sentence. */
export function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** Formats a size: "820 bytes", "1.3 MB". */
export function bytes(size: number): string {
  if (size < 1000) return `${Math.round(size)} bytes`;
  const units = ['kB', 'MB', 'GB'] as const;
  let value = size / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? 'GB'}`;
}

/** Formats a time span: "45 seconds", "59 minutes", "3 hours", "29 days". */
export function duration(ms: number): string {
  const steps = [
    [86_400_000 * 2, 86_400_000, 'day'],
    [3_600_000 * 2, 3_600_000, 'hour'],
    [60_000 * 2, 60_000, 'minute'],
    [0, 1000, 'second'],
  ] as const;
  const [, unit, noun] = steps.find(([least]) => Math.abs(ms) >= least) ?? steps[3];
  return plural(Math.round(ms / unit), noun);
}

/** Formats how long ago something was (ms). The clock may have been set back since. */
export function ago(ms: number): string {
  return ms <= -1_000 ? `${duration(-ms)} ahead of this clock` : `${duration(Math.max(0, ms))} ago`;
}

/** Formats a duration like a stopwatch: `45:10`, `2:36:36`. */
export function clockTime(secs: number): string {
  const whole = Math.round(secs);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const seconds = String(whole % 60).padStart(2, '0');
  return hours === 0
    ? `${minutes}:${seconds}`
    : `${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
}

/** Formats a distance: `950 m`, `87.9 km`. */
export function distance(meters: number, decimals = 1): string {
  return meters < 1000 ? `${Math.round(meters)} m` : `${(meters / 1000).toFixed(decimals)} km`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Returns the day of the week of a date in UTC; its beginning is its short form. */
export function weekday(date: Date): string {
  return WEEKDAYS[date.getUTCDay()] ?? '';
}

/** Formats a time in the zone of this machine: "2026-02-15 07:30:05". */
export function wallTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
