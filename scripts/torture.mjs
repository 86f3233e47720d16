// Tortures the built program: network faults, kills, races, bad disks, clocks, hostile input. Every random
// choice follows from the seed. `npm run torture -- --help` shows the options.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { keepPart } from './docs/document.mjs';

const USAGE = `Usage: npm run torture -- [--short] [--seed N] [--kind NAME]... [--round N] [--record]

  --short       the form for CI: 3 minutes instead of 20, on two cores
  --seed N      repeats a run: the seed that it printed
  --kind NAME   only this kind, such as kill
  --round N     only this round of each kind
  --record      also writes the table to docs/internals/reliability.md`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    kind: { type: 'string', multiple: true },
    round: { type: 'string' },
    record: { type: 'boolean', default: false },
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
const scratch = mkdtempSync(join(tmpdir(), 'sync-torture-'));
const tableFile = join(scratch, 'table.md');
process.env.SYNC_TORTURE_TABLE = tableFile;
const started = Date.now();
console.log(`Seed ${values.seed}, ${process.env.SYNC_TORTURE_FORM} form.`);

// A kind has a file of its name.
const files = (values.kind ?? []).map((name) => `test/torture/kinds/${name}.torture.ts`);
const vitest = await startVitest('test', files, {
  config: 'test/torture/vitest.config.ts',
  run: true,
  watch: false,
});
await vitest.close();
if (values.record) await record(readFileSync(tableFile, 'utf8'));
rmSync(scratch, { recursive: true });

async function record(table) {
  const minutes = Math.round((Date.now() - started) / 60_000);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = [
    `${availableParallelism()} cores (${cpus()[0].model.trim()})`,
    `${Math.round(totalmem() / 1e9)} GB`,
    `${process.platform} ${release()}`,
    `Node.js ${process.versions.node}`,
  ].join(', ');
  const run = [
    `- Date: ${new Date().toISOString().slice(0, 10)}, commit ${commit}`,
    `- Machine: ${machine}`,
    `- Seed: ${values.seed}, ${values.short ? 'short' : 'full'} form, ${minutes} minutes`,
  ].join('\n');
  await keepPart(
    'docs/internals/reliability.md',
    '`npm run torture -- --record`',
    `${run}\n\n${table}`,
  );
}
