import {
  wellness,
  ABSOLUTE_TEMPERATURE,
  type MappingRule,
  type TimeRule,
  type WellnessMapping,
  type Source,
  nutrition,
  type WellnessRest,
} from './types.ts';

const MINUTE_SECS = 60;

/** Times are UTC; the athlete's offset stands in a column of its own: `UTC+0100`. */
function time(column: string, prefix = ''): TimeRule {
  return { from: prefix + column, offset: `${prefix}time_offset`, zone: 'utc' };
}

/** The first line of every table names its data type; the header follows. */
const table = (holds: string, rest: WellnessRest) =>
  wellness('csv', holds, { skipLines: 1, ...rest });

const SLEEP = 'com.samsung.health.sleep.';
const PRESSURE = 'com.samsung.health.blood_pressure.';
const OXYGEN = 'com.samsung.health.oxygen_saturation.';

const minutesAsleep = (from: string): MappingRule => ({ from, factor: MINUTE_SECS, none: [0] });

const files: readonly WellnessMapping[] = [
  table('weights', {
    has: ['weight', 'start_time', 'time_offset', 'datauuid'],
    day: time('start_time'),
    fields: {
      weight: { from: 'weight', decimals: 2, none: [0] },
      bodyFat: { from: 'body_fat', decimals: 1, none: [0] },
    },
  }),
  table('daily steps', {
    // A line for each device, and one for all of them.
    has: ['day_time', 'count', 'source_type'],
    where: { source_type: [-2] },
    day: { from: 'day_time', format: 'day' },
    fields: {
      steps: { from: 'count', none: [0] },
      distanceMeters: { from: 'distance', decimals: 1, none: [0] },
    },
  }),
  table('nights', {
    has: [`${SLEEP}start_time`, `${SLEEP}end_time`, `${SLEEP}time_offset`, 'sleep_duration'],
    day: time('end_time', SLEEP),
    // A nap is a line of its own.
    sleep: ['sleepSecs', 'sleepLightSecs', 'sleepRemSecs', 'sleepScore'],
    fields: {
      // What the app calls sleep time: from falling asleep to waking up.
      sleepSecs: minutesAsleep('sleep_duration'),
      sleepLightSecs: minutesAsleep('total_light_duration'),
      sleepRemSecs: minutesAsleep('total_rem_duration'),
      sleepScore: { from: 'sleep_score', none: [0, -1] },
    },
  }),
  table('blood pressures', {
    has: [`${PRESSURE}systolic`, `${PRESSURE}diastolic`, `${PRESSURE}start_time`],
    day: time('start_time', PRESSURE),
    fields: {
      systolic: { from: `${PRESSURE}systolic`, none: [0] },
      diastolic: { from: `${PRESSURE}diastolic`, none: [0] },
    },
  }),
  table('oxygen saturations', {
    has: [`${OXYGEN}spo2`, `${OXYGEN}start_time`, `${OXYGEN}end_time`],
    day: { ...time('end_time', OXYGEN), from: [`${OXYGEN}end_time`, `${OXYGEN}start_time`] },
    fields: { spO2: { from: `${OXYGEN}spo2`, combine: 'mean', decimals: 1, none: [0] } },
  }),
  table('respiratory rates', {
    has: ['average', 'lower_limit', 'upper_limit', 'is_outlier', 'end_time'],
    day: time('end_time'),
    fields: { respiration: { from: 'average', combine: 'mean', decimals: 1, none: [0] } },
  }),
  table('skin temperatures', {
    has: ['temperature', 'baseline', 'lower_bound', 'upper_bound', 'end_time'],
    day: time('end_time'),
    fields: {
      skinTemp: { from: 'temperature', combine: 'mean', decimals: 2, means: ABSOLUTE_TEMPERATURE },
    },
  }),
  table('drinks of water', {
    // The table of caffeine has the same columns.
    file: 'com.samsung.health.water_intake',
    has: ['amount', 'unit_amount', 'start_time', 'time_offset'],
    day: time('start_time'),
    fields: { hydrationVolume: { from: 'amount', combine: 'sum' } },
  }),
];

export const samsungHealth: Source = {
  name: 'samsung-health',
  title: 'Samsung Health export',
  howTo:
    'In the Samsung Health app: Settings > Download personal data. The tables lie in the phone’s folder Download/Samsung Health.',
  evidence: [
    'https://developer.samsung.com/health/server/api/data-types/sleep',
    'https://developer.samsung.com/health/android/data/api-reference/com/samsung/android/sdk/healthdata/HealthConstants.SessionMeasurement.html',
    'https://www.technowizardry.net/2022/02/plot-your-health-with-samsung-health-and-pandas/',
    'Livia-Zaharia/samsung_health_extractor README.md',
  ],
  files: [
    ...files,
    nutrition('csv', 'meals', {
      skipLines: 1,
      has: [
        'title',
        'meal_type',
        'calorie',
        'carbohydrate',
        'total_fat',
        'start_time',
        'time_offset',
      ],
      time: time('start_time'),
      item: {
        name: 'title',
        calories: 'calorie',
        carbs: 'carbohydrate',
        protein: 'protein',
        fat: 'total_fat',
        fiber: 'dietary_fiber',
        sugar: 'sugar',
        meal: {
          from: 'meal_type',
          none: [-1],
          words: {
            '100001': 'BREAKFAST',
            '100002': 'LUNCH',
            '100003': 'DINNER',
            '100004': 'SNACK',
            '100005': 'SNACK',
            '100006': 'SNACK',
          },
        },
      },
    }),
  ],
};
