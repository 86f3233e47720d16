// Writes docs/json.schema.json and docs/json.md from the table in scripts/json-schema/ and the lines that
// json-examples.mjs recorded. With --check it writes nothing, and fails if one of them is out of date.
import { readFileSync } from 'node:fs';
import { keep, load, table } from './generated.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');
const { factsOf } = await load('scripts/json-schema/fields.ts');
const { jsonSchema, shapesOf } = await load('scripts/json-schema/schema.ts');
const { JSON_VERSION } = await load('src/base/version.ts');
const EXAMPLES = JSON.parse(
  readFileSync(new URL('json-schema/examples.json', import.meta.url), 'utf8'),
);

const INTRODUCTION = `
# Output of \`--json\`

<!-- Written by \`npm run generate-docs\` from scripts/json-schema. Do not edit. -->

\`\`\`sh
sync upload rides --json | jq -r 'select(.type == "upload") | [.outcome, .path] | @tsv'
\`\`\`

With \`--json\`, a command prints one JSON object a line on stdout, and nothing else there. Warnings and errors for people
stay on stderr. A command that handles several items ends with a \`summary\`. If a command fails as a whole, an \`error\` line says why;
a \`summary\` follows if the command printed lines before it.

Each line begins with \`type\`, its kind, and \`v\`, the version of this schema: ${JSON_VERSION}. The version rises if a kind or a field
is renamed, removed or changes its meaning. New kinds, fields and words do not raise it: ignore what you do not know.

A time is ISO 8601 with an offset, such as \`2026-02-15T08:02:11.402Z\`; a date is \`YYYY-MM-DD\`. Lengths are in metres.

[json.schema.json](json.schema.json) is the reference: JSON Schema (draft 2020-12) with the meaning of each field and word. The
package exports it as \`athlete-sync/json-schema\`. It describes exactly what this version of the program prints, and allows nothing
else. The examples below come from a run on the sandbox, and are wrapped; the program prints each on one line.
`;

await keep('docs/json.schema.json', JSON.stringify(jsonSchema(LINES)));
await keep('docs/json.md', markdown());

function markdown() {
  return [INTRODUCTION, overview(), ...LINES.flatMap(kindText)].join('\n\n');
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

/** A heading, what the line means, the words of its fields, and one recorded example. */
function kindText(kind) {
  const { about, fields, by, variants = [] } = kind;
  const words = new Map();
  const addWords = (name, more) =>
    more === undefined || words.set(name, { ...words.get(name), ...more });
  const addFields = (shape) => {
    for (const [name, field] of Object.entries(shape)) addWords(name, factsOf(field).words);
  };
  addFields(fields);
  for (const { is } of variants) addWords(by[0], is);
  for (const variant of variants) addFields(variant.fields);
  return [
    `## ${title(kind)}`,
    about,
    ...[...words].flatMap(([name, values]) => [`\`${name}\`:`, wordList(values)]),
    ...example(shapesOf(kind).map(({ name }) => name)),
  ];
}

function wordList(values) {
  return Object.entries(values)
    .map(([word, meaning]) => `- \`${word}\`: ${meaning}`)
    .join('\n');
}

/** The recorded line of the first definition that the fixed run printed. */
function example(definitions) {
  const line = definitions.map((name) => EXAMPLES[name]).find((each) => each !== undefined);
  return line === undefined ? [] : [['```json', JSON.stringify(line), '```'].join('\n')];
}
