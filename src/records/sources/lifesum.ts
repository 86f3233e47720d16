import { type Source, nutrition, wellness } from './types.ts';

export const lifesum: Source = {
  name: 'lifesum',
  title: 'Lifesum export',
  howTo: 'On lifesum.com: Settings > Export my data. The archive has food.csv and weighins.csv.',
  evidence: [
    'vurglepuddle/StableNutri lib/features/settings/domain/lifesum_import/lifesum_archive_reader.dart',
  ],
  files: [
    nutrition('csv', 'foods', {
      // The values are those of the logged amount.
      has: ['date', 'meal_type', 'title', 'serving_name', 'amount_in_grams', 'calories'],
      time: { from: 'date' },
      item: {
        name: 'title',
        calories: 'calories',
        carbs: 'carbs',
        protein: 'protein',
        fat: 'fat',
        fiber: 'carbs_fiber',
        sugar: 'carbs_sugar',
        meal: 'meal_type',
      },
    }),
    wellness('csv', 'weights', {
      has: ['date', 'weight_kg', 'height_cm', 'goal_weight_kg'],
      day: { from: 'date' },
      fields: { weight: { from: 'weight_kg', factor: 1, decimals: 2 } },
    }),
  ],
};
