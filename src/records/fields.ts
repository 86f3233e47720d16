import { UNIT_FACTORS } from '../base/units.ts';

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

/** A score, on a scale that the interface does not define: 1 to 4, 1 to 10, percent. */
const score = integer(0, 100, 'points');
/** A score that programs write as 0 for a night or a day without measurements. */
const measuredScore = integer(1, 100, 'points');

/** The highest value of a score that is not taken for points of 100. */
export const LOW_SCALE = 10;

export function isScore(field: string): boolean {
  return unitNameOf(field) === 'points';
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
  sleepScore: measuredScore,
  sleepQuality: score,
  readiness: measuredScore,
  recoveryScore: measuredScore,
  stress: score,
  mood: score,
  motivation: score,
  fatigue: score,
  soreness: score,
  weight: number(20, 400, 'kg', ['weightKg', 'weightKilograms']),
  bodyFat: number(1, 75, '%', ['bodyFatPercent', 'bodyFatPercentage', 'bodyFatPct']),
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
  // The temperature itself: many devices write its deviation from the wearer's own.
  skinTemp: number(-20, 50, '°C', ['skinTemperature']),
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
