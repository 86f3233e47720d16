import { KG_PER_POUND } from '../../base/units.ts';
import { type MappingRule, type Source, type WellnessMapping, wellness } from './types.ts';

/** Each part of a night that was interrupted is a line of its own. */
const seconds = (...from: string[]): MappingRule => ({
  from,
  factor: 1,
  combine: 'sum',
  none: [0],
});

const LIGHT = ['light (s)', 'leicht (s)', 'ligero (s)'];
const DEEP = ['deep (s)', 'tief (s)', 'profundo (s)'];
const REM = ['rem (s)'];

/** Tables of days with the same header, one for each kind of value. */
function days(file: string, holds: string, field: string): WellnessMapping {
  return wellness('csv', holds, {
    file,
    has: ['date', 'value'],
    day: { from: 'date' },
    fields: { [field]: { from: 'value', none: [0] } },
  });
}

export const withings: Source = {
  name: 'withings',
  title: 'Withings account export',
  howTo:
    'In the Withings app: Profile > Settings > Download your data. The link arrives by e-mail; unpack the archive.',
  evidence: [
    'https://support.withings.com/hc/en-us/articles/360001394948-Withings-App-Android-Downloading-my-data',
    'baptistebisson/withings-to-influxdb README.md',
    'EchoCodeGhost/Kyoro-HealthHub scripts/importers/import_withings.py',
    'mad-lab-fau/BioPsyKit src/biopsykit/io/sleep_analyzer.py',
  ],
  files: [
    wellness('csv', 'weights', {
      has: [
        ['Date', 'Datum'],
        ['Weight (kg)', 'Weight (lb)', 'Gewicht (kg)'],
        ['Fat mass (kg)', 'Fat mass (lb)', 'Fettmasse (kg)'],
      ],
      day: { from: ['Date', 'Datum'] },
      fields: {
        weight: { from: ['Weight (kg)', 'Gewicht (kg)'], factor: 1 },
        'weight#lb': { from: 'Weight (lb)', factor: KG_PER_POUND, decimals: 2 },
        bodyFat: {
          from: ['Fat mass (kg)', 'Fettmasse (kg)', 'Fat mass (lb)'],
          over: ['Weight (kg)', 'Gewicht (kg)', 'Weight (lb)'],
          factor: 100,
          decimals: 1,
          none: [0],
        },
      },
    }),
    wellness('csv', 'blood pressures', {
      has: [
        ['Date', 'Datum'],
        ['Heart rate', 'Herzfrequenz'],
        ['Systolic', 'Systole'],
        ['Diastolic', 'Diastole'],
        ['Comments', 'Kommentare'],
      ],
      day: { from: ['Date', 'Datum'] },
      fields: {
        systolic: { from: ['Systolic', 'Systole'] },
        diastolic: { from: ['Diastolic', 'Diastole'] },
      },
    }),
    wellness('csv', 'nights', {
      has: [LIGHT, DEEP, REM, ['awake (s)', 'wach (s)', 'despierto (s)']],
      day: { from: ['to', 'bis', 'a'] },
      partFrom: { from: ['from', 'von', 'de'] },
      fields: {
        sleepSecs: seconds(...LIGHT),
        'sleepSecs#deep': seconds(...DEEP),
        'sleepSecs#rem': seconds(...REM),
        sleepLightSecs: seconds(...LIGHT),
        sleepDeepSecs: seconds(...DEEP),
        sleepRemSecs: seconds(...REM),
        // A night without phases is awake from end to end, so the time awake is left out.
        avgSleepingHr: {
          from: ['Average heart rate', 'Durchschnittliche Herzfrequenz'],
          combine: 'mean',
          none: [0],
        },
      },
    }),
    days('aggregates_steps', 'daily steps', 'steps'),
    days('aggregates_distance', 'daily distances', 'distanceMeters'),
    days('aggregates_calories_earned', 'active calories', 'activeCaloriesBurned'),
    days('aggregates_calories_passive', 'resting calories', 'restingCaloriesBurned'),
  ],
};
