import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pair } from '../pair.mjs';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { exponent } from '../statistics.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';
import { knownWorld } from './known.mjs';
import { uploadOf } from './upload.mjs';

const FACTOR = 8;

/**
 * How the cost of a job grows from `count` items to eight times as many. The cost is the least CPU time of
 * some rounds, less that of one item, which is mostly start-up.
 *
 * @param job returns the command for a number of items and the URL of the sink
 */
export function growth(count, job) {
  return async ({ rounds }) => {
    const sink = await startSink();
    const cost = async (items) => {
      const [cpu] = await pair(await job(items, sink.url), undefined, rounds);
      return Math.min(...cpu.ours);
    };
    const start = await cost(1);
    const few = (await cost(count)) - start;
    const many = (await cost(count * FACTOR)) - start;
    sink.close();
    return [{ name: 'exponent of CPU', unit: '', ours: [exponent(few, many, FACTOR)] }];
  };
}

export async function uploadItems(count, url) {
  return await uploadOf(await makeFolder(count, 20_000), url);
}

export async function knownItems(count) {
  return await knownWorld(count);
}

/** Pushes days of nutrition, 12 items each. */
export async function pushItems(count, url) {
  const env = await logIn(url);
  const file = join(scratch, `days-${count}.json`);
  writeFileSync(file, JSON.stringify(Array.from({ length: count }, (_, day) => nutritionDay(day))));
  const command = [process.execPath, program, 'push', 'nutrition', '--quiet', file];
  return { command, env, before: () => forget(env) };
}

function nutritionDay(day) {
  const date = new Date(Date.UTC(2015, 0, 1 + day)).toISOString().slice(0, 10);
  const items = Array.from({ length: 12 }, (_, meal) => ({
    logged_at: `${date}T${String(7 + meal).padStart(2, '0')}:00:00+01:00`,
    name: `Meal ${meal}`,
    carbs: 20 + meal,
  }));
  return { date, items };
}
