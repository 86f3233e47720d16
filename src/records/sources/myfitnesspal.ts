import type { Source } from './types.ts';

export const myFitnessPal: Source = {
  name: 'myfitnesspal',
  title: 'MyFitnessPal export',
  howTo:
    'With Premium, on myfitnesspal.com: Reports > Export Data. The weights in it have no unit: name it with --unit.',
  evidence: [
    'https://github.com/PulfordJ/portmyfitnesspalcsvintoandroidhealthconnect',
    'nicofirst1/premura src/premura/parsers/myfitnesspal.py',
  ],
  files: [
    {
      // A line a meal, without its foods and its time.
      kind: 'nutrition',
      holds: 'meals',
      format: 'csv',
      has: [
        'Date',
        'Meal',
        'Calories',
        'Fat (g)',
        'Protein (g)',
        ['Carbohydrates (g)', 'Carbs (g)'],
      ],
      hasNot: ['Name', 'Food', 'Food Name', 'Quantity', 'Deleted', 'Time'],
      time: { from: 'Date' },
      item: {
        name: 'Meal',
        calories: 'Calories',
        carbs: { from: ['Carbohydrates (g)', 'Carbs (g)'] },
        protein: 'Protein (g)',
        fat: 'Fat (g)',
        fiber: { from: ['Fiber', 'Fiber (g)'] },
        sugar: { from: ['Sugar', 'Sugar (g)'] },
        meal: {
          from: 'Meal',
          words: {
            Breakfast: 'BREAKFAST',
            Lunch: 'LUNCH',
            Dinner: 'DINNER',
            Snacks: 'SNACK',
            Snack: 'SNACK',
          },
        },
      },
    },
    {
      kind: 'wellness',
      holds: 'measurements',
      format: 'csv',
      has: ['Date', 'Body Fat %', 'Weight'],
      day: { from: 'Date' },
      fields: { bodyFat: 'Body Fat %', weight: { from: 'Weight', mayLackUnit: true } },
    },
  ],
};
