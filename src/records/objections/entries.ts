import {
  KCAL_PER_KJ,
  KG_PER_POUND,
  ML_PER_FLUID_OUNCE,
  MMOL_PER_MG_OF_LACTATE,
} from '../../base/units.ts';
import { SUMMED_TOTALS, WELLNESS_FIELDS, isDayTotal, unitNameOf, unitsOf } from '../fields.ts';
import type { DayDraft, Entry } from '../types.ts';
import { type FileFacts, type Objection, HOUR_SECS, about, numberIn } from './objection.ts';

/** Objections to single values: limits, contradictions within a day or an item, and weights far from others. */

const LEAST_WEIGHT_KG = 35;

/** Returns whether a weight differs by more than a quarter from the one before: it may be in another unit. */
export function isFarWeight(kg: number, before = kg): boolean {
  return Math.abs(kg - before) > before / 4;
}

/**
 * Weights that differ by a quarter from those before them. If no other weight of the input is near, it is
 * left out; the weight that was sent last, or that the profile holds, may be old, unless the number is near to it in
 * another unit than the remembered one.
 */
export function farWeights(
  days: readonly Entry[],
  { lastWeight, fieldUnits }: FileFacts,
): Objection[] {
  const unit = fieldUnits?.units.get('weight');
  const { name, factor: read = 1 } = unit?.isRemembered ? unit : {};
  const as =
    name === undefined ? '' : `, read as ${name}, the unit that you named for such files before`;
  const unitNear = (kg: number) =>
    Object.entries(name === undefined ? {} : unitsOf('weight')).find(
      ([, factor]) => !isFarWeight((kg / read) * factor, lastWeight),
    )?.[0];
  const found: Objection[] = [];
  /** The latest weight that was near to a weight before it. */
  let near: number | undefined;
  let last: number | undefined;
  for (const entry of days) {
    const kg = numberIn(entry, 'weight');
    if (kg === undefined) continue;
    const before = (other?: number) => `is ${kg} kg${as}, and the weight before was ${other} kg`;
    const other = isFarWeight(kg, lastWeight) ? unitNear(kg) : undefined;
    if (other !== undefined) {
      const objection = about('weight', entry, `${before(lastWeight)}: ${other}?`, 'unit');
      found.push({ ...objection, likely: other });
    }
    if (kg < LEAST_WEIGHT_KG) continue;
    if (isFarWeight(kg, near) && isFarWeight(kg, last ?? near))
      found.push(about('weight', entry, before(near), 'unit'));
    else near = kg;
    if (isFarWeight(kg, lastWeight)) found.push(about('weight', entry, before(lastWeight), 'sent'));
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
  { above: 40_000, unit: 'microlitres', factor: 0.001 },
];
const HRV: readonly Limit[] = [{ below: 6, unit: 'a logarithm (ln RMSSD)' }];
const kilojoules = (above: number): readonly Limit[] => [
  { above, unit: 'kilojoules', factor: KCAL_PER_KJ },
];
const MOST_MACRO_G = 2_000;
const macros = (above: number) => {
  const limits: readonly Limit[] = [{ above, unit: 'milligrams', factor: 0.001 }];
  return { carbs: limits, protein: limits, fat: limits };
};

/** A time below this is of minutes, if it is that of a whole night. */
const MINUTES_OF_DAY = 1_441;
const MOST_ENERGY_KCAL = 8_000;

const MANY_FOODS: Limit = { above: 12_000, unit: 'the food of several days', is: 'days' };

const DAY_LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  steps: [{ above: 100_000, unit: 'of several days', is: 'days' }],
  ...macros(3_000),
  calories: [MANY_FOODS],
  sleepSecs: [
    { below: 24.1, unit: 'hours', factor: HOUR_SECS },
    { below: MINUTES_OF_DAY, unit: 'minutes', factor: 60 },
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
  totalCaloriesBurned: kilojoules(MOST_ENERGY_KCAL),
  activeCaloriesBurned: kilojoules(6_000),
  restingCaloriesBurned: kilojoules(4_500),
};

const ITEM_LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  ...macros(MOST_MACRO_G),
  calories: [{ above: 20_000, unit: 'calories', factor: 0.001 }, MANY_FOODS],
};

