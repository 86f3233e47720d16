import {
  KCAL_PER_KJ,
  KG_PER_POUND,
  ML_PER_FLUID_OUNCE,
  MMOL_PER_MG_OF_LACTATE,
} from '../base/units.ts';
import { groupBy } from '../base/group-by.ts';
import {
  SUMMED_TOTALS,
  WELLNESS_FIELDS,
  highestOf,
  isDayTotal,
  unitNameOf,
  unitsOf,
} from './fields.ts';
import type { Match } from './sources/types.ts';
import type { Entry, FieldUnits, RecordOptions, SourceOptions } from './types.ts';

/**
 * Finds values within their range that are not what their field says: in another unit, of several days, or
 * in contradiction to others. Every judge sees all values of the input.
 */

/** Facts about the file, and the user's word about it. Records in the platform's form have no source. */
export interface FileFacts
  extends
    Partial<Match>,
    Pick<SourceOptions, 'units' | 'ofDay'>,
    Pick<RecordOptions, 'lastWeight'> {
  readonly fieldUnits?: FieldUnits | undefined;
}

export interface Objection {
  readonly field: string;
  readonly entries: readonly Entry[];
  readonly found: string;
  /**
   * `unit`: perhaps in another unit or scale, `days`: perhaps of several days, `wrong`: no word of the user
   * settles it. These values are left out. `sent`: athletes have such values, or it is not known which is wrong.
   */
  readonly is: 'unit' | 'days' | 'wrong' | 'sent';
  /** It is about all values of the field, and has one note: with what to type, if that helps. */
  readonly whole?: { readonly confirm?: string };
}

/** Returns a number of an entry, not rounded; undefined if it has none. */
function numberIn({ values, exact }: Entry, field: string): number | undefined {
  const value = values[field];
  return typeof value === 'number' ? (exact.get(field) ?? value) : undefined;
}

type Judge = (days: readonly Entry[], facts: FileFacts, columns: Columns) => Objection[];
type Columns = ReadonlyMap<string, readonly Entry[]>;
type ColumnJudge = (
  field: string,
  entries: readonly Entry[],
  facts: FileFacts,
  columns: Columns,
) => Objection | undefined;

/** Returns the objections to the values of an input. Values that the user confirmed have none. */
export function objectionsTo(entries: readonly Entry[], facts: FileFacts): Objection[] {
  const days = entries.filter(({ path }) => path === '');
  const names = new Set(days.flatMap(({ values }) => Object.keys(values)));
  const columns: Columns = new Map(
    [...names].map((field) => [field, days.filter((day) => numberIn(day, field) !== undefined)]),
  );
  const ofColumns = [...columns].flatMap(([field, column]) =>
    COLUMN_JUDGES.flatMap((judge) => judge(field, column, facts, columns) ?? []),
  );
  const ofValues = JUDGES.flatMap((judge) => judge(entries, facts, columns));
  const all = [...ofColumns, ...ofValues, ...mostInDoubt(ofValues, columns)];
  return all.filter(({ field, is }) => !isConfirmed(field, is, facts));
}

/** If most values of a field are perhaps in another unit, all are. */
function mostInDoubt(objections: readonly Objection[], columns: Columns): Objection[] {
  const doubts = objections.filter(({ is, whole }) => is === 'unit' && whole === undefined);
  return [...groupBy(doubts, ({ field }) => field)].flatMap(([field, all]) => {
    const doubted = new Set(all.flatMap(({ entries }) => entries));
    const rest = (columns.get(field) ?? []).filter((entry) => !doubted.has(entry));
    if (doubted.size < 2 || doubted.size <= rest.length) return [];
    const why = `and most values of the field are in doubt: one ${all[0]?.found ?? ''}`;
    return rest.map((entry) =>
      about(field, entry, `is ${numberIn(entry, field) ?? ''}, ${why}`, 'unit'),
    );
  });
}

/** Records in the platform's form are not converted, so that only its own unit confirms them. */
function isConfirmed(field: string, is: Objection['is'], facts: FileFacts): boolean {
  const { mapping, units, ofDay } = facts;
  if (is === 'days') return ofDay?.has(field) === true;
  if (is !== 'unit') return false;
  return mapping === undefined ? units?.get(field)?.factor === 1 : units?.has(field) === true;
}

