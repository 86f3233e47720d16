import type { FieldRule, Source, WellnessMapping } from './types.ts';

const KG_PER_LB = 0.45359237;
const MINUTE_SECS = 60;

const minutes = (...from: string[]): FieldRule => ({ from, factor: MINUTE_SECS });

const mainSleep = {
  kind: 'wellness',
  holds: 'nights',
  format: 'json',
  day: { from: 'dateOfSleep' },
  fields: {
    sleepSecs: minutes('minutesAsleep'),
    sleepDeepSecs: minutes('levels.summary.deep.minutes'),
    sleepLightSecs: minutes('levels.summary.light.minutes'),
    sleepRemSecs: minutes('levels.summary.rem.minutes'),
    sleepAwakeSecs: minutes('levels.summary.wake.minutes', 'minutesAwake'),
  },
} as const satisfies Partial<WellnessMapping>;

/** A table of Google's time series: a value a day, or a measurement a line. */
function timeSeries(
  holds: string,
  column: string,
  fields: WellnessMapping['fields'],
): WellnessMapping {
  return {
    kind: 'wellness',
    holds,
    format: 'csv',
    has: ['timestamp', column],
    day: { from: 'timestamp' },
    fields,
  };
}

/** An answer of the Web API: a list of days under a name of its own. */
function dailyAnswer(
  holds: string,
  records: string,
  fields: Readonly<Record<string, FieldRule>>,
): WellnessMapping {
  return {
    kind: 'wellness',
    holds,
    format: 'json',
    records,
    has: ['dateTime', ...Object.values(fields).map(({ from }) => from)],
    day: { from: 'dateTime' },
    fields,
  };
}

export const fitbit: Source = {
  name: 'fitbit',
  title: 'Fitbit (Google Takeout, account archive, Web API)',
  howTo:
    'On takeout.google.com, choose "Fitbit" or "Google Health". Its steps are left out: they are counted by several devices, and their time zone is not said.',
  evidence: [
    'https://dev.fitbit.com/build/reference/web-api/sleep/get-sleep-log-by-date-range/',
    'davidlipson/diabuddy server/FITBIT_INTEGRATION.md',
    'danlsn/fitport README.md',
    'https://andykong.org/blog/fitbitsleeptzcorrection',
    'https://takeoutday.org/guides/fitbit-data-export',
    'timgrote/fitbitImporter README.md',
  ],
  files: [
    { ...mainSleep, has: ['dateOfSleep', 'mainSleep'], where: { mainSleep: [true] } },
    {
      ...mainSleep,
      records: 'sleep',
      has: ['dateOfSleep', 'isMainSleep'],
      where: { isMainSleep: [true] },
    },
    {
      kind: 'wellness',
      holds: 'resting heart rates',
      format: 'json',
      has: ['dateTime', 'value.value', 'value.error'],
      // A day without a measurement has a rate of 0.
      day: { from: 'dateTime', format: 'mdy' },
      fields: { restingHr: { from: 'value.value', none: [0] } },
    },
    {
      kind: 'wellness',
      holds: 'cardio fitness scores',
      format: 'json',
      has: ['dateTime', 'value.filteredDemographicVO2Max'],
      day: { from: 'dateTime', format: 'mdy' },
      fields: { vo2max: { from: 'value.filteredDemographicVO2Max', decimals: 1, none: [0] } },
    },
    {
      // The archive has pounds, whatever the athlete has chosen.
      kind: 'wellness',
      holds: 'weights',
      format: 'json',
      has: ['logId', 'weight', 'bmi', 'date', 'time'],
      day: { from: 'date', clock: 'time', format: 'mdy' },
      fields: {
        weight: { from: 'weight', factor: KG_PER_LB, decimals: 2 },
        bodyFat: { from: 'fat', decimals: 1 },
      },
    },
    timeSeries('daily heart rate variabilities', 'average heart rate variability milliseconds', {
      hrv: { from: 'average heart rate variability milliseconds', decimals: 1, none: [0] },
    }),
    {
      ...timeSeries('daily heart rate variabilities', 'rmssd', {
        hrv: { from: 'rmssd', decimals: 1, none: [0] },
      }),
      has: ['timestamp', 'rmssd', 'nremhr', 'entropy'],
    },
    {
      ...timeSeries('daily oxygen saturations', 'average percentage', {
        spO2: { from: 'average percentage', decimals: 1, none: [0] },
      }),
      has: ['timestamp', 'average percentage', 'lower bound percentage', 'upper bound percentage'],
    },
    {
      ...timeSeries('daily oxygen saturations', 'average_value', {
        spO2: { from: 'average_value', decimals: 1, none: [0] },
      }),
      has: ['timestamp', 'average_value', 'lower_bound', 'upper_bound'],
    },
    timeSeries('daily respiratory rates', 'breaths per minute', {
      respiration: { from: 'breaths per minute', decimals: 1, none: [0] },
    }),
    timeSeries('daily respiratory rates', 'daily_respiratory_rate', {
      respiration: { from: 'daily_respiratory_rate', decimals: 1, none: [0] },
    }),
    {
      ...timeSeries('readiness scores', 'score', { readiness: { from: 'score', none: [0] } }),
      has: ['timestamp', 'score', 'readiness level'],
    },
    {
      ...timeSeries('sleep scores', 'overall_score', {
        sleepScore: { from: 'overall_score', none: [0, -1] },
      }),
      has: ['sleep_log_entry_id', 'timestamp', 'overall_score'],
    },
    timeSeries('weights', 'weight grams', {
      weight: { from: 'weight grams', factor: 0.001, decimals: 2 },
    }),
    timeSeries('body fat percentages', 'body fat percentage', {
      bodyFat: { from: 'body fat percentage', decimals: 1 },
    }),
    {
      // The table of all heart rates has the same columns.
      ...timeSeries('resting heart rates', 'beats per minute', {
        restingHr: { from: 'beats per minute', none: [0] },
      }),
      file: 'daily_resting_heart_rate',
    },
    dailyAnswer('resting heart rates', 'activities-heart', {
      restingHr: { from: 'value.restingHeartRate' },
    }),
    {
      kind: 'wellness',
      holds: 'daily steps',
      format: 'json',
      records: 'activities-steps',
      has: ['dateTime', 'value'],
      day: { from: 'dateTime' },
      fields: { steps: { from: 'value', none: [0] } },
    },
    dailyAnswer('daily heart rate variabilities', 'hrv', { hrv: { from: 'value.dailyRmssd' } }),
  ],
};
