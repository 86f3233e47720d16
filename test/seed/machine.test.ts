import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { synthesize } from '../../src/seed/synthesize.ts';
import { hashesOf, SUMMER } from './support.ts';

const run = promisify(execFile);
let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'seed-machine-'));
  program = path.join(folder, 'year.mjs');
  const bundle = await rolldown({
    input: fileURLToPath(new URL('year.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ file: program, format: 'esm' });
  await bundle.close();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly hashes: ReturnType<typeof hashesOf>;
  readonly zone: string;
  readonly locale: string;
  readonly recordings: number;
  /** Released days that were still in memory when the next day was made. */
  readonly held: number;
}

async function inProcess(days: number, env: NodeJS.ProcessEnv): Promise<Answer> {
  const options = JSON.stringify({ ...SUMMER, days });
  const { stdout } = await run(process.execPath, ['--expose-gc', program, options], {
    env: { PATH: process.env['PATH'], ...env },
  });
  return JSON.parse(stdout) as Answer;
}

it("seeding does not depend on the machine's time zone and language", async () => {
  const days = 3;
  const expected = hashesOf(synthesize({ ...SUMMER, days }));
  const [kathmandu, apia] = await Promise.all([
    inProcess(days, { TZ: 'Asia/Kathmandu', LANG: 'ne_NP.UTF-8', LC_ALL: 'ne_NP.UTF-8' }),
    inProcess(days, { TZ: 'Pacific/Apia', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' }),
  ]);
  // Without different zones and languages in the processes this would prove nothing.
  expect([kathmandu, apia].map(({ zone, locale }) => [zone, locale])).toEqual([
    [/^Asia\/Kat[hm]*andu$/, 'ne-NP'],
    ['Pacific/Apia', 'ar-EG'],
  ]);
  expect(kathmandu.hashes).toEqual(expected);
  expect(apia.hashes).toEqual(expected);
});

it('the iterator holds only the current day', async () => {
  const fortnight = await inProcess(14, {});
  expect(fortnight.recordings).toBeGreaterThan(7);
  expect(fortnight.held).toBe(0);
});
