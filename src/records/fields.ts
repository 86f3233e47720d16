import { type Conversion, UNIT_FACTORS } from '../base/units.ts';

/**
 * The fields of a record: their types as deployed services check them, and the range that a human
 * being can have. A value outside its range is a wrong unit or a slip, never a measurement. Ranges
 * are wide on purpose: athletes are not average.
 */

export interface NumberRule {
  readonly type: 'number' | 'integer';
  readonly min: number;
  readonly max: number;
  /** As it stands after a number in a message: `bpm`. */
  readonly unit: string;
  readonly aliases?: readonly string[];
  /** Values outside the range that have another meaning: left out with a note, not refused. */
  readonly elsewhere?: {
    readonly min: number;
    readonly max: number;
    readonly found: string;
    /** The scale that they perhaps have, as in `--unit`. */
    readonly scale?: string;
  };
}

interface PlainRule {
  readonly type: 'text' | 'object';
  readonly aliases?: readonly string[];
}

/** A word of a fixed set, sent in upper case. The service rejects the whole day because of another word. */
export interface WordRule {
  readonly type: 'word';
  readonly known: readonly string[];
  /** Other programs' words for the known ones, in capitals with underscores. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Sent in place of an unknown word, which is left out otherwise. */
  readonly other?: string;
  readonly aliases?: readonly string[];
}

export type FieldRule = NumberRule | PlainRule | WordRule;
export type FieldTable = Readonly<Record<string, FieldRule>>;

type Aliases = readonly string[];

function integer(min: number, max: number, unit: string, aliases: Aliases = []): NumberRule {
  return { type: 'integer', min, max, unit, aliases };
}

function number(min: number, max: number, unit: string, aliases: Aliases = []): NumberRule {
  return { type: 'number', min, max, unit, aliases };
}

const DAY_SECS = 86_400;
const text: PlainRule = { type: 'text' };

/** A sleep phase: no longer than a day. */
function phase(...aliases: string[]): NumberRule {
  return integer(0, DAY_SECS, 's (24 h)', aliases);
}

/** The athlete's own word: 10 is the most of what the name says. */
const rating: NumberRule = {
  ...integer(1, 10, 'points of 10'),
  elsewhere: { min: 10.5, max: Infinity, found: 'the platform takes 1 to 10', scale: '/100' },
};
const score = integer(1, 100, 'points of 100');

/** Returns the highest value of a score; undefined for other fields. */
export function highestOf(field: string): number | undefined {
  const highest = /^points of (\d+)$/.exec(unitNameOf(field))?.[1];
  return highest === undefined ? undefined : Number(highest);
}

/** Interface 2.2 and what deployed services know beyond it. */
export const WELLNESS_FIELDS: FieldTable = {
  // `hrvSdnn` is another field, so `hrv` is the RMSSD, as in all morning measurements.
  hrv: number(1, 500, 'ms', ['hrvRmssd', 'rmssd', 'hrvMs', 'heartRateVariability']),
  hrvSdnn: number(1, 500, 'ms', ['sdnn']),
  restingHr: integer(20, 220, 'bpm', ['restingHeartRate', 'rhr']),
  avgSleepingHr: integer(20, 220, 'bpm', [
    'avgSleepingHeartRate',
    'averageSleepingHr',
    'averageSleepingHeartRate',
  ]),
  sleepSecs: integer(1, DAY_SECS, 's (24 h)', [
    'sleepSeconds',
    'sleepDurationSecs',
    'sleepDurationSeconds',
    'sleepTimeSeconds',
  ]),
  sleepHours: number(0.01, 24, 'h'),
  sleepDeepSecs: phase('sleepDeepSeconds', 'deepSleepSecs', 'deepSleepSeconds'),
  sleepRemSecs: phase('sleepRemSeconds', 'remSleepSecs', 'remSleepSeconds'),
  sleepLightSecs: phase('sleepLightSeconds', 'lightSleepSecs', 'lightSleepSeconds'),
  sleepAwakeSecs: phase('sleepAwakeSeconds', 'awakeSleepSecs', 'awakeSleepSeconds'),
  sleepScore: score,
  sleepQuality: rating,
  readiness: score,
  recoveryScore: score,
  stress: rating,
  mood: rating,
  motivation: rating,
  fatigue: rating,
  soreness: rating,
  weight: number(20, 400, 'kg', ['weightKg', 'weightKilograms', 'bodyWeightKg']),
  bodyFat: number(1, 75, '%', ['bodyFatPercent', 'bodyFatPercentage', 'bodyFatPct', 'fatPercent']),
  abdomen: number(30, 300, 'cm', ['abdomenCm']),
  vo2max: number(5, 100, 'ml/kg/min'),
  // Everesting twice over, and the longest distances ever run and ridden in a day.
  steps: integer(0, 350_000, 'steps', ['stepCount', 'totalSteps']),
  floors: integer(0, 10_000, 'floors', ['floorsClimbed']),
  distanceMeters: number(0, 2_000_000, 'm', ['distanceMetres']),
  exerciseMinutes: integer(0, 1_440, 'min (24 h)'),
  systolic: integer(40, 300, 'mmHg', ['systolicMmhg', 'bpSystolic', 'bloodPressureSystolic']),
  diastolic: integer(20, 200, 'mmHg', ['diastolicMmhg', 'bpDiastolic', 'bloodPressureDiastolic']),
  // Services differ in mmol/l and mg/dl, and say in neither case which.
  bloodGlucose: number(0.5, 1_500, 'mmol/l or mg/dl'),
  lactate: number(0, 50, 'mmol/l'),
  // The deviation from the wearer's own: some devices write the temperature itself.
  skinTemp: {
    ...number(-5, 5, '°C', ['skinTemperature']),
    elsewhere: {
      min: 20,
      max: 45,
      found: 'the platform takes the deviation from the wearer’s own',
    },
  },
  respiration: number(2, 80, 'breaths/min', ['respirationRate', 'respiratoryRate']),
  spO2: number(40, 100, '%', ['spO2Percent', 'oxygenSaturationPercent']),
  restingCaloriesBurned: number(1, 10_000, 'kcal'),
  activeCaloriesBurned: number(0, 30_000, 'kcal'),
  totalCaloriesBurned: number(1, 40_000, 'kcal'),
  // Millilitres or litres: not shown.
  hydrationVolume: number(0, 30_000, 'ml'),
  ctl: number(0, 1_000, 'TSS/day'),
  atl: number(0, 1_000, 'TSS/day'),
  injury: text,
  menstrualPhase: text,
  comments: text,
  rawJson: { type: 'object' },
};

