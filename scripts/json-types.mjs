// Writes the types of records from src/records/fields.ts, and those of the platform's objects from docs/openapi.yaml.
// With --check it writes nothing, and fails if the file is out of date.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { keep, load } from './generated.mjs';
import { comment, field } from './result-types.mjs';

const { WELLNESS_FIELDS, NUTRITION_FIELDS, ITEM_FIELDS } = await load('src/records/fields.ts');
const openapi = parse(readFileSync(new URL('../docs/openapi.yaml', import.meta.url), 'utf8'));
const DATE = field('date', 'string', 'The day: `YYYY-MM-DD`, or a time in ISO 8601.');

await keep(
  'scripts/json-schema/records.ts',
  [
    '// Written by `npm run generate-docs` from src/records/fields.ts and docs/openapi.yaml. Do not edit.',
    record('WellnessRecord', 'The wellness of one day.', DATE, WELLNESS_FIELDS),
    record(
      'NutritionItem',
      'Something that was eaten or drunk.',
      field('logged_at', 'string', 'When: ISO 8601 with an offset, or local time.'),
      ITEM_FIELDS,
    ),
    record(
      'NutritionRecord',
      'The nutrition of one day. A total overrides the sum of the items.',
      DATE + 'readonly items?: readonly NutritionItem[] | null | undefined;\n',
      NUTRITION_FIELDS,
    ),
    answer('Workout', 'A workout as the platform shows it: deployed platforms differ.'),
    answer('Profile', "An athlete's profile as the platform shows it: deployed platforms differ."),
  ].join('\n\n'),
);

/** Returns the interface of records with these fields, after `first`. */
function record(name, about, first, table) {
  const fields = Object.entries(table).map(([member, rule]) => {
    const [type, meaning] = ruleType(rule);
    return field(`${member}?`, `${type} | null | undefined`, meaning);
  });
  return `${comment(about)}export interface ${name} { ${[first, ...fields].join('')} }`;
}

function ruleType({ type, min, max, unit, known }) {
  if (type === 'text') return ['string'];
  if (type === 'word') return [known.map((word) => `'${word}'`).join(' | ')];
  if (type === 'object') return ['Readonly<Record<string, unknown>>', 'The original record.'];
  const range = max >= Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  return ['number', `${unit}: ${type === 'integer' ? 'whole number, ' : ''}${range}.`];
}

/** Returns the interface of an object of the platform. */
function answer(name, about) {
  const fields = Object.entries(openapi.components.schemas[name].properties).map(
    ([member, { description, ...schema }]) =>
      field(`${member}?`, platformType(schema), description),
  );
  return `${comment(about)}export interface ${name} { ${fields.join('')}readonly [member: string]: unknown; }`;
}

/** Returns the type of a JSON Schema. */
function typeOf({ type, enum: values, items, $ref }) {
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ');
  if ($ref !== undefined) return 'string';
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly (${typeOf(items)})[]`;
  return type === 'object' ? 'Readonly<Record<string, unknown>>' : type;
}

function platformType({ type, ...schema }) {
  const types = [type]
    .flat()
    .map((each) => (each === 'null' ? each : typeOf({ ...schema, type: each })));
  return types.join(' | ');
}
