// Writes the documents that follow from the source, or parts of them: npm run generate-docs [-- PART...]
// With --check it writes nothing, and fails if one is out of date.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stale } from './docs/document.mjs';

/** The modules in docs/, and whether they run the built program. */
const PARTS = {
  schema: false,
  json: true,
  records: false,
  sources: false,
  devices: false,
  settings: false,
  sandbox: false,
  pictures: true,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. The parts are: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
const parts = positionals.length === 0 ? Object.keys(PARTS) : positionals;
if (!values.check && parts.some((part) => PARTS[part])) {
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
for (const part of parts) {
  await import(`./docs/${part}.mjs`);
  for (const path of stale.splice(0)) {
    console.error(`${path} is out of date: run \`npm run generate-docs -- ${part}\`.`);
    process.exitCode = 1;
  }
}
