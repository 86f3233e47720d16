import { type MappingRule, type Source, type WellnessMapping, wellness } from './types.ts';
import { DEVICE_STRESS } from './types.ts';

/** The first column of nights is named after the time that was chosen. */
const NIGHTS = ['Sleep Score 4 Weeks', 'Sleep Score 7 Days'];

/** A table of days, whose first column has no name: that of pandas numbers the rows. */
function days(
  holds: string,
  has: WellnessMapping['has'],
  fields: Readonly<Record<string, string | MappingRule>>,
): WellnessMapping {
  return wellness('csv', holds, {
    has: ['', ...has],
    hasNot: ['date', 'day'],
    day: { from: '' },
    fields,
  });
}

export const garminWeb: Source = {
  name: 'garmin-web',
  title: 'Garmin Connect website',
  howTo:
    'On https://connect.garmin.com open Health Stats > Sleep, Weight, Steps, Heart Rate or Calories, choose seven days or four weeks, and "Export CSV". Keep the name of Steps.csv.',
  evidence: [
    'knotji/runmate-ai src/lib/import/adapters/garminSleepCsv.ts',
    'knotji/runmate-ai tests/e2e/csv-import.spec.ts',
    'thusspokedata/pulsia backend/src/metrics/parseSleepCsv.ts',
    'thusspokedata/pulsia backend/src/metrics/parseWeightCsv.ts',
    'thusspokedata/pulsia backend/src/metrics/parseStepsCsv.ts',
    'Zhoreb-Meggido/bitebudget src/services/garmin-import.service.ts',
  ],
  files: [
    wellness('csv', 'nights', {
      // `HRV Status` is perhaps the mean of seven days: it is left out.
      has: [NIGHTS, 'Score', 'Duration'],
      day: { from: NIGHTS },
      fields: {
        sleepSecs: 'Duration',
        sleepScore: 'Score',
        restingHr: 'Resting Heart Rate',
        spO2: { from: 'Pulse Ox', decimals: 1 },
        respiration: { from: 'Respiration', decimals: 1 },
      },
    }),
    wellness('csv', 'weights', {
      // A line with the date stands above the measurements of the day.
      has: ['Time', 'Weight', 'Change', 'BMI', 'Body Fat'],
      day: { from: '^', clock: 'Time' },
      fields: {
        weight: { from: 'Weight', mayLackUnit: true, decimals: 2 },
        bodyFat: { from: 'Body Fat', decimals: 1 },
      },
    }),
    // Other tables have these columns, too, and a table of weeks has no goals.
    { ...days('daily steps', ['Actual', 'Goal'], { steps: 'Actual' }), file: 'steps' },
    days('burned energy', ['Active Calories', 'Resting Calories', 'Total'], {
      activeCaloriesBurned: 'Active Calories',
      restingCaloriesBurned: 'Resting Calories',
      totalCaloriesBurned: 'Total',
    }),
    days('resting heart rates', [['Resting Heart Rate', 'Resting HR']], {
      restingHr: { from: ['Resting Heart Rate', 'Resting HR'], none: [0] },
    }),
    days('stress', ['Stress'], { stress: { from: 'Stress', means: DEVICE_STRESS } }),
  ],
};
