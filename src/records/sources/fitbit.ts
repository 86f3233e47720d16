import { KG_PER_POUND } from '../../base/units.ts';
import { type MappingRule, type Source, type WellnessMapping, wellness } from './types.ts';

const MINUTE_SECS = 60;

const minutes = (...from: string[]): MappingRule => ({ from, factor: MINUTE_SECS });

const mainSleep = {
  day: { from: 'dateOfSleep' },
  fields: {
    sleepSecs: minutes('minutesAsleep'),
    sleepDeepSecs: minutes('levels.summary.deep.minutes'),
    sleepLightSecs: minutes('levels.summary.light.minutes'),
    sleepRemSecs: minutes('levels.summary.rem.minutes'),
    sleepAwakeSecs: minutes('levels.summary.wake.minutes', 'minutesAwake'),
  },
} as const;

/** A table with a line a day, whose time is midnight or noon in UTC, or without a zone. */
function daily(holds: string, field: string, column: string, ...also: string[]): WellnessMapping {
  return wellness('csv', holds, {
    has: ['timestamp', column, ...also],
    day: { from: 'timestamp', format: 'day' },
    fields: { [field]: { from: column, decimals: 1, none: [0] } },
  });
}

/** A table with a line for each measurement. */
function measurements(
  holds: string,
  field: string,
  rule: MappingRule & { readonly from: string },
): WellnessMapping {
  return wellness('csv', holds, {
    has: ['timestamp', rule.from],
    day: { from: 'timestamp' },
    fields: { [field]: rule },
  });
}

/** An answer of the Web API: a list of days under a name of its own. */
function dailyAnswer(
  holds: string,
  records: string,
  fields: Readonly<Record<string, MappingRule>>,
): WellnessMapping {
  return wellness('json', holds, {
    records,
    has: ['dateTime', ...Object.values(fields).map(({ from }) => from)],
    day: { from: 'dateTime' },
    fields,
  });
}

export const fitbit: Source = {
  name: 'fitbit',
  title: 'Fitbit',
  howTo:
    'On takeout.google.com, choose "Fitbit" or "Google Health"; answers of the Web API work as well. The steps in the archive are left out: they are counted by several devices, and their time zone is not said.',
  evidence: [
    'https://dev.fitbit.com/build/reference/web-api/body/get-weight-log/',
    'https://dev.fitbit.com/build/reference/web-api/sleep/get-sleep-log-by-date-range/',
    'davidlipson/diabuddy server/FITBIT_INTEGRATION.md',
    'danlsn/fitport README.md',
    'https://andykong.org/blog/fitbitsleeptzcorrection',
    'https://takeoutday.org/guides/fitbit-data-export',
    'nicofirst1/premura src/premura/parsers/fitbit_takeout.py',
    'timgrote/fitbitImporter README.md',
  ],
  files: [
    wellness('json', 'nights', {
      ...mainSleep,
      has: ['dateOfSleep', 'mainSleep'],
      where: { mainSleep: [true] },
    }),
    wellness('json', 'nights', {
      ...mainSleep,
      records: 'sleep',
      has: ['dateOfSleep', 'isMainSleep'],
      where: { isMainSleep: [true] },
    }),
    wellness('json', 'resting heart rates', {
      has: ['dateTime', 'value.value', 'value.error'],
      // A day without a measurement has a rate of 0.
      day: { from: 'dateTime', format: 'mdy' },
      fields: { restingHr: { from: 'value.value', none: [0] } },
    }),
    wellness('json', 'cardio fitness scores', {
      has: ['dateTime', 'value.filteredDemographicVO2Max'],
      day: { from: 'dateTime', format: 'mdy' },
      fields: { vo2max: { from: 'value.filteredDemographicVO2Max', decimals: 1, none: [0] } },
    }),
    wellness('json', 'weights', {
      // The archive has pounds, whatever the athlete has chosen.
      has: ['logId', 'weight', 'bmi', 'date', 'time'],
      day: { from: 'date', clock: 'time', format: 'mdy' },
      fields: {
        weight: { from: 'weight', factor: KG_PER_POUND, decimals: 2, mayLackUnit: true },
        bodyFat: { from: 'fat', decimals: 1 },
      },
    }),
    wellness('json', 'weights', {
      // An answer has the unit that the program asked for, and does not say which.
      records: 'weight',
      has: ['logId', 'weight', 'bmi', 'date', 'time'],
      day: { from: 'date', clock: 'time' },
      fields: {
        weight: { from: 'weight', decimals: 2, mayLackUnit: true },
        bodyFat: { from: 'fat', decimals: 1 },
      },
    }),
    daily('heart rate variabilities', 'hrv', 'average heart rate variability milliseconds'),
    daily('heart rate variabilities', 'hrv', 'rmssd', 'nremhr', 'entropy'),
    daily('oxygen saturations', 'spO2', 'average percentage', 'lower bound percentage'),
    daily('oxygen saturations', 'spO2', 'average_value', 'lower_bound', 'upper_bound'),
    daily('respiratory rates', 'respiration', 'breaths per minute'),
    daily('respiratory rates', 'respiration', 'daily_respiratory_rate'),
    daily('readiness scores', 'readiness', 'score', 'readiness level'),
    {
      // The table of all heart rates has the same columns.
      ...daily('resting heart rates', 'restingHr', 'beats per minute'),
      file: 'daily_resting_heart_rate',
    },
    {
      ...measurements('sleep scores', 'sleepScore', { from: 'overall_score', none: [0, -1] }),
      has: ['sleep_log_entry_id', 'timestamp', 'overall_score'],
    },
    measurements('weights', 'weight', { from: 'weight grams', factor: 0.001, decimals: 2 }),
    measurements('body fat percentages', 'bodyFat', { from: 'body fat percentage', decimals: 1 }),
    dailyAnswer('resting heart rates', 'activities-heart', {
      restingHr: { from: 'value.restingHeartRate' },
    }),
    dailyAnswer('daily steps', 'activities-steps', { steps: { from: 'value', none: [0] } }),
    dailyAnswer('heart rate variabilities', 'hrv', { hrv: { from: 'value.dailyRmssd' } }),
  ],
};
