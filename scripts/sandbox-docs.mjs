// Writes the tables of docs/sandbox.md from src/sandbox/settings.ts. With --check it writes nothing, and
// fails if they are out of date.
import { keepPart, load, table } from './generated.mjs';

const { REVISION_NAMES, SETTINGS } = await load('src/sandbox/settings.ts');

const all = [...SETTINGS];
const traits = all.filter(([, { values }]) => values !== null);
const others = all.filter(([, { values }]) => values === null);
const code = (value) => `\`${JSON.stringify(value)}\``;

await keepPart(
  'docs/sandbox.md',
  '`npm run generate-docs` from src/sandbox/settings.ts',
  [
    table(
      ['trait', ...REVISION_NAMES, 'meaning'],
      traits.map(([name, { values, meaning }]) => [`\`${name}\``, ...values.map(code), meaning]),
    ),
    '## Settings',
    `Traits and settings are set at the start by \`--set NAME=VALUE\`, as often as you like. VALUE is JSON or text; a list may be
words in quotes: \`--set 'grantScopes=workout:write profile:read'\`. \`sync sandbox --help\` lists all of them with their values. They
can also change while it runs:
\`curl -X POST http://127.0.0.1:8918/_sandbox/settings -H 'content-type: application/json' -d '{"accessTtl": 5}'\`.
\`revision\` and \`autoApprove\` have flags of their own: \`--revision\` and \`--auto-approve\`.`,
    table(
      ['setting', 'default', 'meaning'],
      others.map(([name, { byDefault, meaning }]) => [`\`${name}\``, code(byDefault), meaning]),
    ),
  ].join('\n\n'),
);
