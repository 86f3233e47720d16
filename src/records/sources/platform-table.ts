import { UNIT_FACTORS } from '../../base/units.ts';
import { type FieldRule, WELLNESS_FIELDS } from '../fields.ts';
import type { Source, WellnessMapping } from './types.ts';

const fields = Object.entries(WELLNESS_FIELDS).filter(([, { type }]) => type !== 'object');

/** The names of a field, also with its unit: `weight`, `weightKg`, `weight (kg)`, `Readiness (%)`. */
function spellings([name, rule]: [string, FieldRule]): string[] {
  const names = [name, ...(rule.aliases ?? [])];
  if (!('unit' in rule)) return names;
  const unit = rule.unit.replace(/ .*/, '').replace('points', '%');
  return [...names, ...names.map((each) => `${each} (${unit})`)];
}

const DATES = ['date', 'localDate', 'calendarDate', 'day'];
const STATED_KG = ['weightKg', 'weightKilograms', 'weight (kg)', 'weight (kgs)'];

/** Fields whose bare name does not say what their values are. */
const UNCLEAR: WellnessMapping['fields'] = {
  weight: {
    from: 'weight',
    unit: {
      from: ['weight unit', 'weight units', 'unit', 'units'],
      factors: UNIT_FACTORS['kg'] ?? {},
    },
    mayLackUnit: true,
  },
  'weight#kg': { from: STATED_KG, factor: 1 },
  'weight#lb': {
    from: ['weight (lb)', 'weight (lbs)'],
    factor: UNIT_FACTORS['kg']?.['lb'] ?? NaN,
    decimals: 2,
  },
  hrv: { from: 'hrv', factor: 1, mayLackUnit: true },
  'hrv#rmssd': {
    from: fields
      .filter(([name]) => name === 'hrv')
      .flatMap(spellings)
      .slice(1),
  },
  // The platform stores a tenth of a stress above 10: points of 100 are sent as a tenth, all of them.
  stress: { from: ['stress', 'stress (%)'], factor: 0.1, decimals: 1, mayLackUnit: true },
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
      has: [DATES, [...fields.flatMap(spellings), 'weight (lb)', 'weight (lbs)']],
      day: { from: DATES },
      at: { from: DATES, clock: 'time' },
      fields: {
        ...Object.fromEntries(fields.map((field) => [field[0], { from: spellings(field) }])),
        ...UNCLEAR,
      },
      guess: true,
    },
  ],
};
