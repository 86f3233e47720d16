import { ITEM_FIELDS } from '../fields.ts';
import type { Source } from './types.ts';

/** The names of the platform first, then the usual ones of scripts. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  name: ['food', 'food_name', 'title'],
  calories: ['energy_kcal', 'calories_kcal'],
  carbs: ['carbs_g', 'carbohydrates_g', 'carbohydrate'],
  protein: ['protein_g'],
  fat: ['fat_g'],
  fiber: ['fiber_g', 'fibre_g'],
  sugar: ['sugar_g', 'sugars_g'],
  quantity: ['amount', 'serving'],
  meal: ['meal_type'],
};

const item = Object.fromEntries(
  Object.entries(ITEM_FIELDS).map(([field, { aliases = [] }]) => [
    field,
    { from: [field, ...aliases, ...(OTHER_NAMES[field] ?? [])] },
  ]),
);

/** A food log as people's own scripts and spreadsheets write it. */
export const foodLog: Source = {
  name: 'food-log',
  title: 'List of food items with logged_at',
  howTo:
    'A JSON list of items, or a table with a line for each item, that says when it was eaten: "logged_at", and fields as in docs/records.md.',
  evidence: ['docs/records.md'],
  general: true,
  files: [
    {
      kind: 'nutrition',
      holds: 'food items',
      format: 'json',
      has: ['logged_at'],
      hasNot: ['items'],
      time: { from: 'logged_at' },
      item,
      guess: true,
    },
    {
      kind: 'nutrition',
      holds: 'food items',
      format: 'csv',
      has: ['logged_at'],
      time: { from: 'logged_at' },
      item,
      guess: true,
    },
  ],
};
