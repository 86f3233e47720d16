// Writes scripts/json-schema/results.ts: the types of the library's results, from the table of JSON lines. With
// --check it writes nothing, and fails if the file is out of date.
import { keep, load } from './generated.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');

/** The lines that are results of the library, by their types there. */
const RESULTS = { UploadResult: 'upload', RecordResult: 'wellness', VerifyResult: 'verify' };
/** What only commands print: a library's client has no dry run, and no flag of `sync seed` or `sync watch`. */
const OUTCOMES_OF_COMMANDS = ['would-upload', 'would-push'];
const FIELDS_OF_COMMANDS = ['at', 'account', 'fault', 'zone', 'zoneFrom'];

const HEAD = '// Written by `npm run generate-docs` from the table in this folder. Do not edit.';

await keep(
  'scripts/json-schema/results.ts',
  [HEAD, ...Object.entries(RESULTS).map(result)].join('\n\n'),
);

function result([name, type]) {
  const { about, fields, variants } = LINES.find(({ types }) => types.includes(type));
  const shapes =
    variants === undefined
      ? [objectType(fields)]
      : variants.each
          .filter(({ is }) => !Object.keys(is).some((word) => OUTCOMES_OF_COMMANDS.includes(word)))
          .map((variant) => {
            const outcome = field(variants.by, words(variant.is), meaningOf(variant.is));
            return objectType({ ...fields, ...variant.fields }, outcome);
          });
  return `${comment(about)}export type ${name} = ${shapes.join(' | ')};`;
}

function objectType(shape, ...more) {
  const fields = Object.entries(shape)
    .filter(([name]) => !FIELDS_OF_COMMANDS.includes(name))
    .map(([name, { about, when, schema, type, inner, values }]) =>
      field(
        when === undefined ? name : `${name}?`,
        inner === undefined ? typeOf(schema) : innerType(schema, inner),
        [withUnit(about, type), when && `Only if ${when}.`, values && meaningOf(values)],
      ),
    );
  return `{ ${[...more, ...fields].join('')} }`;
}

function field(name, type, about) {
  return `${comment([about].flat().filter(Boolean).join(' '))}readonly ${name}: ${type};\n`;
}

function comment(text) {
  return `/** ${text} */\n`;
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
