import {
  KCAL_PER_KJ,
  KG_PER_POUND,
  ML_PER_FLUID_OUNCE,
  MMOL_PER_MG_OF_LACTATE,
} from '../base/units.ts';
import { SUMMED_TOTALS, unitNameOf } from './fields.ts';
import { joinPointer } from './listed.ts';
import { plain } from './names.ts';
import type { JsonObject, JsonValue } from './types.ts';
import type { Notes } from './notes.ts';
import { type ReadFields, isObject, scalarText, show } from './values.ts';

/**
 * Notes values within their range that are probably in another unit, which are left out, or contradict
 * each other, which are sent, because only the athlete knows. `--strict` refuses both.
 */

const SENT = 'Sent as it is';

/** A limit beyond which values are in doubt, and their likely unit. Zero is no value. */
interface UnitDoubt {
  readonly above?: number;
  readonly below?: number;
  readonly unit: string;
  /** Gives the value in the platform's unit. */
  readonly factor?: number;
  /** `sent`: athletes have such values. `days`: perhaps a total of several days. */
  readonly is?: 'sent' | 'days';
}

type UnitDoubts = Readonly<Record<string, readonly UnitDoubt[]>>;

const WATER: readonly UnitDoubt[] = [
  { below: 15.1, unit: 'litres', factor: 1_000 },
  { below: 130, unit: 'fluid ounces', factor: ML_PER_FLUID_OUNCE },
];

const LEAST_WEIGHT_KG = 35;

const WELLNESS_DOUBTS: UnitDoubts = {
  sleepSecs: [
    { below: 24.1, unit: 'hours', factor: 3_600 },
    { below: 1_441, unit: 'minutes', factor: 60 },
    { below: 1_800, unit: 'a nap', is: 'sent' },
  ],
  weight: [
    { below: LEAST_WEIGHT_KG, unit: 'converted twice' },
    { above: 150, unit: 'pounds', factor: KG_PER_POUND, is: 'sent' },
  ],
  hydrationVolume: WATER,
  hrv: [{ below: 6, unit: 'a logarithm (ln RMSSD)' }],
  abdomen: [{ below: 50, unit: 'inches', factor: 2.54 }],
  lactate: [{ above: 10, unit: 'milligrams a decilitre', factor: MMOL_PER_MG_OF_LACTATE }],
  exerciseMinutes: [{ above: 960, unit: 'seconds', factor: 1 / 60 }],
  totalCaloriesBurned: [{ above: 8_000, unit: 'kilojoules', factor: KCAL_PER_KJ }],
  activeCaloriesBurned: [{ above: 6_000, unit: 'kilojoules', factor: KCAL_PER_KJ }],
};

const MACRO: readonly UnitDoubt[] = [{ above: 2_000, unit: 'milligrams', factor: 0.001 }];
const ITEM_DOUBTS: UnitDoubts = {
  carbs: MACRO,
  protein: MACRO,
  fat: MACRO,
  calories: [
    { above: 20_000, unit: 'calories', factor: 0.001 },
    { above: 12_000, unit: 'the food of several days', is: 'days' },
  ],
};

/** The weights of one input so far (kg). */
export interface Weights {
  /** The latest weight that was near to a weight before it. */
  near?: number;
  last?: number;
}

/**
 * Notes a weight that differs by a quarter from the weights before it. If no other weight of the input is
 * near, it is left out.
 *
 * @param sent the weight that was sent last, or that the profile holds (kg)
 */
export function noteFarWeight(
  record: JsonValue,
  sent: number | undefined,
  weights: Weights,
  notes: Notes,
): void {
  const kg = isObject(record) ? record['weight'] : undefined;
  if (typeof kg !== 'number' || kg < LEAST_WEIGHT_KG) return;
  const isFar = (other = kg) => Math.abs(kg - other) > other / 4;
  const found = (other?: number) => () => `is ${kg} kg, and the weight before was ${other} kg`;
  const { near, last = near } = weights;
  if (isFar(near) && isFar(last)) notes.doubtUnit('weight', 'weight', found(near));
  else weights.near = kg;
  if (isFar(sent)) notes.doubt('far weight', 'weight', found(sent), SENT);
  weights.last = kg;
}

