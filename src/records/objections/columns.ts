import { WELLNESS_FIELDS, highestOf, isDayTotal, unitsOf } from '../fields.ts';
import type { Entry } from '../types.ts';
import { type Columns, type FileFacts, type Objection, HOUR_SECS, numberIn } from './objection.ts';

/** Objections to all values of a field: their scale, their unit, and sums of others. */

type ColumnJudge = (
  field: string,
  entries: readonly Entry[],
  facts: FileFacts,
  columns: Columns,
) => Objection | undefined;

export const COLUMN_JUDGES: readonly ColumnJudge[] = [
  otherMeaning,
  elsewhere,
  twoUnits,
  lowScale,
  scoreForHrv,
  hoursAndMinutes,
  sumsOfPeriods,
  runningTotal,
  sumOfOthers,
];

function otherMeaning(
  field: string,
  entries: readonly Entry[],
  { mapping }: FileFacts,
): Objection | undefined {
  const rule = mapping?.kind === 'wellness' ? mapping.fields[field] : undefined;
  const means = typeof rule === 'object' ? rule.means : undefined;
  return means === undefined ? undefined : { field, entries, found: means, is: 'wrong', whole: {} };
}

/** If most values of a field are of another scale, all are. */
function elsewhere(
  field: string,
  entries: readonly Entry[],
  { units }: FileFacts,
): Objection | undefined {
  const rule = WELLNESS_FIELDS[field];
  const other = rule !== undefined && 'elsewhere' in rule ? rule.elsewhere : undefined;
  if (other === undefined) return undefined;
  const beyond = entries.filter((entry) => (numberIn(entry, field) ?? 0) >= other.min);
  if (beyond.length === 0) return undefined;
  const given = units?.get(field);
  const read = given === undefined ? '' : ` with --unit ${field}=${given.name}`;
  const remedy =
    given === undefined
      ? `--unit ${field}=${other.scale} converts points of 100`
      : `--unit ${field} names the highest value of its scale`;
  const confirm = other.scale && remedy;
  return {
    field,
    entries: beyond.length * 2 > entries.length ? entries : beyond,
    found: `${firstOf(field, beyond)}${read}; ${other.found}`,
    is: 'wrong',
    whole: confirm === undefined ? {} : { confirm },
  };
}

/** Meters show no more mmol/l, and fewer mg/dl than this are no life. */
const MOST_GLUCOSE_MMOL = 36;

/** Glucose is sent in the unit of the file, as platforms take either: it cannot be in both. */
function twoUnits(field: string, entries: readonly Entry[]): Objection | undefined {
  const isMmol = (entry: Entry) => (numberIn(entry, field) ?? 0) < MOST_GLUCOSE_MMOL;
  const some = entries.filter(isMmol);
  if (field !== 'bloodGlucose' || some.length === 0 || some.length === entries.length)
    return undefined;
  const found = 'some values are in mmol/l, and some in mg/dl';
  return { field, entries, found, is: 'wrong', whole: { confirm: 'write all in one unit' } };
}

/** A table of fewer ratings may lack the high ones by chance. */
const ENOUGH_RATINGS = 5;
const LOW_RATING = 5;
const LOW_SCORE = 10;

/** Scores that never exceed a tenth or a half of the platform's scale: the athlete's own records are sent. */
function lowScale(
  field: string,
  entries: readonly Entry[],
  { mapping, units, fieldUnits }: FileFacts,
): Objection | undefined {
  const highest = highestOf(field);
  const isOwn = mapping === undefined;
  const isTable = mapping?.guess === true && mapping.format === 'csv';
  if (highest === undefined || units?.has(field) || fieldUnits?.stated.has(field)) return undefined;
  const most = entries.reduce((max, entry) => Math.max(max, numberIn(entry, field) ?? 0), 0);
  const found = `no value is above ${most}, and the platform takes 1 to ${highest}`;
  const about = { field, entries, found };
  if (highest === LOW_SCORE) {
    if (!isTable || entries.length < ENOUGH_RATINGS || most > LOW_RATING) return undefined;
    const confirm = `--unit ${field}=/5 or --unit ${field}=/10 names the scale`;
    return { ...about, is: 'unit', whole: { confirm } };
  }
  if (most > LOW_SCORE || !(isOwn || isTable)) return undefined;
  // A fraction of 1 is no score of the platform, whoever wrote it.
  const isSent = isOwn && most > 1;
  const scale = most > 1 ? 10 : 1;
  const confirm = isSent
    ? '=/100 confirms them'
    : `=/${scale} converts them if they are of ${scale}`;
  return {
    ...about,
    is: isSent ? 'sent' : 'unit',
    whole: { confirm: `--unit ${field}${confirm}` },
  };
}

/** A readiness of 1 to 10 is Elite HRV's. Its `HRV` is a score, too. */
function scoreForHrv(
  field: string,
  entries: readonly Entry[],
  facts: FileFacts,
  columns: Columns,
): Objection | undefined {
  const readiness = columns.get('readiness');
  const isOther = field !== 'hrv' || facts.mapping === undefined;
  if (isOther || readiness === undefined || facts.fieldUnits?.stated.has(field)) return undefined;
  if (lowScale('readiness', readiness, facts)?.is !== 'unit') return undefined;
  const found = 'is a score, as the readiness is, or ms';
  return { field, entries, found, is: 'unit', whole: { confirm: '--unit hrv=ms sends it' } };
}

