import { ITEM_FIELDS, NUTRITION_FIELDS } from '../fields.ts';
import { PEOPLE } from '../people.ts';
import { DATES, tableRules } from './platform-table.ts';
import {
  type MappingRule,
  type NutritionMapping,
  type Path,
  type Source,
  nutrition,
} from './types.ts';

/** The usual names of scripts and spreadsheets, beside the platform's. */
const OTHER_NAMES: Readonly<Record<string, readonly Path[]>> = {
  name: ['food', 'food_name', 'title'],
  calories: ['energy_kcal', 'calories_kcal', 'energy (kcal)'],
  'calories#kJ': ['energy_kj', 'energy (kj)', 'energy [kj]', 'kilojoules', 'kj'],
  carbs: ['carbs_g', 'carbohydrates_g', 'carbohydrate', 'carbohydrate (g)'],
  protein: ['protein_g'],
  fat: ['fat_g'],
  fiber: ['fiber_g', 'fibre_g'],
  sugar: ['sugar_g', 'sugars_g'],
  quantity: ['amount', 'serving'],
  meal: ['meal_type'],
  'waterMl#ml': ['water (ml)'],
  'waterMl#l': ['water (l)'],
};

type Rules = Readonly<Record<string, MappingRule>>;

function withOtherNames(rules: Rules): Rules {
  const others = ([field, rule]: [string, MappingRule]): [string, MappingRule] => [
    field,
    { ...rule, from: [rule.from, OTHER_NAMES[field] ?? []].flat() },
  ];
  return Object.fromEntries(Object.entries(rules).map(others));
}

function namesOf(rules: Rules, ...fields: readonly string[]): readonly Path[] {
  return fields.flatMap((field) =>
    Object.entries(rules).flatMap(([name, { from }]) => (name.split('#')[0] === field ? from : [])),
  );
}

const item = withOtherNames(tableRules(ITEM_FIELDS));
const totals = withOtherNames(tableRules(NUTRITION_FIELDS));

const items = {
  kind: 'nutrition',
  holds: 'food items',
  records: ['*', ''],
  person: PEOPLE,
  time: { from: 'logged_at' },
  item,
  guess: true,
} satisfies Partial<NutritionMapping>;

/** The time is that of the clock, or the usual one of the meal. */
const dated = {
  ...items,
  holds: 'food items with a date',
  has: [
    DATES,
    ['time', ...namesOf(item, 'meal')],
    namesOf(item, 'name'),
    namesOf(item, 'calories', 'carbs'),
  ],
  time: { from: DATES, clock: 'time' },
};

/** What was eaten, as people's own scripts and spreadsheets write it. */
export const foodLog: Source = {
  name: 'food-log',
  title: 'Food log',
  howTo:
    'A JSON list or a table of food items with fields as in docs/records.md, and "logged_at", which says when they were eaten, or "date" and "time" or "meal". A table may have the totals of a day on each line instead.',
  evidence: ['docs/records.md'],
  general: true,
  files: [
    { ...items, format: 'json', has: ['logged_at'], hasNot: ['items'] },
    { ...items, format: 'csv', has: ['logged_at'] },
    { ...dated, format: 'json', hasNot: ['logged_at', 'items'] },
    { ...dated, format: 'csv' },
    nutrition('csv', 'food of whole days', {
      // Without carbs, the calories may be burned ones, and the fat that of a scale.
      has: [DATES, namesOf(totals, 'carbs')],
      hasNot: ['logged_at', 'time', 'item', ...namesOf(item, 'name', 'meal', 'quantity')],
      person: PEOPLE,
      time: { from: DATES },
      totals,
      guess: true,
    }),
  ],
};
