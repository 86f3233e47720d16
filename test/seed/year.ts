/**
 * machine.test.ts runs this in a child process, with the options as JSON. It makes the days, releases
 * each, and prints hashes and memory use.
 */
import { setImmediate } from 'node:timers/promises';

import {
  synthesize,
  type SyntheticDay,
  type SynthesizeOptions,
} from '../../src/seed/synthesize.ts';
import { hashesOf } from './support.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as SynthesizeOptions;
let recordings = 0;
function* counted(days: Iterable<SyntheticDay>): Generator<SyntheticDay, void> {
  for (const day of days) {
    recordings += day.recordings.length;
    yield day;
  }
}
const hashes = hashesOf(counted(synthesize(options)));

/** Counts released days that are still in memory. */
async function heldDays(): Promise<number> {
  const seen: WeakRef<SyntheticDay>[] = [];
  const days = synthesize({ ...options, days: 8 })[Symbol.iterator]();
  const next = () => {
    const result = days.next();
    if (result.done !== true) seen.push(new WeakRef(result.value));
    return result.done !== true;
  };
  let held = 0;
  while (next()) {
    await setImmediate();
    globalThis.gc?.();
    held += seen.slice(0, -1).filter((day) => day.deref() !== undefined).length;
  }
  return held;
}

const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
const held = await heldDays();
process.stdout.write(JSON.stringify({ hashes, zone: timeZone, locale, recordings, held }) + '\n');