/** Fewer nights may end before the 36th minute by chance. */
const ENOUGH_NIGHTS = 8;

/** Hours with decimals below .60 throughout are perhaps hours and minutes: 7.30 for half past seven. */
function hoursAndMinutes(field: string, entries: readonly Entry[]): Objection | undefined {
  if (field !== 'sleepSecs' || entries.length < ENOUGH_NIGHTS) return undefined;
  const hundredths = entries.map((entry) => ((numberIn(entry, field) ?? 0) / HOUR_SECS) * 100);
  const isOfHundredths = hundredths.every((value) => Math.abs(value - Math.round(value)) < 1e-6);
  const hasTwoDecimals = hundredths.some((value) => Math.round(value) % 10 !== 0);
  const isBelow = hundredths.every((value) => Math.round(value) % 100 < 60);
  if (!isOfHundredths || !hasTwoDecimals || !isBelow) return undefined;
  const found = 'hours, or hours and minutes? No value has decimals of .60 or more';
  return {
    field,
    entries,
    found,
    is: 'unit',
    whole: { confirm: '--unit sleepSecs=h confirms hours' },
  };
}

/** Fewer dates may fall on one weekday by chance. */
const ENOUGH_PERIODS = 3;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Totals that come once a week or a month are perhaps of all of it. */
function sumsOfPeriods(field: string, entries: readonly Entry[]): Objection | undefined {
  const dates = [...new Set(entries.map(({ date }) => date))];
  const [weekday = 0, ...others] = new Set(dates.map((date) => new Date(date).getUTCDay()));
  const isMonthly = dates.every((date) => date.endsWith('-01'));
  if (dates.length < ENOUGH_PERIODS) return undefined;
  if (!isDayTotal(field)) {
    const found = 'every date is the first day of a month: are the values means of the month?';
    return isMonthly ? { field, entries, found, is: 'sent', whole: {} } : undefined;
  }
  if (!isMonthly && others.length > 0) return undefined;
  const when = isMonthly ? 'the first day of a month' : `a ${WEEKDAYS[weekday] ?? ''}`;
  const found = `every date is ${when}: are the values of the whole ${isMonthly ? 'month' : 'week'}?`;
  return ofDays(field, entries, found);
}

const ENOUGH_SUMS = 5;
const RUNNING_FACTOR = 3;

/** Totals that grow with every date are perhaps counted from the first one on. */
function runningTotal(field: string, entries: readonly Entry[]): Objection | undefined {
  if (!isDayTotal(field) || entries.length < ENOUGH_SUMS) return undefined;
  const values = entries
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .map((entry) => numberIn(entry, field) ?? 0);
  const grows = values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0));
  const [first = 0] = values;
  if (!grows || (values.at(-1) ?? 0) < first * RUNNING_FACTOR) return undefined;
  return ofDays(field, entries, 'grows with every date: is it counted from the first one on?');
}

/** Small numbers are the sum of others by chance. */
const LEAST_SUM = 100;

/** A last value that is the sum of all before it is their total. */
function sumOfOthers(field: string, entries: readonly Entry[]): Objection | undefined {
  const last = entries.at(-1);
  if (!isDayTotal(field) || last === undefined || entries.length <= ENOUGH_PERIODS)
    return undefined;
  const sum = entries.slice(0, -1).reduce((all, entry) => all + (numberIn(entry, field) ?? 0), 0);
  const value = numberIn(last, field) ?? 0;
  if (value < LEAST_SUM || Math.abs(value - sum) > 1e-6 * sum) return undefined;
  return ofDays(field, [last], `${firstOf(field, [last])}, the sum of the values before it`);
}

function ofDays(field: string, entries: readonly Entry[], found: string): Objection {
  const confirm = `--unit ${field}=day confirms those of a day`;
  return { field, entries, found, is: 'days', whole: { confirm } };
}

function firstOf(field: string, [first, ...others]: readonly Entry[]): string {
  const value = first === undefined ? '' : numberIn(first, field);
  const count = (others.length + 1).toLocaleString('en-US');
  return others.length === 0
    ? `is ${value} on ${first?.date ?? ''}`
    : `is ${value} (${count} values of this kind)`;
}

/** Values in an unknown unit were left out when they were read. */
export function withoutUnit(entries: readonly Entry[], { fieldUnits }: FileFacts): Objection[] {
  const found: Objection[] = [];
  for (const [field, how] of fieldUnits?.unstated ?? []) {
    const [own = '', other] = Object.keys(unitsOf(field));
    const lacks = 'the file does not state its unit';
    if (how === 'left') {
      const confirm = `--unit ${field}=${own} or --unit ${field}=${other ?? ''} names it`;
      found.push({ field, entries: [], found: lacks, is: 'unit', whole: { confirm } });
    }
    const read = entries.filter((entry) => numberIn(entry, field) !== undefined);
    if (how !== 'assumed' || read.length === 0) continue;
    const confirm = `--unit ${field}=${other === undefined ? `${own} confirms it` : `${other} converts`}`;
    found.push({
      field,
      entries: read,
      found: `${lacks}: read as ${own}`,
      is: 'sent',
      whole: { confirm },
    });
  }
  return found;
}
