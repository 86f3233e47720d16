/**
 * Measures against what a user would use instead.
 *
 * - `npm run bench`: all rows that are quick
 * - `npm run bench -- start known-50000`: parts and rows by name
 * - `npm run bench -- --full`: all rows (10 minutes on two idle cores); writes docs/internals/performance.md
 * - `npm run bench -- --setup`: installs the rivals on Debian
 * - `--rounds N`: so many rounds of each row, for a rough look
 */
import { parseArgs } from 'node:util';
import { describeMachine, isBusy } from './machine.mjs';
import { terminalLines, writeReport } from './report.mjs';
import { ROWS } from './rows.mjs';
import { judge } from './statistics.mjs';
import { missingTools, setUp, toolVersions } from './tools.mjs';

const SETUP = '`npm run bench -- --setup` installs it on Debian';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    setup: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
process.exit(options.setup ? install() : await bench());

function install() {
  setUp();
  return 0;
}

async function bench() {
  const rows = chosenRows();
  const versions = toolVersions();
  const missing = missingTools(versions);
  for (const name of missing) console.log(`${name} is missing; ${SETUP}.`);
  if (missing.includes('python3')) return 2;
  if (isBusy()) console.log('The machine has other work to do: wall times mean little.');
  const machine = describeMachine(versions, missing);
  console.log(machine.join('\n'));
  const results = [];
  for (const row of rows) {
    const started = performance.now();
    const result = await resultOf(row, missing);
    const secs = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`\n${terminalLines(result).join('\n')}\n  (${secs} s)`);
    results.push(result);
  }
  const missed = results.flatMap(({ figures = [] }) => figures).filter(({ met }) => met === false);
  console.log(`\n${missed.length} targets missed`);
  if (options.full && positionals.length === 0 && options.rounds === undefined) {
    await writeReport(machine, results);
    console.log('wrote docs/internals/performance.md');
  }
  return results.some(({ failed }) => failed) ? 1 : 0;
}

/** Returns the rows that the command line names; without a name, the quick ones or all. */
function chosenRows() {
  const inSize = ROWS.filter((row) => options.full || row.full !== true);
  const chosen = positionals.map((name) => {
    const exact = ROWS.filter(({ id }) => id === name);
    return exact.length > 0 ? exact : inSize.filter(({ id }) => id.split('-')[0] === name);
  });
  const unknown = positionals.filter((_, at) => chosen[at].length === 0);
  if (unknown.length > 0) {
    console.error(`There is no row ${unknown.join(', ')}. There are:`);
    console.error(ROWS.map(({ id }) => `  ${id}`).join('\n'));
    process.exit(2);
  }
  return positionals.length > 0 ? chosen.flat() : inSize;
}

/** Measures and judges a row. A failure is its result, so that the other rows are measured too. */
async function resultOf(row, missing) {
  const lacks = (row.needs ?? []).filter((name) => missing.includes(name));
  if (row.linux && process.platform !== 'linux') {
    return { row, reason: 'not measured: this runs on Linux only' };
  }
  try {
    const rounds = Number(options.rounds ?? row.rounds ?? 1);
    const figures = await row.measure({ rounds, compared: lacks.length === 0 });
    return { row, figures: figures.map((figure) => judge(figure, row.targets?.[figure.name])) };
  } catch (error) {
    return { row, reason: `failed: ${error.message}`, failed: true };
  }
}
