// Writes the types of the library: those of its results from the table of JSON lines, those of records from
// src/records/fields.ts, those of the platform's objects from docs/openapi.yaml. With --check it writes
// nothing, and fails if a file is out of date.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { keep, load } from './generated.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');

/** The lines that are results of the library, by their types there. */
const RESULTS = { UploadResult: 'upload', RecordResult: 'wellness', VerifyResult: 'verify' };
/** What only commands print: a library's client has no dry run, and no flag of `sync seed` or `sync watch`. */
const OUTCOMES_OF_COMMANDS = ['would-upload', 'would-push'];
const FIELDS_OF_COMMANDS = ['at', 'account', 'zone', 'zoneFrom'];

const head = (source) => `// Written by \`npm run generate-docs\` from ${source}. Do not edit.`;

const shapes = Object.entries(RESULTS).map(([name, type]) => shapesOf(name, type));
const shared = sharedFields(shapes.flatMap((result) => result.each));

await keep(
  'scripts/json-schema/results.ts',
  [
    head('the table in this folder'),
    `/** The fields that several results have. */
interface Fields { ${[...shared.values()].join('')} }`,
    ...shapes.map(
      ({ name, about, each }) =>
        `${comment(about)}export type ${name} = ${each.map(shapeType).join(' | ')};`,
    ),
  ].join('\n\n'),
);

/** Returns each form of a result: its fields as TypeScript, by name. */
function shapesOf(name, type) {
  const { about, fields, variants } = LINES.find(({ types }) => types.includes(type));
  if (variants === undefined) return { name, about, each: [members(fields)] };
  const each = variants.each
    .filter(({ is }) => !Object.keys(is).some((word) => OUTCOMES_OF_COMMANDS.includes(word)))
    .map((variant) => {
      const outcome = field(variants.by, words(variant.is), meaningOf(variant.is));
      return new Map([[variants.by, outcome], ...members({ ...fields, ...variant.fields })]);
    });
  return { name, about, each };
}

/** Returns the fields that occur several times, each in its most frequent form. */
function sharedFields(all) {
  const counts = new Map();
  for (const [name, text] of all.flatMap((shape) => [...shape])) {
    if (name === 'outcome') continue;
    const forms = counts.get(name) ?? counts.set(name, new Map()).get(name);
    forms.set(text, (forms.get(text) ?? 0) + 1);
  }
  const found = [...counts].flatMap(([name, forms]) => {
    const [[text, count]] = [...forms].sort((a, b) => b[1] - a[1]);
    return count > 1 ? [[name, text]] : [];
  });
  return new Map(found);
}

function shapeType(shape) {
  const isShared = ([name, text]) => shared.get(name) === text;
  const own = [...shape].filter((each) => !isShared(each)).map(([, text]) => text);
  const picked = [...shape].filter(isShared).map(([name]) => `'${name}'`);
  const parts = [
    ...(own.length > 0 ? [`{ ${own.join('')} }`] : []),
    ...(picked.length > 0 ? [`Pick<Fields, ${picked.join(' | ')}>`] : []),
  ];
  return `(${parts.join(' & ')})`;
}

function objectType(shape) {
  return `{ ${[...members(shape).values()].join('')} }`;
}

/** Returns the fields of an object as TypeScript, by name. */
function members(shape) {
  return new Map(
    Object.entries(shape)
      .filter(([name]) => !FIELDS_OF_COMMANDS.includes(name))
      .map(([name, { about, when, schema, type, inner, values }]) => [
        name,
        field(
          when === undefined ? name : `${name}?`,
          inner === undefined ? typeOf(schema) : innerType(schema, inner),
          [withUnit(about, type), when && `Only if ${when}.`, values && meaningOf(values)],
        ),
      ]),
  );
}

function field(name, type, about) {
  return `${comment([about].flat().filter(Boolean).join(' '))}readonly ${name}: ${type};\n`;
}

function comment(text) {
  return text === '' ? '' : `/** ${text} */\n`;
}

function innerType({ type }, inner) {
  return type === 'array' ? `readonly ${objectType(inner)}[]` : objectType(inner);
}

/** The type of a JSON Schema. */
function typeOf({ type, enum: values, items, $ref }) {
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ');
  if ($ref !== undefined || type === 'string') return 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return `readonly (${typeOf(items)})[]`;
  if (type === 'object') return 'Readonly<Record<string, unknown>>';
  return 'unknown';
}

/** `Time without pauses (s).` */
function withUnit(about, type) {
  const unit = type === 'time' ? 'ISO 8601' : /^(?:integer|number), (.*)$/.exec(type)?.[1];
  return unit === undefined ? about : about.replace(/\.$/, ` (${unit}).`);
}

function words(values) {
  return typeOf({ enum: Object.keys(values) });
}

function meaningOf(values) {
  const meanings = Object.entries(values).map(([word, about]) => `\`${word}\`: ${about}`);
  return `${meanings.join('; ')}.`;
}

const { WELLNESS_FIELDS, NUTRITION_FIELDS, ITEM_FIELDS } = await load('src/records/fields.ts');
const openapi = parse(readFileSync(new URL('../docs/openapi.yaml', import.meta.url), 'utf8'));
const DATE = field('date', 'string', 'The day: `YYYY-MM-DD`, or a time in ISO 8601.');

await keep(
  'scripts/json-schema/records.ts',
  [
    head('src/records/fields.ts and docs/openapi.yaml'),
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

function platformType({ type, ...schema }) {
  const types = [type]
    .flat()
    .map((each) => (each === 'null' ? each : typeOf({ ...schema, type: each })));
  return types.join(' | ');
}
