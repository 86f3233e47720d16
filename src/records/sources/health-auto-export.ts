import {
  KCAL_PER_KJ,
  KG_PER_POUND,
  METRES_PER_MILE,
  ML_PER_FLUID_OUNCE,
} from '../../base/units.ts';
import { type MappingRule, type Source, wellness } from './types.ts';

const HOUR_SECS = 3_600;

const ENERGY = { kcal: 1, kJ: KCAL_PER_KJ };
const TIME = { hr: 1, min: 1 / 60, s: 1 / HOUR_SECS };
const DISTANCE = { km: 1_000, mi: METRES_PER_MILE, m: 1, ft: 0.3048 };
const WEIGHT = { kg: 1, lb: KG_PER_POUND, st: 14 * KG_PER_POUND };
const VOLUME = { mL: 1, L: 1_000, fl_oz_us: ML_PER_FLUID_OUNCE };

function metric(named: string | string[], rule: Partial<MappingRule> = {}): MappingRule {
  return { from: 'qty', named, ...rule };
}

/** A metric whose unit the athlete chooses. */
function metricIn(
  factors: Record<string, number>,
  named: string,
  rule: Partial<MappingRule>,
): MappingRule {
  return metric(named, { ...rule, unit: { from: '^.units', factors } });
}

/** A night is exported again while it grows: its longest version is complete, and counts as the longest sleep. */
const sleepColumn = (...from: string[]): MappingRule => ({ from, factor: HOUR_SECS, none: [0] });

const sleep = (...from: string[]): MappingRule => ({
  ...sleepColumn(...from),
  named: 'sleep_analysis',
  unit: { from: '^.units', factors: TIME },
});

/** The stages of a night one by one, without "Summarize Data". */
const stages = (...values: string[]): MappingRule => ({
  from: 'value',
  named: 'sleep_analysis',
  words: Object.fromEntries(values.map((value) => [value, 1])),
  combine: 'night',
});

/** Rules for columns whose headers end with one of these units. */
function columnsIn(
  factors: Readonly<Record<string, number>>,
  field: string,
  rule: Omit<MappingRule, 'from'>,
  ...columns: string[]
): Readonly<Record<string, MappingRule>> {
  const rules = Object.entries(factors).map(([unit, factor]): [string, MappingRule] => [
    `${field}#${unit}`,
    { ...rule, from: columns.map((column) => `${column} (${unit})`), factor },
  ]);
  return Object.fromEntries(rules);
}

const SUM = { combine: 'sum' } as const;