const COLUMN_JUDGES: readonly ColumnJudge[] = [
  otherMeaning,
  elsewhere,
  lowScale,
  scoreForHrv,
  hoursAndMinutes,
  sumsOfPeriods,
  runningTotal,
  sumOfOthers,
  unlikelyTotal,
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
function elsewhere(field: string, entries: readonly Entry[]): Objection | undefined {
  const rule = WELLNESS_FIELDS[field];
  const other = rule !== undefined && 'elsewhere' in rule ? rule.elsewhere : undefined;
  if (other === undefined) return undefined;
  const beyond = entries.filter((entry) => (numberIn(entry, field) ?? 0) >= other.min);
  if (beyond.length === 0) return undefined;
  const confirm = other.scale && `--unit ${field}=${other.scale} converts points of 100`;
  return {
    field,
    entries: beyond.length * 2 > entries.length ? entries : beyond,
    found: `${firstOf(field, beyond)}; ${other.found}`,
    is: 'wrong',
    whole: confirm === undefined ? {} : { confirm },
  };
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
  return isOwn
    ? { ...about, is: 'sent', whole: { confirm: `--unit ${field}=/100 confirms them` } }
    : {
        ...about,
        is: 'unit',
        whole: { confirm: `--unit ${field}=/10 converts them if they are of 10` },
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
  if (field !== 'hrv' || readiness === undefined || facts.fieldUnits?.stated.has(field))
    return undefined;
  if (lowScale('readiness', readiness, facts)?.is !== 'unit') return undefined;
  const found = 'is a score, as the readiness is, or ms';
  return { field, entries, found, is: 'unit', whole: { confirm: '--unit hrv=ms sends it' } };
}

/** Fewer nights may end before the 36th minute by chance. */
const ENOUGH_NIGHTS = 8;
const HOUR_SECS = 3_600;

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

/** More than this is no athlete's day (steps, kcal eaten). */
const MOST_A_DAY: Readonly<Record<string, number>> = { steps: 100_000, calories: 12_000 };

function unlikelyTotal(field: string, entries: readonly Entry[]): Objection | undefined {
  const most = MOST_A_DAY[field] ?? Infinity;
  const beyond = entries.filter((entry) => (numberIn(entry, field) ?? 0) > most);
  if (beyond.length === 0) return undefined;
  return ofDays(field, beyond, `${firstOf(field, beyond)}: of several days?`);
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

const JUDGES: readonly Judge[] = [withoutUnit, farWeights, ofEntries, energyOfMacros];

/** Values in an unknown unit were left out when they were read. */
function withoutUnit(entries: readonly Entry[], { fieldUnits }: FileFacts): Objection[] {
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

const LEAST_WEIGHT_KG = 35;

/**
 * Weights that differ by a quarter from those before them. If no other weight of the input is near, it is
 * left out; the weight that was sent last, or that the profile holds, may be old.
 */
function farWeights(days: readonly Entry[], { lastWeight }: FileFacts): Objection[] {
  const found: Objection[] = [];
  /** The latest weight that was near to a weight before it. */
  let near: number | undefined;
  let last: number | undefined;
  for (const entry of days) {
    const kg = numberIn(entry, 'weight');
    if (kg === undefined || kg < LEAST_WEIGHT_KG) continue;
    const isFar = (other = kg) => Math.abs(kg - other) > other / 4;
    const before = (other?: number) => `is ${kg} kg, and the weight before was ${other} kg`;
    if (isFar(near) && isFar(last ?? near))
      found.push(about('weight', entry, before(near), 'unit'));
    else near = kg;
    if (isFar(lastWeight)) found.push(about('weight', entry, before(lastWeight), 'sent'));
    last = kg;
  }
  return found;
}

/** A limit beyond which values are in doubt, and their likely unit. Zero is no value. */
interface Limit {
  readonly above?: number;
  readonly below?: number;
  readonly unit: string;
  /** Gives the value in the platform's unit. */
  readonly factor?: number;
  readonly is?: 'sent' | 'days';
}

const WATER: readonly Limit[] = [
  { below: 15.1, unit: 'litres', factor: 1_000 },
  { below: 130, unit: 'fluid ounces', factor: ML_PER_FLUID_OUNCE },
];
const HRV: readonly Limit[] = [{ below: 6, unit: 'a logarithm (ln RMSSD)' }];
const kilojoules = (above: number): readonly Limit[] => [
  { above, unit: 'kilojoules', factor: KCAL_PER_KJ },
];
const MOST_MACRO_G = 2_000;
const MACRO: readonly Limit[] = [{ above: MOST_MACRO_G, unit: 'milligrams', factor: 0.001 }];

const DAY_LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  sleepSecs: [
    { below: 24.1, unit: 'hours', factor: HOUR_SECS },
    { below: 1_441, unit: 'minutes', factor: 60 },
    { below: 1_800, unit: 'a nap', is: 'sent' },
  ],
  weight: [
    { below: LEAST_WEIGHT_KG, unit: 'converted twice' },
    { above: 150, unit: 'pounds', factor: KG_PER_POUND, is: 'sent' },
  ],
  hydrationVolume: WATER,
  waterMl: WATER,
  hrv: HRV,
  hrvSdnn: HRV,
  abdomen: [{ below: 50, unit: 'inches', factor: 2.54 }],
  lactate: [{ above: 10, unit: 'milligrams a decilitre', factor: MMOL_PER_MG_OF_LACTATE }],
  exerciseMinutes: [{ above: 960, unit: 'seconds', factor: 1 / 60 }],
  totalCaloriesBurned: kilojoules(8_000),
  activeCaloriesBurned: kilojoules(6_000),
  restingCaloriesBurned: kilojoules(4_500),
};

const ITEM_LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  carbs: MACRO,
  protein: MACRO,
  fat: MACRO,
  calories: [
    { above: 20_000, unit: 'calories', factor: 0.001 },
    { above: 12_000, unit: 'the food of several days', is: 'days' },
  ],
};

const PHASES = ['sleepDeepSecs', 'sleepRemSecs', 'sleepLightSecs'];

/** The judges of a single day, each with the fields of which it needs one. */
const DAY_JUDGES: readonly (readonly [fields: readonly string[], (day: Entry) => Objection[]])[] = [
  [Object.keys(DAY_LIMITS), (day) => beyondLimits(day, DAY_LIMITS)],
  [Object.keys(WELLNESS_FIELDS).filter(isDayTotal), notMeasured],
  [['distanceMeters'], distance],
  [['totalCaloriesBurned', 'systolic'], contradictions],
  [['sleepAwakeSecs', ...PHASES], nightOf],
];

function ofEntries(entries: readonly Entry[], _: FileFacts, columns: Columns): Objection[] {
  const [days, items] = [true, false].map((isDay) =>
    entries.filter(({ path }) => (path === '') === isDay),
  );
  const judges = DAY_JUDGES.filter(([fields]) => fields.some((field) => columns.has(field)));
  const ofDays = (days ?? []).flatMap((day) => judges.flatMap(([, judge]) => judge(day)));
  const ofItems = (items ?? []).flatMap((item) => [
    ...beyondLimits(item, ITEM_LIMITS),
    ...sugar(item),
  ]);
  const placeOf = ({ source, date }: Entry) => `${source} ${date}`;
  const byDay = groupBy(items ?? [], placeOf);
  const ofTotals = (byDay.size === 0 ? [] : (days ?? [])).flatMap((day) =>
    totalsOf(day, byDay.get(placeOf(day)) ?? []),
  );
  return [...ofDays, ...ofItems, ...ofTotals];
}

function about(field: string, entry: Entry, found: string, is: Objection['is']): Objection {
  return { field, entries: [entry], found, is };
}

function beyondLimits(entry: Entry, limits: typeof DAY_LIMITS): Objection[] {
  return Object.keys(entry.values).flatMap((field) => {
    const value = numberIn(entry, field) ?? 0;
    const isBeyond = ({ above = Infinity, below = -Infinity }: Limit) =>
      value !== 0 && (value > above || value < below);
    const limit = limits[field]?.find(isBeyond);
    if (limit === undefined) return [];
    const own = unitNameOf(field);
    const meant = limit.factor && Number((value * limit.factor).toPrecision(4));
    const said = meant === undefined ? '' : ` That would be ${meant} ${own}`;
    const where = entry.path === '' ? '' : ' in one item';
    const found = `is ${value} ${own}${where}: ${limit.unit}?${said}`;
    return [about(field, entry, found, limit.is ?? 'unit')];
  });
}

/** On a day without a step, or with a value of 0 that must be positive, a total of 0 was not measured. */
function notMeasured(entry: Entry): Objection[] {
  const totals = Object.keys(entry.values).filter(
    (field) => field in WELLNESS_FIELDS && isDayTotal(field),
  );
  const isZero = totals.every((field) => numberIn(entry, field) === 0);
  const isUnmeasured = totals.length > 1 && totals.includes('steps');
  if (!isZero || !(isUnmeasured || entry.isUnmeasured)) return [];
  return totals.map((field) => about(field, entry, 'is 0, as all totals of the day', 'wrong'));
}

/** A step is at least this long, and a walk of this many steps longer than 100 m. */
const LEAST_STEP_M = 0.3;
const MANY_STEPS = 1_000;
const SHORT_WALK_M = 100;

function distance(entry: Entry): Objection[] {
  const metres = numberIn(entry, 'distanceMeters') ?? 0;
  const steps = numberIn(entry, 'steps');
  const isShort =
    steps === undefined
      ? metres < SHORT_WALK_M
      : steps > MANY_STEPS && metres < steps * LEAST_STEP_M;
  if (metres === 0 || !isShort) return [];
  const found = `is ${metres} m${steps === undefined ? '' : ` in ${steps} steps`}: kilometres or miles?`;
  return [about('distanceMeters', entry, found, 'unit')];
}

function contradictions(entry: Entry): Objection[] {
  const found: Objection[] = [];
  const total = numberIn(entry, 'totalCaloriesBurned') ?? Infinity;
  for (const part of ['active', 'resting']) {
    const kcal = numberIn(entry, `${part}CaloriesBurned`) ?? 0;
    if (kcal <= total) continue;
    const text = `is ${total} kcal, and the ${part} part of it ${kcal} kcal`;
    found.push(about('totalCaloriesBurned', entry, text, 'sent'));
  }
  const [systolic, diastolic] = ['systolic', 'diastolic'].map((field) => numberIn(entry, field));
  if (systolic !== undefined && diastolic !== undefined && diastolic >= systolic) {
    const text = `systolic is ${systolic}, and diastolic is ${diastolic}: are they swapped?`;
    for (const field of ['systolic', 'diastolic']) found.push(about(field, entry, text, 'wrong'));
  }
  return found;
}

/** Sugar is a part of the carbs, rounding aside. Fibre is not: labels of Europe exclude it. */
function sugar(entry: Entry): Objection[] {
  const [of = 0, carbs = Infinity] = ['sugar', 'carbs'].map((field) => numberIn(entry, field));
  if (of <= carbs * 1.1 + 1) return [];
  return [
    about('sugar', entry, `is ${of} g, and the carbs that it is part of are ${carbs} g`, 'sent'),
  ];
}

/** Rounding of the phases of a sleep. */
const PHASE_TOLERANCE = 1.05;
/** Devices write whole minutes: less than two of them that are none are minutes, in a long night. */
const SHORT_AWAKE_SECS = 120;
const LONG_NIGHT_SECS = 3 * HOUR_SECS;

function nightOf(entry: Entry): Objection[] {
  const own = PHASES.filter((field) => numberIn(entry, field) !== undefined);
  const phases = own.reduce((sum, field) => sum + (numberIn(entry, field) ?? 0), 0);
  const sleep = numberIn(entry, 'sleepSecs');
  const awake = numberIn(entry, 'sleepAwakeSecs') ?? 0;
  const isOfMinutes = awake > 0 && awake < SHORT_AWAKE_SECS && awake % 60 !== 0;
  const found: Objection[] = [];
  if (isOfMinutes && (sleep ?? phases) >= LONG_NIGHT_SECS) {
    const text = `is ${awake} s in a night of ${sleep ?? phases} s: minutes?`;
    found.push(about('sleepAwakeSecs', entry, text, 'unit'));
  }
  const each = (text: (value: number | undefined) => string, is: Objection['is']) =>
    own.map((field) => about(field, entry, text(numberIn(entry, field)), is));
  const together = `deep, REM and light sleep are ${phases} s together`;
  if (sleep === undefined) {
    if (phases === 0) found.push(...each(() => 'is 0 s, as all phases of this night', 'wrong'));
    // The sleep of a whole night in minutes.
    else if (own.length > 1 && phases < 1_441)
      found.push(...each((value) => `is ${value} s; ${together}: minutes?`, 'unit'));
  } else if (phases > 0 && phases < sleep / 10) {
    const text = (value = 0) => `is ${value} s; ${together}, of ${sleep} s asleep: minutes?`;
    found.push(...each(text, 'unit'));
  } else if (phases > sleep * PHASE_TOLERANCE) {
    found.push(about('sleepSecs', entry, `is ${sleep} s, and ${together}`, 'sent'));
  }
  return found;
}

/** A total is noted if it differs from the sum of the items by more than this factor... */
const TOTAL_FACTOR = 2;
/** ...and by more than this: small amounts are often not logged (g, kcal). */
const SMALL_TOTAL = { calories: 200, other: 20 };

function totalsOf(day: Entry, items: readonly Entry[]): Objection[] {
  return SUMMED_TOTALS.flatMap((field) => {
    const total = numberIn(day, field);
    const stated = items.flatMap((item) => numberIn(item, field) ?? []);
    if (total === undefined || stated.length === 0) return [];
    const sum = Number(stated.reduce((all, value) => all + value, 0).toPrecision(6));
    const small = field === 'calories' ? SMALL_TOTAL.calories : SMALL_TOTAL.other;
    // An item that does not state the field may be the rest of a higher total.
    const isTooHigh = stated.length === items.length && total > sum * TOTAL_FACTOR;
    const isTooLow = total * TOTAL_FACTOR < sum;
    if (!(isTooHigh || isTooLow) || Math.abs(total - sum) <= small) return [];
    const found = `is ${total}, and the items add up to ${sum}. A total overrides the items`;
    return [about(field, day, found, 'sent')];
  });
}

/** Least energy of macronutrients that shows a contradiction (kcal): alcohol has none. */
const MUCH_MACROS_KCAL = 100;
/** Energy is about this many times that of its macronutrients; in kilojoules, this many. */
const KILOCALORIES = { least: 0.4, most: 2.5 };
const KILOJOULES = { least: 3.3, most: 6.5 };

/** One food may contradict its macronutrients: alcohol, sweeteners. If most do, the energy is wrong. */
function energyOfMacros(entries: readonly Entry[]): Objection[] {
  const known = entries.flatMap((entry) => {
    const [kcal, carbs = 0, protein = 0, fat = 0] = ['calories', 'carbs', 'protein', 'fat'].map(
      (field) => numberIn(entry, field),
    );
    const macros = 4 * carbs + 4 * protein + 9 * fat;
    const isClear = macros >= MUCH_MACROS_KCAL && Math.max(carbs, protein, fat) <= MOST_MACRO_G;
    return kcal === undefined || !isClear ? [] : [{ entry, kcal, macros }];
  });
  const isOdd = ({ kcal, macros }: (typeof known)[number]) =>
    !isWithin(kcal / macros, KILOCALORIES);
  const odd = known.filter(isOdd);
  const isMost = odd.length >= ENOUGH_PERIODS && odd.length * 2 > known.length;
  return odd.map(({ entry, kcal, macros }) => {
    const isInKilojoules = isWithin(kcal / macros, KILOJOULES);
    const have = `is ${kcal} kcal, and its carbs, protein and fat have ${Math.round(macros)} kcal`;
    const found = isInKilojoules ? `${have}: kilojoules?` : have;
    return about('calories', entry, found, isInKilojoules || isMost ? 'unit' : 'sent');
  });
}

function isWithin(value: number, { least, most }: typeof KILOJOULES): boolean {
  return value >= least && value <= most;
}
