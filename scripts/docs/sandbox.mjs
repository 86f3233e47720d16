// Writes the tables of docs/sandbox.md from src/sandbox/settings.ts.
import { keepPart, load, table } from './document.mjs';

const { PLATFORM_NOTES, SETTINGS } = await load('src/sandbox/settings.ts');

const code = (value) => `\`${JSON.stringify(value)}\``;

await keepPart(
  'docs/sandbox.md',
  '`npm run generate-docs` from src/sandbox/settings.ts',
  [
    table(
      ['`--platform`', 'what it plays'],
      Object.entries(PLATFORM_NOTES).map(([name, about]) => [`\`${name}\``, about]),
    ),
    '## Settings',
    `Settings are set at the start by \`--set NAME=VALUE\`, as often as you like. VALUE is JSON or text; a list may be
words in quotes: \`--set 'grantScopes=workout:write profile:read'\`. \`sync sandbox --help\` lists all of them with their values. They
can also change while it runs:
\`curl -X POST http://127.0.0.1:8918/_sandbox/settings -H 'content-type: application/json' -d '{"accessTtl": 5}'\`.
\`platform\` and \`autoApprove\` have flags of their own: \`--platform\` and \`--auto-approve\`.`,
    table(
      ['setting', 'default', 'meaning'],
      [...SETTINGS].map(([name, { byDefault, meaning }]) => [
        `\`${name}\``,
        code(byDefault),
        meaning,
      ]),
    ),
  ].join('\n\n'),
);
