import { type Source, wellness } from './types.ts';

export const googleFit: Source = {
  name: 'google-fit',
  title: 'Google Fit',
  howTo:
    'On https://takeout.google.com choose Fit. The file is Fit/Daily activity metrics/Daily activity metrics.csv (in older archives: Daily Summaries.csv).',
  evidence: [
    'starsep/GoogleFitToOpenScaleCSV GoogleFitToOpenScaleCSV.kt',
    'Floyer007/google-fit-to-influxdb README.md',
    'grapako/google-fit-takeout-parser fit_takeout_parser.py',
  ],
  files: [
    wellness('csv', 'daily activity metrics', {
      // A file has only the columns that its owner has values for.
      has: [
        ['Date', 'Datum'],
        [
          'Move Minutes count',
          'Average weight (kg)',
          'Anzahl der Aktivitätsminuten',
          'Durchschnittsgewicht (kg)',
        ],
      ],
      day: { from: ['Date', 'Datum'] },
      // Its sleep is counted by calendar days, not by nights, and its heart rates are not at rest.
      fields: {
        steps: { from: ['Step count', 'Schrittzahl'], none: [0] },
        distanceMeters: { from: ['Distance (m)', 'Distanz (m)'], decimals: 1, none: [0] },
        totalCaloriesBurned: {
          from: ['Calories (kcal)', 'Kalorien (kcal)'],
          factor: 1,
          decimals: 1,
          none: [0],
        },
        weight: {
          from: ['Average weight (kg)', 'Durchschnittsgewicht (kg)'],
          factor: 1,
          decimals: 2,
          none: [0],
        },
      },
    }),
  ],
};
