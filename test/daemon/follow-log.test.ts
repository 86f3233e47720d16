import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/system/clock.ts';
import { openLogReader } from '../../src/daemon/follow-log.ts';
import { type TestBuild, buildForTest } from '../support/build.ts';
import { until } from '../watch/support.ts';
import { scratchDir } from './support.ts';

let build: TestBuild;
beforeAll(async () => {
  build = await buildForTest({ 'log-writer': 'test/daemon/children/log-writer.ts' });
});
afterAll(() => build.remove());

/** Another process that writes the log. */
function startWriter(path: string, limits: { maxBytes: number; files: number }) {
  const args = [path, String(limits.maxBytes), String(limits.files)];
  const child = spawn(process.execPath, [join(build.dir, 'log-writer.cjs'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    /** @returns how many lines there are by now */
    async write(count: number): Promise<number> {
      child.send(count);
      const [written] = (await once(child, 'message')) as [number];
      return written;
    },
  };
}

function startFollowing(path: string, last: number, files?: number) {
  const reader = openLogReader(path, systemClock, files);
  const ended = new AbortController();
  const lines = reader.last(last);
  const following = reader.follow((line) => lines.push(line), ended.signal);
  onTestFinished(async () => {
    ended.abort(new Error('the test is over'));
    await following;
    reader.close();
  });
  return { lines, ended, following };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line ${String(from + i)} ü`);

describe('following a log that another process writes', () => {
  it('misses no line and shows none twice, however often the log is put aside', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, { maxBytes: 100, files: 5 });
    let written = await writer.write(3);
    const { lines } = startFollowing(path, 10);
    // 100 bytes hold about 8 lines: bursts of 1 to 30 lines put up to four logs aside at once.
    for (let round = 0; round < 60; round++) {
      written = await writer.write(1 + ((round * 7) % 30));
      await until(
        () => lines.length === written,
        () => `${String(lines.length)} of ${String(written)}`,
      );
    }
    expect(lines).toEqual(numbered(0, written));
  });

  it('waits for a log that is not there yet', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const { lines } = startFollowing(path, 10);
    expect(lines).toEqual([]);
    const writer = startWriter(path, { maxBytes: 1000, files: 2 });
    await writer.write(2);
    await until(() => lines.length === 2);
    expect(lines).toEqual(numbered(0, 2));
  });

  it('goes on with what is left when more was put aside than is kept', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, { maxBytes: 100, files: 2 });
    await writer.write(1);
    const { lines } = startFollowing(path, 10, 2);
    const written = await writer.write(200);
    await until(() => lines.at(-1) === `line ${String(written - 1)} ü`);
    // The log that was open to its end, then those that are still there: in order, with one gap.
    const numbers = lines.map((line) => Number(line.split(' ')[1]));
    const gaps = numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1);
    expect(numbers[0]).toBe(0);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(gaps).toHaveLength(1);
    expect(numbers.length).toBeLessThan(40);
  });

  it('hands on a line when it is whole, not before, also within a character', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const bytes = Buffer.from('first\nsecond ü\n');
    const cut = bytes.indexOf(0xc3) + 1;
    writeFileSync(path, bytes.subarray(0, cut));
    const { lines } = startFollowing(path, 10);
    expect(lines).toEqual(['first']);
    writeFileSync(path, bytes.subarray(cut), { flag: 'a' });
    await until(() => lines.length === 2);
    expect(lines).toEqual(['first', 'second ü']);
  });

  it('ends with its signal', async () => {
    const { ended, following } = startFollowing(join(scratchDir(), 'daemon.log'), 1);
    ended.abort(new Error('enough'));
    await expect(following).resolves.toBeUndefined();
  });
});

describe('the last lines of a log', () => {
  it('reach back into those that were put aside', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, { maxBytes: 100, files: 4 });
    await writer.write(30);
    const reader = openLogReader(path, systemClock, 4);
    onTestFinished(() => reader.close());
    expect(reader.last(0)).toEqual([]);
    expect(reader.last(1)).toEqual(numbered(29, 30));
    expect(reader.last(20)).toEqual(numbered(10, 30));
    // More than is kept: all that is.
    const all = reader.last(1000);
    expect(all).toEqual(numbered(30 - all.length, 30));
  });

  it('are found between two logs, when the writer died just then', () => {
    const path = join(scratchDir(), 'daemon.log');
    writeFileSync(path, 'one\ntwo\n');
    renameSync(path, `${path}.1`);
    const reader = openLogReader(path, systemClock);
    onTestFinished(() => reader.close());
    expect(reader.last(5)).toEqual(['one', 'two']);
    rmSync(`${path}.1`);
    expect(reader.last(5)).toEqual([]);
  });
});