export const healthAutoExport: Source = {
  name: 'health-auto-export',
  title: 'Health Auto Export (Apple Health)',
  howTo:
    'In the iPhone app "Health Auto Export": export health metrics as JSON or CSV, with "Summarize Data" switched on.',
  evidence: [
    'https://github.com/Lybron/health-auto-export/wiki/API-Export---JSON-Format',
    'https://github.com/Lybron/health-auto-export/issues/18',
    'https://github.com/Lybron/health-auto-export/issues/55',
    'https://github.com/HealthyApps/health-auto-export-server/issues/21',
    'HealthyApps/health-auto-export-server server/src/models/MetricName.ts',
    'meltforce/FreeReps server/specs/hae-rest-api.md',
  ],
  files: [
    wellness('json', 'metrics', {
      records: 'data.metrics[].data[]',
      has: ['^.name', '^.units', ['date', 'sleepEnd', 'startDate']],
      name: '^.name',
      day: { from: ['sleepEnd', 'date', 'endDate'] },
      span: {
        from: { from: 'startDate' },
        to: { from: 'endDate' },
        origin: 'source',
        prefer: ['watch'],
      },
      fields: {
        restingHr: metric('resting_heart_rate'),
        hrvSdnn: metric('heart_rate_variability', { combine: 'mean', decimals: 1 }),
        weight: metricIn(WEIGHT, 'weight_body_mass', { decimals: 2 }),
        bodyFat: metric('body_fat_percentage', { decimals: 1 }),
        vo2max: metric(['vo2_max', 'vo2max'], { decimals: 1 }),
        steps: metric('step_count', { combine: 'sum' }),
        floors: metric('flights_climbed', { combine: 'sum' }),
        distanceMeters: metricIn(DISTANCE, 'walking_running_distance', { combine: 'sum' }),
        exerciseMinutes: metricIn(TIME, 'apple_exercise_time', { factor: 60, combine: 'sum' }),
        activeCaloriesBurned: metricIn(ENERGY, 'active_energy', { combine: 'sum' }),
        restingCaloriesBurned: metricIn(ENERGY, 'basal_energy_burned', { combine: 'sum' }),
        hydrationVolume: metricIn(VOLUME, 'dietary_water', { combine: 'sum' }),
        respiration: metric('respiratory_rate', { combine: 'mean', decimals: 1 }),
        spO2: metric('blood_oxygen_saturation', { combine: 'mean', decimals: 1 }),
        systolic: { from: 'systolic', named: 'blood_pressure' },
        diastolic: { from: 'diastolic', named: 'blood_pressure' },
        // `asleep` alone is the whole night in the exports of iOS 15; later it is the part without a stage.
        sleepSecs: sleep('totalSleep', 'asleep'),
        sleepDeepSecs: sleep('deep'),
        sleepLightSecs: sleep('core'),
        sleepRemSecs: sleep('rem'),
        sleepAwakeSecs: sleep('awake'),
        'sleepSecs#stages': stages('Asleep', 'Unspecified', 'Core', 'Deep', 'REM'),
        'sleepDeepSecs#stages': stages('Deep'),
        'sleepLightSecs#stages': stages('Core'),
        'sleepRemSecs#stages': stages('REM'),
        'sleepAwakeSecs#stages': stages('Awake'),
      },
    }),
    wellness('csv', 'days', {
      has: [
        ['Date/Time', 'Date'],
        [
          'Step Count (count)',
          'Step Count (steps)',
          'Resting Heart Rate (count/min)',
          'Resting Heart Rate (bpm)',
          'Heart Rate Variability (ms)',
          'Sleep Analysis [Total] (hr)',
          'Sleep Analysis [Asleep] (hr)',
          'Active Energy (kcal)',
          'Active Energy (kJ)',
        ],
      ],
      // Samples of a workout, or of each minute.
      hasNot: ['Source'],
      ignored: ['bloodGlucose'],
      day: { from: ['Date/Time', 'Date'] },
      fields: {
        restingHr: { from: ['Resting Heart Rate (count/min)', 'Resting Heart Rate (bpm)'] },
        hrvSdnn: { from: 'Heart Rate Variability (ms)', combine: 'mean', decimals: 1 },
        ...columnsIn(WEIGHT, 'weight', { decimals: 2 }, 'Weight', 'Weight & Body Mass'),
        bodyFat: { from: 'Body Fat Percentage (%)', decimals: 1 },
        vo2max: {
          from: ['VO2 Max (ml/(kg·min))', 'VO2 Max (mL/min·kg)', 'VO2 Max (ml/kg/min)'],
          decimals: 1,
        },
        steps: { from: ['Step Count (count)', 'Step Count (steps)'], combine: 'sum' },
        floors: { from: 'Flights Climbed (count)', combine: 'sum' },
        ...columnsIn(DISTANCE, 'distanceMeters', SUM, 'Walking + Running Distance'),
        exerciseMinutes: { from: 'Apple Exercise Time (min)', combine: 'sum' },
        ...columnsIn(ENERGY, 'activeCaloriesBurned', SUM, 'Active Energy'),
        ...columnsIn(ENERGY, 'restingCaloriesBurned', SUM, 'Resting Energy', 'Basal Energy Burned'),
        respiration: { from: 'Respiratory Rate (count/min)', combine: 'mean', decimals: 1 },
        spO2: { from: 'Blood Oxygen Saturation (%)', combine: 'mean', decimals: 1 },
        systolic: 'Blood Pressure [Systolic] (mmHg)',
        diastolic: 'Blood Pressure [Diastolic] (mmHg)',
        sleepSecs: sleepColumn('Sleep Analysis [Total] (hr)', 'Sleep Analysis [Asleep] (hr)'),
        sleepDeepSecs: sleepColumn('Sleep Analysis [Deep] (hr)'),
        sleepLightSecs: sleepColumn('Sleep Analysis [Core] (hr)'),
        sleepRemSecs: sleepColumn('Sleep Analysis [REM] (hr)'),
        sleepAwakeSecs: sleepColumn('Sleep Analysis [Awake] (hr)'),
      },
    }),
  ],
};
