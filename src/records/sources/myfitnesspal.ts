import type { NutritionMapping, Source, WellnessMapping } from './types.ts';

const has = [
  ...['Date', 'Meal', 'Calories', 'Fat (g)', 'Protein (g)'],
  ['Carbohydrates (g)', 'Carbs (g)'],
];
/** Columns of other programs. */
const OTHERS = ['Name', 'Food', 'Food Name', 'Quantity', 'Deleted'];

const meals = {
  kind: 'nutrition',
  holds: 'meals',
  format: 'csv',
  item: {
    name: 'Meal',
    calories: 'Calories',
    carbs: { from: ['Carbohydrates (g)', 'Carbs (g)'] },
    protein: 'Protein (g)',
    fat: 'Fat (g)',
    fiber: { from: ['Fiber', 'Fiber (g)'] },
    sugar: { from: ['Sugar', 'Sugar (g)'] },
    meal: 'Meal',
  },
} as const satisfies Partial<NutritionMapping>;

const measurements = {
  kind: 'wellness',
  holds: 'measurements',
  format: 'csv',
  day: { from: 'Date' },
  fields: { bodyFat: 'Body Fat %', weight: { from: 'Weight', mayLackUnit: true } },
} as const satisfies Partial<WellnessMapping>;

export const myFitnessPal: Source = {
  name: 'myfitnesspal',
  title: 'MyFitnessPal export',
  howTo:
    'With Premium, on myfitnesspal.com: Reports > Export Data. The weights in it have no unit: name it with --unit.',
  evidence: [
    'https://github.com/PulfordJ/portmyfitnesspalcsvintoandroidhealthconnect',
    'nicofirst1/premura src/premura/parsers/myfitnesspal.py',
    'mtmk/mfp_nut_csv_parser mfp.csv',
  ],
  files: [
    // A line a meal, without its foods and its time.
    { ...meals, has, hasNot: [...OTHERS, 'Time'], time: { from: 'Date' } },
    {
      // A line for each food, without its name, and some with a time.
      ...meals,
      has: [...has, 'Time', 'Polyunsaturated Fat'],
      hasNot: OTHERS,
      time: { from: 'Date', clock: 'Time' },
    },
    { ...measurements, has: ['Date', 'Body Fat %', 'Weight'] },
    { ...measurements, file: 'measurement-summary', has: ['Date', 'Weight'] },
  ],
};
