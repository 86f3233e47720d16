// Runs scenarios on real systems: a virtual machine with devices, Wine, an arm64 tree.
// `npm run lab -- --help` shows the options.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLaboratory } from '../test/lab/laboratory.mjs';
import { SCENARIOS, SHORT } from '../test/lab/scenarios.mjs';

const USAGE = `Usage: npm run lab -- [--short] [--list] [--expect] [NAME...]

  NAME       only these scenarios, such as mtp
  --short    the form for CI: the scenarios that --list marks
  --list     shows the scenarios
  --expect   a scenario that this host is not able to run counts as failed`;

const flag = { type: 'boolean', default: false };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: flag, list: flag, expect: flag, help: flag },
});
const unknown = positionals.filter((name) => !SCENARIOS.some((each) => each.name === name));
if (values.help || unknown.length > 0) {
  for (const name of unknown) console.error(`No scenario is called ${name}: see --list.`);
  console.log(USAGE);
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (values.list) {
  for (const { name, what } of SCENARIOS)
    console.log(`${name.padEnd(16)} ${what}${SHORT.includes(name) ? ' (short)' : ''}`);
  process.exit();
}

const scratch = mkdtempSync(join(tmpdir(), 'sync-lab-'));
const laboratory = openLaboratory(scratch);
const cleanUp = async () => {
  await laboratory.close();
  rmSync(scratch, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));

const rows = [];
const all = SCENARIOS.map(({ name }) => name);
const wanted = positionals.length > 0 ? positionals : values.short ? SHORT : all;
for (const name of wanted) rows.push(await runOnce(SCENARIOS.find((each) => each.name === name)));
await cleanUp();
console.log('');
for (const { name, result, seconds, why } of rows)
  console.log(`${name.padEnd(16)} ${result.padEnd(8)} ${String(seconds).padStart(5)} s  ${why}`);
const bad = values.expect ? ['failed', 'not run'] : ['failed'];
if (rows.some(({ result }) => bad.includes(result))) process.exitCode = 1;

async function runOnce({ name, what, on, run }) {
  console.log(`\n== ${name}: ${what}`);
  const started = Date.now();
  let [result, why] = ['passed', ''];
  try {
    await laboratory.run(on, run);
  } catch (error) {
    console.log(error.stack);
    result = error.notRun === true ? 'not run' : 'failed';
    why = error.message.split('\n')[0];
  }
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`== ${name}: ${result} after ${seconds} s ${why}`);
  return { name, result, why, seconds };
}
