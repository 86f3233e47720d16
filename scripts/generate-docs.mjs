// Writes the documents that follow from the source, or parts of them: npm run generate-docs [-- PART...]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PARTS } from './generated.mjs';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. The parts are: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
const parts = names.length === 0 ? Object.values(PARTS) : names.map((name) => PARTS[name]);
if (parts.some(({ runsProgram }) => runsProgram)) run('build.mjs');
for (const { script } of parts) run(script);

function run(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status } = spawnSync(process.execPath, [path], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
