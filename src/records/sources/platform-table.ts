import {
  type FieldTable,
  ITEM_FIELDS,
  NUTRITION_FIELDS,
  WELLNESS_FIELDS,
  conversionOf,
  highestOf,
  unitNameOf,
  unitsOf,
} from '../fields.ts';
import { plain } from '../names.ts';
import { PEOPLE } from '../people.ts';
import { type MappingRule, type Source, type WellnessMapping, wellness } from './types.ts';

/** Names without the unit of fields that have it in theirs. */
const WITHOUT_UNIT: Readonly<Record<string, readonly string[]>> = {
  distanceMeters: ['distance'],
  exerciseMinutes: ['exercise'],
  sleepSecs: ['sleep', 'sleepDuration'],
  weight: ['bodyWeight', 'bodyMass'],
};

function aliasesOf(field: string): readonly string[] {
  return (WELLNESS_FIELDS[field] ?? ITEM_FIELDS[field] ?? NUTRITION_FIELDS[field])?.aliases ?? [];
}

/** The names of a field with a unit, other than its aliases: `weight (lb)`, `weight [lb]`, `weight_lb`. */
function withUnit(field: string, unit: string): string[] {
  const names = [field, ...aliasesOf(field)];
  const bracketed = [...names, ...(WITHOUT_UNIT[field] ?? [])];
  const isName = (name: string) => names.some((other) => plain(other) === plain(name));
  return [
    ...bracketed.flatMap((name) =>
      [` (${unit})`, ` [${unit}]`, `, ${unit}`, ` in ${unit}`].map((end) => name + end),
    ),
    ...names.map((name) => `${name}_${unit}`).filter((name) => !isName(name)),
  ];
}

/** Returns the rules of a field: one for its bare names, and one for each unit of it. */
function rulesOf(field: string): [string, MappingRule][] {
  const names = [field, ...aliasesOf(field)];
  if (highestOf(field) !== undefined) return scoreRules(field, names);
  const units = Object.entries(unitsOf(field));
  const own = unitNameOf(field);
  const bare = units.length > 0 || own === '' ? names : [...names, ...withUnit(field, own)];
  const beside = UNCLEAR[field]?.unit?.from;
  const inUnit = units.map(([unit, factor]): [string, MappingRule] => [
    `${field}#${unit}`,
    {
      ...{ from: withUnit(field, unit), factor, ...(factor === 1 ? {} : { decimals: 2 }) },
      // A column for the unit may repeat that of the header, not contradict it.
      ...(beside === undefined ? {} : { unit: { from: beside, factors: { [unit]: 1 } } }),
    },
  ]);
  return [[field, UNCLEAR[field] ?? { from: bare }], ...inUnit];
}

const SCALES: readonly (readonly [scale: string, headers: readonly string[]])[] = [
  ['/5', ['/5', '1-5']],
  ['/10', ['/10', '1-10']],
  ['/100', ['%', '/100', '0-100', '1-100']],
];

/** Returns the rules of a score: one for its bare name, and one for each scale that a header may state. */
function scoreRules(field: string, names: readonly string[]): [string, MappingRule][] {
  const stated = SCALES.map(([scale, headers]): [string, MappingRule] => [
    `${field}#${scale}`,
    { from: headers.flatMap((text) => withUnit(field, text)), ...conversionOf(field, scale) },
  ]);
  return [[field, { from: names }], ...stated];
}

export const DATES = [
  'date',
  'localDate',
  'calendarDate',
  'day',
  'time of measurement',
  'measurement date',
  'dateTime',
];

/** A column that may not state its unit; the column beside it may. */
function unclear(field: string, ...others: string[]): MappingRule {
  const from = [`${field} unit`, `${field} units`, ...others];
  return { from: field, unit: { from, factors: unitsOf(field) }, mayLackUnit: true };
}

/** Fields whose bare name does not say what their values are. */
const UNCLEAR: Readonly<Record<string, MappingRule>> = {
  weight: unclear('weight', 'unit', 'units'),
  hrv: { ...unclear('hrv'), factor: 1 },
  restingCaloriesBurned: { ...unclear('restingCaloriesBurned'), factor: 1 },
  activeCaloriesBurned: { ...unclear('activeCaloriesBurned'), factor: 1 },
  totalCaloriesBurned: { ...unclear('totalCaloriesBurned'), factor: 1 },
  // Platforms do not say which of the two they take.
  bloodGlucose: { from: ['bloodGlucose', 'bloodGlucose (mmol/l)', 'bloodGlucose (mg/dl)'] },
};

/** Returns the rules of the fields that a table may have, by the platform's names and usual units. */
export function tableRules(table: FieldTable): Record<string, MappingRule> {
  const fields = Object.entries(table).filter(([, { type }]) => type !== 'object');
  return Object.fromEntries(fields.flatMap(([field]) => rulesOf(field)));
}

const RULES: WellnessMapping['fields'] = {
  ...tableRules(WELLNESS_FIELDS),
  'weight#stated': { from: aliasesOf('weight'), factor: 1 },
  'hrv#rmssd': { from: aliasesOf('hrv') },
};

/** A table that people make themselves, with the platform's names as its header. */
export const platformTable: Source = {
  name: 'table',
  title: 'table with the field names of the platform',
  howTo:
    'Any spreadsheet: one line a day, a column "date", and columns named as in docs/records.md. Save it as CSV (UTF-8).',
  evidence: ['docs/records.md'],
  general: true,
  files: [
    wellness('csv', 'wellness', {
      has: [
        DATES,
        Object.values(RULES).flatMap((rule) => (typeof rule === 'string' ? rule : rule.from)),
      ],
      person: PEOPLE,
      day: { from: DATES },
      at: { from: DATES, clock: 'time' },
      fields: RULES,
      guess: true,
    }),
  ],
};
