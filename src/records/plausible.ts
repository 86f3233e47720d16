import { KG_PER_POUND, ML_PER_FLUID_OUNCE } from '../base/units.ts';
import { SUMMED_TOTALS } from './fields.ts';
import { joinPointer } from './listed.ts';
import type { JsonObject, JsonValue } from './types.ts';
import { type Notes, type ReadFields, isObject } from './values.ts';

/**
 * Notes values within their range that are probably in another unit, or contradict each other. They are
 * sent, because only the athlete knows; `--strict` refuses them.
 */

const SENT = 'Sent as it is';

/** Returns a doubt about a value, with the likely unit; undefined for a plausible value. */
type Doubt = (value: number) => string | undefined;

const HOUR_SECS = 3_600;
const DAY_HOURS = 24;
const DAY_MINUTES = 1_440;
/** Shortest sleep without a note (s). */
const SHORT_SLEEP_SECS = 1_800;
/** Highest body weight without a note (kg). */
const HEAVY_KG = 150;
/** Smallest amount of water without a note (ml): a mouthful. */
const LITTLE_WATER_ML = 50;
/** More litres than anyone drinks in a day. */
const MAX_LITRES = 15;
/** Largest amount of a macronutrient in one item without a note (g). */
const MUCH_MACRO_G = 2_000;
/** Most energy of one item without a note (kcal). */
const MUCH_ENERGY_KCAL = 20_000;

const aboutSleep: Doubt = (secs) => {
  if (secs === 0 || secs >= SHORT_SLEEP_SECS) return undefined;
  const inSeconds = (unit: string, factor: number) =>
    `is ${secs} s: ${unit}? That would be ${Math.round(secs * factor)} s`;
  if (secs <= DAY_HOURS) return inSeconds('hours', HOUR_SECS);
  if (secs <= DAY_MINUTES) return inSeconds('minutes', 60);
  return `is ${secs} s: a sleep of ${Math.round(secs / 60)} minutes`;
};

const aboutWeight: Doubt = (kg) =>
  kg > HEAVY_KG
    ? `is ${kg} kg: pounds? That would be ${(kg * KG_PER_POUND).toFixed(1)} kg`
    : undefined;

/** Notes a weight whose unit the file does not state. @param last the weight that was sent last, or that the profile holds (kg) */
export function noteBareWeight(record: JsonValue, last: number | undefined, notes: Notes): void {
  const kg = isObject(record) ? record['weight'] : undefined;
  if (typeof kg !== 'number') return;
  const isFar = last !== undefined && Math.abs(kg - last) > last / 4;
  if (!notes.isStrict && !isFar) return;
  const sent = isFar ? `, and the weight before was ${last} kg` : '';
  const found = () => `is ${kg} of no stated unit${sent}. A column "unit" with kg or lb states it`;
  notes.doubt('weight unit', 'weight', found, SENT);
}

const aboutWater: Doubt = (ml) => {
  if (ml === 0 || ml >= LITTLE_WATER_ML) return undefined;
  const [unit, factor] =
    ml <= MAX_LITRES ? ['litres', 1_000] : ['fluid ounces', ML_PER_FLUID_OUNCE];
  return `is ${ml} ml: ${unit}? That would be ${Math.round(ml * factor)} ml`;
};

const aboutMacro: Doubt = (grams) =>
  grams > MUCH_MACRO_G
    ? `is ${grams} g in one item: milligrams? That would be ${Number((grams / 1_000).toPrecision(4))} g`
    : undefined;

const aboutEnergy: Doubt = (kcal) =>
  kcal > MUCH_ENERGY_KCAL
    ? `is ${kcal} kcal in one item: calories? That would be ${Number((kcal / 1_000).toPrecision(4))} kcal`
    : undefined;

const WELLNESS_DOUBTS = {
  sleepSecs: aboutSleep,
  weight: aboutWeight,
  hydrationVolume: aboutWater,
};

const DAY_DOUBTS = { waterMl: aboutWater };

const ITEM_DOUBTS = {
  carbs: aboutMacro,
  protein: aboutMacro,
  fat: aboutMacro,
  calories: aboutEnergy,
};

type Fields = Pick<ReadFields, 'known' | 'spellings'>;

/**
 * Notes implausible values of a wellness record.
 *
 * @param record as it is written
 */