const PHASES = ['sleepDeepSecs', 'sleepRemSecs', 'sleepLightSecs'];

const DAY_JUDGES: readonly ((day: Entry) => Objection[])[] = [
  (day) => beyondLimits(day, DAY_LIMITS),
  notMeasured,
  distance,
  contradictions,
  nightOf,
];

export function ofEntries(entries: readonly Entry[]): Objection[] {
  const days = entries.filter((entry): entry is DayDraft => 'items' in entry);
  const items = days.flatMap((day) => day.items ?? []);
  const ofDays = days.flatMap((day) => DAY_JUDGES.flatMap((judge) => judge(day)));
  const ofItems = items.flatMap((item) => [...beyondLimits(item, ITEM_LIMITS), ...sugar(item)]);
  const ofTotals = days.flatMap((day) => totalsOf(day, day.items ?? []));
  return [...ofDays, ...ofItems, ...ofTotals];
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
    const text = `is ${total} kcal, and the ${part} part of it ${kcal} kcal`;
    if (kcal > total) found.push(about('totalCaloriesBurned', entry, text, 'sent'));
    const isPart = kcal > 0 && total > MOST_ENERGY_KCAL && total < Infinity;
    const whole = `is ${kcal} kcal, of ${total} kcal in all: kilojoules?`;
    if (isPart) found.push(about(`${part}CaloriesBurned`, entry, whole, 'unit'));
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
  const stated = numberIn(entry, 'sleepSecs');
  const sleep = (stated ?? 0) < MINUTES_OF_DAY ? undefined : stated;
  const isShort = stated !== undefined && stated > 0 && sleep === undefined;
  const awake = numberIn(entry, 'sleepAwakeSecs') ?? 0;
  const isOfMinutes = awake > 0 && awake < SHORT_AWAKE_SECS && awake % 60 !== 0;
  const found: Objection[] = [];
  if (isOfMinutes && (sleep ?? phases) >= LONG_NIGHT_SECS) {
    const text = `is ${awake} s in a night of ${sleep ?? phases} s: minutes?`;
    found.push(about('sleepAwakeSecs', entry, text, 'unit'));
  }
  const inShort = `is ${awake} s, in ${stated} s asleep: minutes?`;
  if (isShort && awake > 0) found.push(about('sleepAwakeSecs', entry, inShort, 'unit'));
  const each = (text: (value: number | undefined) => string, is: Objection['is']) =>
    own.map((field) => about(field, entry, text(numberIn(entry, field)), is));
  const together = `deep, REM and light sleep are ${phases} s together`;
  if (sleep === undefined) {
    if (phases === 0) found.push(...each(() => 'is 0 s, as all phases of this night', 'wrong'));
    else if ((own.length > 1 || isShort) && phases < MINUTES_OF_DAY)
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

/** Of fewer, most may be such foods by chance. */
const ENOUGH_FOODS = 3;

/** One food may contradict its macronutrients: alcohol, sweeteners. If most do, the energy is wrong. */
export function energyOfMacros(entries: readonly Entry[]): Objection[] {
  const known = entries.flatMap((entry) => {
    const kcal = numberIn(entry, 'calories');
    const stated = ['carbs', 'protein', 'fat'].map((field) => numberIn(entry, field));
    const [carbs = 0, protein = 0, fat = 0] = stated;
    const macros = 4 * carbs + 4 * protein + 9 * fat;
    const isClear = macros >= MUCH_MACROS_KCAL && Math.max(carbs, protein, fat) <= MOST_MACRO_G;
    // Energy above that of some macronutrients may be that of the others.
    const most = stated.includes(undefined) ? Infinity : KILOCALORIES.most;
    return kcal === undefined || !isClear ? [] : [{ entry, kcal, macros, most }];
  });
  const isOdd = ({ kcal, macros, most }: (typeof known)[number]) =>
    !isWithin(kcal / macros, { ...KILOCALORIES, most });
  const odd = known.filter(isOdd);
  const isMost = odd.length >= ENOUGH_FOODS && odd.length * 2 > known.length;
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
