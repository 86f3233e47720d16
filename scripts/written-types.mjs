// The types that the package has written out, by their sources: the results, which the sources infer with valibot from
// scripts/json-schema, and the records, of which the sources know only the tables in src/records/fields.ts.
import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';
import { load } from './docs/document.mjs';

const openapi = parse(readFileSync(new URL('../docs/openapi.yaml', import.meta.url), 'utf8'));

/** Returns for each source the function that makes its declarations of what TypeScript declares. */
export async function writtenTypes() {
  const { WELLNESS_FIELDS, NUTRITION_FIELDS, ITEM_FIELDS } = await load('src/records/fields.ts');
  const tables = {
    WellnessRecord: WELLNESS_FIELDS,
    NutritionItem: ITEM_FIELDS,
    NutritionRecord: NUTRITION_FIELDS,
  };
  return {
    'scripts/json-schema/results.ts': resultTypes,
    'scripts/json-schema/records.ts': (declared) =>
      formatted(
        declared.replace(/(?<=interface (\w+) \{)([^}]*)(readonly \[.*)/g, (_, name, own, open) =>
          name in tables ? own + recordFields(tables[name]) : answerFields(name) + open,
        ),
      ),
  };
}

function recordFields(table) {
  const fields = Object.entries(table).map(([name, rule]) => {
    const { description, ...schema } = ruleSchema(rule);
    return field(`${name}?`, `${typeText(schema)} | null | undefined`, description);
  });
  return fields.join('');
}

/** Returns the JSON Schema of the values that a rule of src/records/fields.ts takes. */
function ruleSchema({ type, min, max, unit, known }) {
  if (type === 'text') return { type: 'string' };
  if (type === 'word') return { enum: known };
  if (type === 'object') return { type, description: 'The original record.' };
  const range = max >= Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  const whole = type === 'integer' ? 'whole number, ' : '';
  return { type, description: `${unit}: ${whole}${range}.` };
}

/** Returns the fields of an object of the platform. */
function answerFields(name) {
  return Object.entries(openapi.components.schemas[name].properties)
    .map(([member, { description, ...schema }]) =>
      field(`${member}?`, typeText(schema), description),
    )
    .join('');
}

async function resultTypes() {
  const { LINES } = await load('scripts/json-schema/lines.ts');
  const { shapesOf, typeOf } = await load('scripts/json-schema/schema.ts');
  const { factsOf, partsOf } = await load('scripts/json-schema/fields.ts');
  const { FIELDS_OF_COMMANDS, OUTCOMES_OF_COMMANDS, RESULTS } = await load(
    'scripts/json-schema/results.ts',
  );

  const types = Object.entries(RESULTS).map(([name, type]) => {
    const kind = LINES.find(({ types }) => types.includes(type));
    const forms = shapesOf(kind)
      .filter(({ is }) => !OUTCOMES_OF_COMMANDS.some((word) => word in is))
      .map(({ fields }) => `{ ${members(fields)} }`);
    return `${comment(kind.about)}export type ${name} = ${forms.join(' | ')};`;
  });
  return await formatted(types.join('\n\n'));

  /** Returns the fields of an object as TypeScript. */
  function members(shape) {
    const own = Object.entries(shape).filter(([name]) => !FIELDS_OF_COMMANDS.includes(name));
    const fields = own.map(([name, given]) => {
      const { schema, about, when, unit, words } = factsOf(given);
      const meaning = [
        unit === undefined ? about : about.replace(/\.$/, ` (${unit}).`),
        when && `Only if ${when}.`,
        words && meaningOf(words),
      ];
      const text = meaning.filter(Boolean).join(' ');
      return field(when === undefined ? name : `${name}?`, fieldType(schema), text);
    });
    return fields.join('');
  }

  function fieldType(schema) {
    const { entries, item } = partsOf(schema);
    if (entries !== undefined) return `{ ${members(entries)} }`;
    if (item !== undefined) return `readonly ${fieldType(item)}[]`;
    return typeText(typeOf(schema));
  }
}

/** Returns the type of what a JSON Schema describes. */
function typeText({ type, enum: values, items, $ref }) {
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ');
  if ($ref !== undefined) return 'string';
  if (Array.isArray(type)) return type.map((each) => typeText({ type: each, items })).join(' | ');
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly (${typeText(items)})[]`;
  return type === 'object' ? 'Readonly<Record<string, unknown>>' : type;
}

function field(name, type, about = '') {
  return `${comment(about)}readonly ${name}: ${type};\n`;
}

function comment(text) {
  return text === '' ? '' : `/** ${text} */\n`;
}

function meaningOf(values) {
  const meanings = Object.entries(values).map(([word, about]) => `\`${word}\`: ${about}`);
  return `${meanings.join('; ')}.`;
}

async function formatted(text) {
  const options = await resolveConfig(import.meta.filename);
  return await format(text, { ...options, parser: 'typescript' });
}
