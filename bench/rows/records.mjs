import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from '../pair.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';

const appleMaker = fileURLToPath(new URL('../make-apple-export.mjs', import.meta.url));

/** Push of a diary of this size, a record a line: 18 records a day, six items each. */
export function pushNutrition(megabytes) {
  return async ({ rounds }) => {
    const file = join(scratch, 'nutrition.ndjson');
    writeDiary(file, megabytes * 1e6);
    const sink = await startSink();
    const env = await logIn(sink.url);
    const command = [process.execPath, program, 'push', 'nutrition', '--quiet', file];
    const figures = await pair({ command, env, before: () => forget(env) }, undefined, rounds);
    sink.close();
    return figures;
  };
}

function writeDiary(file, size) {
  const out = openSync(file, 'w');
  let written = 0;
  for (let index = 0; written < size; index++) {
    written += writeSync(out, `${JSON.stringify(diaryRecord(index))}\n`);
  }
  closeSync(out);
}

function diaryRecord(index) {
  const hour = index % 18;
  const day = new Date(Date.UTC(2000, 0, 1 + Math.floor(index / 18)));
  const date = day.toISOString().slice(0, 10);
  const items = Array.from({ length: 6 }, (_, at) => ({
    name: `Food number ${(index * 6 + at) % 997}`,
    logged_at: `${date}T${String(hour).padStart(2, '0')}:${at}0:00+01:00`,
    calories: (index * 7 + at) % 500,
    carbs: ((index * 13 + at) % 800) / 10,
    protein: ((index * 17 + at) % 300) / 10,
    fat: ((index * 19 + at) % 200) / 10,
  }));
  return { date, items };
}

/** An export.xml of Apple Health, beside a parser that does nothing with it. */
export function appleExport(megabytes) {
  return async ({ rounds, compared }) => {
    const file = join(scratch, `export-${megabytes}.xml`);
    execFileSync(process.execPath, [appleMaker, file, String(megabytes)], { stdio: 'ignore' });
    const sink = await startSink();
    const env = await logIn(sink.url);
    const command = [process.execPath, program, 'push', 'wellness', '--quiet', file];
    const xmllint = { command: ['xmllint', '--stream', '--noout', '--huge', file] };
    const ours = { command, env, before: () => forget(env) };
    const figures = await pair(ours, compared && xmllint, rounds);
    sink.close();
    return figures;
  };
}
