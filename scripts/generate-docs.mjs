// Writes the documents that follow from the source, or parts of them: npm run generate-docs [-- PART...]
// With --check it writes nothing, and fails if one is out of date.
import { parseArgs } from 'node:util';
import { stale } from './docs/document.mjs';

/** The modules in docs/. `json` and `pictures` run the built program. */
const PARTS = [
  'schema',
  'json',
  'records',
  'sources',
  'devices',
  'settings',
  'sandbox',
  'pictures',
];

// scripts/docs/document.mjs reads `--check`.
const { positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' } },
});
const unknown = positionals.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. The parts are: ${PARTS.join(', ')}.`);
  process.exit(2);
}
const parts = positionals.length === 0 ? PARTS : positionals;
for (const part of parts) {
  await import(`./docs/${part}.mjs`);
  for (const path of stale.splice(0)) {
    console.error(`${path} is out of date: run \`npm run generate-docs -- ${part}\`.`);
    process.exitCode = 1;
  }
}
