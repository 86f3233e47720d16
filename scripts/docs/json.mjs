// Writes docs/json.md from the tables in scripts/json-schema/ and the lines that a run of the program printed.
import { keep, load, table } from './document.mjs';
import { recordExamples } from './json-examples.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');
const { factsOf } = await load('scripts/json-schema/fields.ts');
const { shapesOf } = await load('scripts/json-schema/schema.ts');
const { JSON_VERSION } = await load('src/base/version.ts');
const examples = await recordExamples();

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
  const { about, fields } = kind;
  const words = new Map();
  const addWords = (shape) => {
    for (const [name, field] of Object.entries(shape)) {
      const { words: more } = factsOf(field);
      if (more !== undefined) words.set(name, { ...words.get(name), ...more });
    }
  };
  addWords(fields);
  for (const shape of shapesOf(kind)) addWords(shape.fields);
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
  const line = definitions.map((name) => examples.get(name)).find((each) => each !== undefined);
  return line === undefined ? [] : [['```json', line, '```'].join('\n')];
}
