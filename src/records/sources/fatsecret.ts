import { type Source, nutrition } from './types.ts';

export const fatSecret: Source = {
  name: 'fatsecret',
  title: 'FatSecret diary (API)',
  howTo:
    'The answers of the FatSecret API: food_entries.get (a day with its foods) or food_entries.get_month (totals), saved as JSON.',
  evidence: [
    'https://platform.fatsecret.com/docs/v2/food_entries.get',
    'https://platform.fatsecret.com/docs/v2/food_entries.get_month',
    'https://raw.githubusercontent.com/api-evangelist/fatsecret/refs/heads/main/json-schema/fatsecret-food-entry-schema.json',
  ],
  files: [
    nutrition('json', 'diary entries', {
      records: 'food_entries.food_entry',
      has: ['food_entry_name', 'date_int', 'meal'],
      time: { from: 'date_int', format: 'days' },
      item: {
        name: 'food_entry_name',
        quantity: 'food_entry_description',
        calories: 'calories',
        carbs: 'carbohydrate',
        protein: 'protein',
        fat: 'fat',
        fiber: 'fiber',
        sugar: 'sugar',
        meal: 'meal',
      },
    }),
    nutrition('json', 'daily totals', {
      records: 'month.day',
      has: ['date_int', 'calories', 'carbohydrate'],
      time: { from: 'date_int', format: 'days' },
      totals: { calories: 'calories', carbs: 'carbohydrate', protein: 'protein', fat: 'fat' },
    }),
  ],
};
