import type { Source } from './types.ts';

export const garminWeb: Source = {
  name: 'garmin-web',
  title: 'Garmin Connect website',
  howTo:
    'On https://connect.garmin.com open Health Stats > Sleep, choose four weeks, and "Export CSV".',
  evidence: [
    'knotji/runmate-ai src/lib/import/adapters/garminSleepCsv.ts',
    'knotji/runmate-ai tests/e2e/csv-import.spec.ts',
  ],
  files: [
    {
      // `HRV Status` is perhaps the mean of seven days: it is left out.
      kind: 'wellness',
      holds: 'nights',
      format: 'csv',
      has: ['Sleep Score 4 Weeks', 'Score', 'Duration'],
      day: { from: 'Sleep Score 4 Weeks' },
      fields: {
        sleepSecs: { from: 'Duration', read: 'duration' },
        sleepScore: 'Score',
        restingHr: 'Resting Heart Rate',
        spO2: { from: 'Pulse Ox', decimals: 1 },
        respiration: { from: 'Respiration', decimals: 1 },
      },
    },
  ],
};
