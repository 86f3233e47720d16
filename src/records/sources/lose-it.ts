import { type Source, nutrition, wellness } from './types.ts';

export const loseIt: Source = {
  name: 'lose-it',
  title: 'Lose It! export',
  howTo:
    'Log in on www.loseit.com, and open https://www.loseit.com/export/data: an archive with food-logs.csv and weights.csv. A WeeklySummary.csv of the website works as well. The weights have no unit: name it with --unit.',
  evidence: ['stozo04/loseit-cli README.md', 'RichClarkeAI/loseit-cli loseit-analyze.sh'],
  files: [
    nutrition('csv', 'foods', {
      // The weekly summaries have no column "Deleted", and exercise among the foods.
      has: [
        'Date',
        'Name',
        ['Meal', 'Type'],
        'Units',
        ['Deleted', 'Cholesterol (mg)'],
        'Carbohydrates (g)',
      ],
      unless: { Type: ['Exercise'] },
      time: { from: 'Date', format: 'mdy', or: { from: 'Date' } },
      item: {
        name: 'Name',
        calories: 'Calories',
        carbs: 'Carbohydrates (g)',
        protein: 'Protein (g)',
        fat: 'Fat (g)',
        fiber: 'Fiber (g)',
        sugar: 'Sugars (g)',
        meal: { from: ['Meal', 'Type'] },
      },
    }),
    wellness('csv', 'weights', {
      has: ['Date', 'Weight', 'Last Updated'],
      day: { from: 'Date', format: 'mdy' },
      at: { from: 'Last Updated' },
      fields: { weight: { from: 'Weight', mayLackUnit: true } },
    }),
  ],
};
