// Tortures the built program: network faults, kills, races, bad disks, clocks, hostile input. Every random
// choice follows from the seed. `npm run torture -- --help` shows the options.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const USAGE = `Usage: npm run torture -- [--short] [--seed N] [--kind NAME]... [--round N] [--table FILE]

  --short       the form for CI: 3 minutes instead of 20, on two cores
  --seed N      repeats a run: the seed that it printed
  --kind NAME   only this kind, such as kill
  --round N     only this round of each kind
  --table FILE  also writes the table to a file`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    kind: { type: 'string', multiple: true },
    round: { type: 'string' },
    table: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}

process.env.SYNC_TORTURE_SEED = values.seed;
process.env.SYNC_TORTURE_FORM = values.short ? 'short' : 'full';
if (values.round !== undefined) process.env.SYNC_TORTURE_ROUND = values.round;
if (values.table !== undefined) process.env.SYNC_TORTURE_TABLE = values.table;
console.log(`Seed ${values.seed}, ${process.env.SYNC_TORTURE_FORM} form.`);

const vitest = await startVitest('test', [], {
  config: 'test/torture/vitest.config.ts',
  run: true,
  watch: false,
  // The name of a test is `KIND round N`.
  ...(values.kind === undefined
    ? {}
    : { testNamePattern: `^(${values.kind.map(RegExp.escape ?? String).join('|')}) ` }),
});
await vitest.close();