const PLANNED = /^(?:goal|target|plan(?:ned)?|forecast|prediction|predicted)$/i;
/** Words for a value of several days, in members that state the period: a mood may be "average", too. */
const OF_DAYS =
  /^(?:(?:\d+-day |weekly |monthly )?(?:average|avg|mean)|week(?:ly)?|month(?:ly)?)$/i;
const PERIOD =
  /^(?:period|type|kind|aggregat|interval|granularity|resolution|frequency|range|window|span|statistic|summary|scope)/;
/** Members that take a record back if they are true, or false. */
const IS_NOT = /^(?:is)?(?:deleted|goal|target|planned|forecast|predicted)$/i;
const IS = /^(?:is|was)?(?:eaten|consumed)$/i;

/**
 * Notes a problem: a member that says that its record was planned, taken back, or of several days.
 *
 * @param path the record's own place
 */
export function notePlan(
  unknown: readonly string[],
  record: JsonObject,
  notes: Notes,
  path = '',
): void {
  const name = unknown.find((each) => {
    const value = record[each];
    if (typeof value === 'boolean') return (value ? IS_NOT : IS).test(plain(each));
    const text = scalarText(value);
    return PLANNED.test(text) || (OF_DAYS.test(text) && PERIOD.test(plain(each)));
  });
  if (name === undefined) return;
  notes.problem(
    joinPointer(path, name),
    `is ${show(record[name] ?? null)}: only what was measured or eaten on the day is sent`,
  );
}

type Members = Pick<ReadFields, 'known' | 'spellings'>;

/**
 * Notes implausible values of a wellness record.
 *
 * @param record as it is written
 */
export function noteImplausibleWellness(fields: Members, record: JsonObject, notes: Notes): void {
  noteUnits(fields, WELLNESS_DOUBTS, record, notes);
  noteDistance(fields, notes);
  const [active = 0, total = active] = ['active', 'total'].map((kind) =>
    numberIn(fields, `${kind}CaloriesBurned`),
  );
  if (active > total) {
    const found = () => `is ${total} kcal, and the active part of it ${active} kcal`;
    notes.doubt('energy', spellingOf(fields, 'totalCaloriesBurned'), found, SENT);
  }
  const [systolic, diastolic] = [numberIn(fields, 'systolic'), numberIn(fields, 'diastolic')];
  if (systolic !== undefined && diastolic !== undefined && diastolic >= systolic) {
    const found = () => `systolic is ${systolic}, and diastolic is ${diastolic}: are they swapped?`;
    for (const name of ['systolic', 'diastolic'])
      notes.leaveOut(name, spellingOf(fields, name), found);
  }
  notePhases(fields, notes);
}

/** Notes implausible values of a nutrition day, and totals that contradict its items. */
export function noteImplausibleDay(
  fields: Members,
  items: readonly JsonObject[],
  record: JsonObject,
  notes: Notes,
): void {
  noteUnits(fields, { waterMl: WATER }, record, notes);
  noteEnergy(fields, '', notes);
  for (const name of SUMMED_TOTALS) {
    const total = numberIn(fields, name);
    if (total !== undefined) noteTotal(name, total, items, spellingOf(fields, name), notes);
  }
}

/** Notes implausible values of a nutrition item. @param path its place in the record */
export function noteImplausibleItem(
  fields: Members,
  item: JsonObject,
  path: string,
  notes: Notes,
): void {
  noteUnits(fields, ITEM_DOUBTS, item, notes, path);
  noteEnergy(fields, path, notes);
}

/** Energy of an item in kilojoules is about this many times that of its macronutrients (kcal). */
const KILOJOULES = { least: 3.3, most: 6.5 };
/** Least energy of macronutrients that shows it (kcal): alcohol has none. */
const MUCH_MACROS_KCAL = 100;

