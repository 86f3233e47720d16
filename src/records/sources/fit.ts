import { type Match, type Source, wellness } from './types.ts';

/** A row is a measurement: `day`, `at` (s since 1970), and the field by the platform's name. */
export const FIT_MAPPING = wellness('fit', 'wellness', {
  has: [],
  day: { from: 'day' },
  at: { from: 'at' },
  fields: {
    restingHr: 'restingHr',
    vo2max: 'vo2max',
    hrv: { from: 'hrv', decimals: 1 },
    weight: 'weight',
  },
});

export const fit: Source = {
  name: 'fit',
  title: 'FIT file of a device',
  howTo:
    'Plug in the device and name its folder, such as GARMIN: Monitor, Metrics, HRVStatus and Weight in it hold such files. What sync reads of them: docs/records.md.',
  evidence: ['https://developer.garmin.com/fit/protocol/', 'docs/records.md'],
  files: [FIT_MAPPING],
};

/** What every FIT file with wellness matches. */
export const FIT: Match = { source: fit, mapping: FIT_MAPPING };
