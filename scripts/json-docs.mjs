// Writes docs/json.schema.json and docs/json.md from the table in scripts/json-schema/ and the lines that
// json-examples.mjs recorded. With --check it writes nothing, and fails if one of them is out of date.
import { readFileSync } from 'node:fs';
import { keep, load, table } from './generated.mjs';

/** More words than this stand in a list below the table. */
const MOST_WORDS = 4;

const { LINES, SHAPES } = await load('scripts/json-schema/lines.ts');
const { definitionName, jsonSchema } = await load('scripts/json-schema/schema.ts');
const { JSON_VERSION } = await load('src/base/version.ts');
const EXAMPLES = JSON.parse(
  readFileSync(new URL('json-schema/examples.json', import.meta.url), 'utf8'),
);

const INTRODUCTION = `
# Output of \`--json\`

<!-- Written by \`npm run generate-docs\` from scripts/json-schema. Do not edit. -->

With \`--json\`, a command prints one JSON object a line on stdout, and nothing else there. Warnings and errors for people
stay on stderr. A command that handles several items ends with a \`summary\`. If a command ends early, its last line is an
\`error\`.

Each line begins with \`type\`, its kind, and \`v\`, the version of this schema: ${JSON_VERSION}. The version rises if a kind or a field
is renamed, removed or changes its meaning. New kinds, fields and words do not raise it: ignore what you do not know.

A time is ISO 8601 with an offset, such as \`2026-02-15T08:02:11.402Z\`; a date is \`YYYY-MM-DD\`. Lengths are in metres. The
type of a field, or its name, says the unit. A field is always there unless its meaning says "only if".

[json.schema.json](json.schema.json) says the same as JSON Schema (draft 2020-12); the package exports it as
\`athlete-sync/json-schema\`. It describes exactly what this version of the program prints, and allows nothing else. The
examples below are wrapped; the program prints each on one line.
`;

await keep('docs/json.schema.json', JSON.stringify(jsonSchema(LINES)));
await keep('docs/json.md', markdown());

function markdown() {
  const objects = Object.entries(SHAPES).flatMap(([name, shape]) => [
    `## Object: ${name}`,
    fieldTable(shape),
  ]);
  return [INTRODUCTION, overview(), ...LINES.flatMap(kindText), ...objects].join('\n\n');
}

function overview() {
  return table(
    ['Line', 'Printed by', 'Content'],
    LINES.map((kind) => [
      `[${title(kind)}](#${anchor(title(kind))})`,
      kind.commands.map(commandName).join(', '),
      // The first sentence is enough here.
      kind.about.replace(/(?<=[.]) .*/, ''),
    ]),
  );
}

function title({ types, of }) {
  const names = types.map((type) => `\`${type}\``).join(', ');
  return of === undefined ? names : `${names} of ${of}`;
}

/** As GitHub names the anchor of a heading. */
function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function commandName(name) {
  return name.startsWith('any') ? name : `\`sync ${name}\``;
}

function kindText(kind) {
  const { about, commands, fields, variants } = kind;
  const head = [`## ${title(kind)}`, about, `Printed by ${commands.map(commandName).join(', ')}.`];
  if (variants === undefined) {
    return [...head, fieldTable(fields), ...example(kind)];
  }
  const { by, each } = variants;
  const discriminator = { type: 'word', about: `${variants.about} See below.` };
  return [
    ...head,
    fieldTable({ ...fields, [by]: discriminator }),
    ...each.flatMap((variant) => {
      const words = Object.entries(variant.is);
      const values = words.map(([word, meaning]) => `\`${word}\` (${meaning})`);
      return [
        `If \`${by}\` is ${values.join(' or ')}:`,
        ...(Object.keys(variant.fields).length === 0 ? [] : [fieldTable(variant.fields)]),
        ...example(kind, variant),
      ];
    }),
  ];
}

/** The recorded line of this kind and variant, if the fixed run prints one. */
function example(kind, variant) {
  const line = EXAMPLES[definitionName(kind, variant)];
  return line === undefined ? [] : [['```json', JSON.stringify(line), '```'].join('\n')];
}

function fieldTable(shape) {
  const fields = flatten('', shape);
  const long = fields.filter(({ values = {} }) => Object.keys(values).length > MOST_WORDS);
  const rows = fields.map(({ name, type, meaning, values }) => {
    const words = Object.entries(values ?? {}).map(([word, about]) => `\`${word}\`: ${about}`);
    const shown = words.length === 0 || words.length > MOST_WORDS ? '' : ` ${words.join('; ')}.`;
    return [`\`${name}\``, type, meaning + shown];
  });
  return [
    rows.length === 0 ? 'There are no other fields.' : table(['Field', 'Type', 'Meaning'], rows),
    ...long.flatMap(({ name, values }) => [`Words of \`${name}\`:`, wordList(values)]),
  ].join('\n\n');
}

/** The fields of an object and of the objects in it, which `a.b` and `a[].b` name. */
function flatten(prefix, shape) {
  return Object.entries(shape).flatMap(([key, field]) => {
    const { type, about, when, inner, values } = field;
    const shared = sharedName(inner);
    const meaning = [
      about,
      ...(when === undefined ? [] : [`Only if ${when}.`]),
      ...(shared === undefined ? [] : [`See [${shared}](#object-${shared}).`]),
    ].join(' ');
    const name = prefix + key;
    const below = type.startsWith('list') ? `${name}[].` : `${name}.`;
    return [
      { name, type, meaning, values },
      ...(inner === undefined || shared !== undefined ? [] : flatten(below, inner)),
    ];
  });
}

/** The name of an object that docs/json.md describes in a section of its own. */
function sharedName(shape) {
  return Object.keys(SHAPES).find((name) => SHAPES[name] === shape);
}

function wordList(values) {
  return Object.entries(values)
    .map(([word, meaning]) => `- \`${word}\`: ${meaning}`)
    .join('\n');
}