export function noteImplausibleWellness(fields: Fields, record: JsonObject, notes: Notes): void {
  noteDoubts(fields, WELLNESS_DOUBTS, record, notes);
  const [systolic, diastolic] = [numberIn(fields, 'systolic'), numberIn(fields, 'diastolic')];
  if (systolic !== undefined && diastolic !== undefined && diastolic >= systolic) {
    const found = () => `is ${diastolic}, and systolic is ${systolic}: are they swapped?`;
    notes.doubt('blood pressure', spellingOf(fields, 'diastolic'), found, SENT);
  }
  notePhases(fields, notes);
}

/** Notes implausible values of a nutrition day, and totals that contradict its items. */
export function noteImplausibleDay(
  fields: Fields,
  items: readonly JsonObject[],
  record: JsonObject,
  notes: Notes,
): void {
  noteDoubts(fields, DAY_DOUBTS, record, notes);
  for (const name of SUMMED_TOTALS) {
    const total = numberIn(fields, name);
    if (total !== undefined) noteTotal(name, total, items, spellingOf(fields, name), notes);
  }
}

/** Notes implausible values of a nutrition item. @param path its place in the record */
export function noteImplausibleItem(
  fields: Fields,
  item: JsonObject,
  path: string,
  notes: Notes,
): void {
  noteDoubts(fields, ITEM_DOUBTS, item, notes, path);
}

function noteDoubts(
  fields: Fields,
  doubts: Readonly<Record<string, Doubt>>,
  record: JsonObject,
  notes: Notes,
  path = '',
): void {
  for (const name in doubts) {
    const value = numberIn(fields, name);
    if (value === undefined) continue;
    // As it is written: 2.5 l are not 3 l, even if the field takes whole numbers only.
    const spelling = spellingOf(fields, name);
    const written = record[spelling];
    const found = doubts[name]?.(typeof written === 'number' ? written : value);
    if (found === undefined) continue;
    const field = joinPointer(path, spelling);
    notes.doubt(`implausible ${name}`, field, () => found, SENT);
  }
}

/** Rounding of the phases of a sleep. */
const PHASE_TOLERANCE = 1.05;

function notePhases(fields: Fields, notes: Notes): void {
  const sleep = numberIn(fields, 'sleepSecs');
  if (sleep === undefined) return;
  const phases = ['sleepDeepSecs', 'sleepRemSecs', 'sleepLightSecs'].reduce(
    (sum, name) => sum + (numberIn(fields, name) ?? 0),
    0,
  );
  if (phases <= sleep * PHASE_TOLERANCE) return;
  const found = () => `is ${sleep} s, and deep, REM and light sleep are ${phases} s together`;
  notes.doubt('sleep phases', spellingOf(fields, 'sleepSecs'), found, SENT);
}

/** A total is noted if it differs from the sum of the items by more than this factor... */
const TOTAL_FACTOR = 2;
/** ...and by more than this: small amounts are often not logged (g, kcal). */
const SMALL_TOTAL = { calories: 200, other: 20 };

function noteTotal(
  name: string,
  total: number,
  items: readonly JsonObject[],
  field: string,
  notes: Notes,
): void {
  const stated = items.map((item) => item[name]).filter((value) => typeof value === 'number');
  if (stated.length === 0) return;
  const sum = Number(stated.reduce((all, value) => all + value, 0).toPrecision(6));
  const small = name === 'calories' ? SMALL_TOTAL.calories : SMALL_TOTAL.other;
  // An item that does not state the field may be the rest of a higher total.
  const isTooHigh = stated.length === items.length && total > sum * TOTAL_FACTOR;
  const isTooLow = total * TOTAL_FACTOR < sum;
  if (!(isTooHigh || isTooLow) || Math.abs(total - sum) <= small) return;
  const found = () => `is ${total}, and the items add up to ${sum}. A total overrides the items`;
  notes.doubt(`total ${name}`, field, found, SENT);
}

function numberIn({ known }: Fields, name: string): number | undefined {
  const value = known[name];
  return typeof value === 'number' ? value : undefined;
}

/** Returns a field's name as the record spells it. */
function spellingOf({ spellings }: Fields, name: string): string {
  return spellings.get(name) ?? name;
}