const DAY_TOTALS: ReadonlySet<string> = new Set([
  ...['steps', 'floors', 'distanceMeters', 'exerciseMinutes', 'hydrationVolume'],
  ...['restingCaloriesBurned', 'activeCaloriesBurned', 'totalCaloriesBurned'],
]);

/** The largest integer that the database of a deployed service holds: it answers 500 beyond it. */
export const MAX_INTEGER = 2_147_483_647;

/** Amounts of food have no human range; they are not negative. */
function amount(unit: string, ...aliases: string[]): NumberRule {
  return number(0, Number.MAX_VALUE, unit, aliases);
}

const MACROS: FieldTable = {
  carbs: amount('g', 'carbsG', 'carbsGrams', 'carbohydrates', 'carbohydratesG'),
  protein: amount('g', 'proteinG', 'proteinGrams'),
  fat: amount('g', 'fatG', 'fatGrams'),
};

/** A day's own fields: totals that override the sums of its items (interface 2.3). */
export const NUTRITION_FIELDS: FieldTable = {
  calories: integer(0, MAX_INTEGER, 'kcal', ['kcal', 'caloriesKcal']),
  ...MACROS,
  waterMl: integer(0, MAX_INTEGER, 'ml'),
  rawJson: { type: 'object' },
};

/** The totals that a service works out from the items when they are not given. */
export const SUMMED_TOTALS: readonly string[] = ['calories', 'carbs', 'protein', 'fat'];

export const MEAL: WordRule = {
  type: 'word',
  known: ['BREAKFAST', 'LUNCH', 'DINNER', 'SNACK', 'OTHER'],
  synonyms: {
    SNACKS: 'SNACK',
    MORNING_SNACK: 'SNACK',
    AFTERNOON_SNACK: 'SNACK',
    EVENING_SNACK: 'SNACK',
    SUPPER: 'DINNER',
    BRUNCH: 'LUNCH',
    UNCATEGORIZED: 'OTHER',
  },
  other: 'OTHER',
  aliases: ['mealType'],
};

/** An item's fields, apart from `logged_at`. */
export const ITEM_FIELDS: FieldTable = {
  name: text,
  // Services add the items up, into an integer.
  calories: number(0, MAX_INTEGER, 'kcal', ['kcal', 'caloriesKcal']),
  ...MACROS,
  fiber: amount('g', 'fiberG', 'fibre', 'fibreG'),
  sugar: amount('g', 'sugarG', 'sugars', 'sugarsG'),
  quantity: text,
  meal: MEAL,
  absorptionType: {
    type: 'word',
    known: ['RAPID', 'FAST', 'BALANCED', 'DENSE', 'HYPER_LOAD'],
  },
};

/** Returns the unit of a field: `kg`; an empty text if it has none. */
export function unitNameOf(field: string): string {
  const rule = WELLNESS_FIELDS[field] ?? ITEM_FIELDS[field] ?? NUTRITION_FIELDS[field];
  return rule !== undefined && 'unit' in rule ? rule.unit.replace(/ \(.*/, '') : '';
}

/** Returns the factors of the units that a field may be written in. */
export function unitsOf(field: string): Readonly<Record<string, number>> {
  return UNIT_FACTORS[unitNameOf(field)] ?? {};
}

/** Returns how values in a unit become the field's: also of a scale that ends at N (`/N`), if it is a score. */
export function conversionOf(field: string, unit: string): Conversion | undefined {
  const factor = unitsOf(field)[unit];
  if (factor !== undefined) return { factor };
  const own = highestOf(field);
  const highest = Number(/^\/(\d{1,3})$/.exec(unit)?.[1]);
  // Ratings begin at 1.
  const least = own === 100 ? 1 : 2;
  if (own === undefined || !(highest >= least && highest <= 100)) return undefined;
  if (own === 100) return { factor: 100 / highest };
  if (highest === 100) return { factor: 0.1, least: 1 };
  const step = (own - 1) / (highest - 1);
  return { factor: step, plus: 1 - step };
}

/** Checks for a total of a day: that of a longer time looks the same. */
export function isDayTotal(field: string): boolean {
  const isFood = field in NUTRITION_FIELDS && field !== 'rawJson';
  return isFood || DAY_TOTALS.has(field);
}
