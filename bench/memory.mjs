import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment, peakMemory, program, scratch, tell } from './support.mjs';

/** Peak memory of the commands that handle years of data (MB). */
const LIMIT_MB = 150;

const DAYS = Array.from({ length: 1_000 }, (_, index) =>
  new Date(Date.UTC(2023, 0, 1 + index)).toISOString().slice(0, 10),
);

const WELLNESS = DAYS.map((date, index) => ({
  date,
  hrv: 60 + (index % 20),
  restingHr: 45 + (index % 7),
  sleepSecs: 25_000 + index,
  rawJson: { night: 'x'.repeat(500) },
}));

const NUTRITION = DAYS.map((date, index) => ({
  date,
  items: Array.from({ length: 12 }, (_, meal) => ({
    logged_at: `${date}T${String(7 + meal).padStart(2, '0')}:00:00+01:00`,
    name: `Meal ${meal} of day ${index}`,
    carbs: 20 + meal,
    absorptionType: 'BALANCED',
  })),
}));

/** A thousand days pushed from one file, and a year of `sync seed`. */
export async function bench() {
  if (process.platform !== 'linux') {
    console.log('peak memory is measured on Linux only');
    return;
  }
  const sandbox = await startSandbox();
  const env = { ...environment('memory', sandbox.url), SYNC_ACCESS_TOKEN: await sandbox.mint() };
  mkdirSync(env.HOME, { recursive: true });
  const measure = async (job, args) => {
    const command = [process.execPath, program, ...args];
    tell(`${job}, peak memory`, await peakMemory(command, env), LIMIT_MB, 'MB');
  };
  for (const [kind, records] of [
    ['wellness', WELLNESS],
    ['nutrition', NUTRITION],
  ]) {
    for (const [form, text] of [
      ['json', JSON.stringify(records)],
      ['ndjson', records.map((record) => JSON.stringify(record)).join('\n')],
    ]) {
      const file = join(scratch, `${kind}.${form}`);
      writeFileSync(file, text);
      await measure(`push 1,000 days of ${kind} (${form})`, ['push', kind, file, '--force']);
    }
  }
  const year = ['--days', '365', '--until', '2026-05-17'];
  await measure('seed a year into an account', ['seed', ...year]);
  await measure('seed a year into files', ['seed', ...year, '--out', join(scratch, 'life')]);
  sandbox.stop();
}

/** Starts `sync sandbox` on a free port. */
export async function startSandbox() {
  const child = spawn(process.execPath, [program, 'sandbox', '--port', '0', '--json'], {
    env: environment('sandbox', 'http://127.0.0.1'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url } = await new Promise((done, fail) => {
    child.once('close', (code) => fail(new Error(`sync sandbox ended with ${code}`)));
    createInterface({ input: child.stdout }).once('line', (line) => done(JSON.parse(line)));
  });
  return {
    url,
    mint: async () => {
      const answer = await fetch(`${url}/_sandbox/tokens`, { method: 'POST' });
      return (await answer.json()).access_token;
    },
    stop: () => child.kill(),
  };
}
