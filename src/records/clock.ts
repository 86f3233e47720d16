/** Reads times of day and durations, as programs and people write them. */

/** `7:30`, `07:30:15`, `07:30:15.500`, `7:30 pm`. */
const TIME_OF_DAY = /^(\d{1,2})(:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:\s?([ap])\.?\s?m\.?)?$/i;

/** Returns a time of day as ISO 8601 writes it; undefined for another text. */
export function readTimeOfDay(text: string): string | undefined {
  const [, written = '', rest = '', half] = TIME_OF_DAY.exec(text.trim()) ?? [];
  const hour = Number(written);
  if (written === '' || (half !== undefined && (hour < 1 || hour > 12))) return undefined;
  const moved = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(moved).padStart(2, '0')}${rest}`;
}

/** Hours first: `7:30`, `07:30:15`; `7h 55min`, `55 min`; `PT7H31M` (ISO 8601). */
const DURATION = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d))?$/;
const WITH_UNITS =
  /^(?=.*\d)(?:PT)?(?:(\d+)\s*h(?:ours?|rs?)?)?\s*(?:(\d+)\s*m(?:in(?:ute)?s?)?)?\s*(?:(\d+)\s*s(?:ec(?:ond)?s?)?)?$/i;

/** Returns a duration in seconds; undefined for another text. */
export function readDuration(text: string): number | undefined {
  const found = DURATION.exec(text.trim()) ?? WITH_UNITS.exec(text.trim());
  if (found === null) return undefined;
  const [, hours = '0', minutes = '0', seconds = '0'] = found;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}