function noteEnergy(fields: Members, path: string, notes: Notes): void {
  const [kcal = 0, carbs = 0, protein = 0, fat = 0] = ['calories', 'carbs', 'protein', 'fat'].map(
    (name) => numberIn(fields, name),
  );
  const sum = 4 * carbs + 4 * protein + 9 * fat;
  const { least, most } = KILOJOULES;
  if (sum < MUCH_MACROS_KCAL || kcal < sum * least || kcal > sum * most) return;
  const found = () =>
    `is ${kcal} kcal, and its carbs, protein and fat have ${Math.round(sum)} kcal: kilojoules?`;
  notes.doubtUnit('calories', joinPointer(path, spellingOf(fields, 'calories')), found);
}

/** A walk of this many steps is longer than {@link SHORT_WALK_M}. */
const MANY_STEPS = 1_000;
const SHORT_WALK_M = 100;

function noteDistance(fields: Members, notes: Notes): void {
  const [metres = 0, steps] = ['distanceMeters', 'steps'].map((name) => numberIn(fields, name));
  if (metres === 0 || metres >= SHORT_WALK_M || (steps ?? Infinity) <= MANY_STEPS) return;
  const found = () =>
    `is ${metres} m${steps === undefined ? '' : ` in ${steps} steps`}: kilometres or miles?`;
  notes.doubtUnit('distanceMeters', spellingOf(fields, 'distanceMeters'), found);
}

function noteUnits(
  fields: Members,
  doubts: UnitDoubts,
  record: JsonObject,
  notes: Notes,
  path = '',
): void {
  for (const name in doubts) {
    const known = numberIn(fields, name);
    if (known === undefined || known === 0) continue;
    // Not rounded: 2.5 l are not 3 l, even if the field takes whole numbers only.
    const spelling = spellingOf(fields, name);
    const written = record[spelling];
    const value = typeof written === 'number' ? written : known;
    const isBeyond = ({ above = Infinity, below = -Infinity }: UnitDoubt) =>
      value > above || value < below;
    const doubt = doubts[name]?.find(isBeyond);
    if (doubt === undefined) continue;
    const own = unitNameOf(name);
    const found = () => {
      const meant = Number((value * (doubt.factor ?? NaN)).toPrecision(4));
      const said = Number.isNaN(meant) ? '' : ` That would be ${meant} ${own}`;
      return `is ${value} ${own}${path === '' ? '' : ' in one item'}: ${doubt.unit}?${said}`;
    };
    const field = joinPointer(path, spelling);
    if (doubt.is === 'sent') notes.doubt(`implausible ${name}`, field, found, SENT);
    else if (doubt.is === 'days') notes.doubtDay(name, field, found);
    else notes.doubtUnit(name, field, found);
  }
}

/** Rounding of the phases of a sleep. */
const PHASE_TOLERANCE = 1.05;

const PHASES = ['sleepDeepSecs', 'sleepRemSecs', 'sleepLightSecs'];

function notePhases(fields: Members, notes: Notes): void {
  const sleep = numberIn(fields, 'sleepSecs');
  const phases = PHASES.reduce((sum, name) => sum + (numberIn(fields, name) ?? 0), 0);
  if (sleep === undefined) {
    for (const name of phases === 0 ? PHASES : []) {
      if (numberIn(fields, name) === undefined) continue;
      notes.leaveOut(name, spellingOf(fields, name), () => 'is 0 s, as all phases of this night');
    }
    return;
  }
  if (phases > 0 && phases < sleep / 10) {
    for (const name of PHASES) {
      const value = numberIn(fields, name);
      if (value === undefined) continue;
      const found = () =>
        `is ${value} s; deep, REM and light sleep are ${phases} s together, of ${sleep} s asleep: minutes?`;
      notes.doubtUnit(name, spellingOf(fields, name), found);
    }
  }
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

function numberIn({ known }: Members, name: string): number | undefined {
  const value = known[name];
  return typeof value === 'number' ? value : undefined;
}

function spellingOf({ spellings }: Members, name: string): string {
  return spellings.get(name) ?? name;
}
