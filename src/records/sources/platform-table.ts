import { KG_PER_POUND } from '../../base/units.ts';
import { type FieldRule, WELLNESS_FIELDS } from '../fields.ts';
import type { Source, WellnessMapping } from './types.ts';

const fields = Object.entries(WELLNESS_FIELDS).filter(([, { type }]) => type !== 'object');

/** The names of a field, also with its unit: `weight`, `weightKg`, `weight (kg)`. */
function spellings([name, rule]: [string, FieldRule]): string[] {
  const unit = 'unit' in rule ? [`${name} (${rule.unit.replace(/ .*/, '')})`] : [];
  return [name, ...(rule.aliases ?? []), ...unit];
}

/** A bare `weight` is in the unit of the column beside it. */
const WEIGHTS: WellnessMapping['fields'] = {
  weight: {
    from: 'weight',
    unit: {
      from: ['weight unit', 'weight units', 'unit', 'units'],
      factors: { kg: 1, kgs: 1, lb: KG_PER_POUND, lbs: KG_PER_POUND, st: 14 * KG_PER_POUND },
    },
    mayLackUnit: true,
  },
  'weight#kg': { from: ['weightKg', 'weightKilograms', 'weight (kg)'] },
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
    {
      kind: 'wellness',
      holds: 'wellness',
      format: 'csv',
      has: [['date', 'localDate', 'calendarDate', 'day'], fields.flatMap(spellings)],
      day: { from: ['date', 'localDate', 'calendarDate', 'day'] },
      fields: {
        ...Object.fromEntries(fields.map((field) => [field[0], { from: spellings(field) }])),
        ...WEIGHTS,
      },
      guess: true,
    },
  ],
};
