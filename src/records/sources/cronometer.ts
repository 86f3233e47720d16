import { KCAL_PER_KJ, KG_PER_POUND } from '../../base/units.ts';
import { type Source, nutrition, wellness } from './types.ts';

/** Apps and devices whose measurements Cronometer marks: `Weight (Apple Health)`. */
const APPS = [
  'Apple Health',
  'Fitbit',
  'Garmin',
  'Google Fit',
  'Health Connect',
  'Oura',
  'Polar',
  'Samsung Health',
  'WHOOP',
  'Withings',
];

const fromAnyApp = (metric: string) => [metric, ...APPS.map((app) => `${metric} (${app})`)];

const ENERGY = ['Energy (kcal)', 'Energy (kJ)'] as const;

const totals = {
  calories: { from: 'Energy (kcal)', factor: 1 },
  'calories#kJ': { from: 'Energy (kJ)', factor: KCAL_PER_KJ },
  carbs: 'Carbs (g)',
  protein: 'Protein (g)',
  fat: 'Fat (g)',
};

/** `Completed` is in all exports since 2018; a table of one's own may have the other columns, too. */
const dailySummary = nutrition('csv', 'daily summaries', {
  has: ['Date', ENERGY, 'Completed'],
  hasNot: ['Group', 'Food Name'],
  time: { from: 'Date' },
  totals,
});

export const cronometer: Source = {
  name: 'cronometer',
  title: 'Cronometer export',
  howTo:
    'On cronometer.com: More > Account > Export Data. "Export Food & Recipe Entries" (servings.csv) has the times of the meals.',
  evidence: [
    'https://cronometer.com/help/profile/',
    'jrmycanady/gocronometer parse.go',
    'jonh-a/cronometer-analysis README.md',
    'milldr/crono README.md',
  ],
  files: [
    nutrition('csv', 'servings', {
      has: ['Day', 'Group', 'Food Name', 'Amount', ENERGY],
      time: { from: 'Day', clock: 'Time' },
      item: {
        name: 'Food Name',
        quantity: 'Amount',
        ...totals,
        fiber: 'Fiber (g)',
        sugar: 'Sugars (g)',
        meal: 'Group',
      },
    }),
    dailySummary,
    {
      // With diary groups, a day has a line for each of them and one for their total.
      ...dailySummary,
      has: ['Date', 'Group', ENERGY],
      hasNot: ['Food Name'],
      where: { Group: ['Total'] },
    },
    wellness('csv', 'biometrics', {
      has: ['Day', 'Metric', 'Unit', 'Amount'],
      name: 'Metric',
      day: { from: 'Day', clock: 'Time' },
      fields: {
        weight: {
          from: 'Amount',
          named: fromAnyApp('Weight'),
          unit: { from: 'Unit', factors: { kg: 1, lbs: KG_PER_POUND, lb: KG_PER_POUND } },
          decimals: 2,
        },
        bodyFat: {
          from: 'Amount',
          named: fromAnyApp('Body Fat'),
          unit: { from: 'Unit', factors: { '%': 1 } },
        },
        restingHr: { from: 'Amount', named: fromAnyApp('Resting Heart Rate') },
        // Apple measures SDNN; what the values of other apps are is not shown.
        hrvSdnn: { from: 'Amount', named: 'Heart Rate Variability (HRV) (Apple Health)' },
      },
    }),
  ],
};
