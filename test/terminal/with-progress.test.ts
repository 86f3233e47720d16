import { expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { withProgress } from '../../src/terminal/progress.ts';
import { createOutput } from '../../src/terminal/output.ts';
import { plainIo } from '../support/io.ts';
import { manualClock } from '../watch/manual-clock.ts';

const output = createOutput(plainIo(), { json: false, quiet: true, verbose: false }, manualClock());
const interruption = new SyncError('INTERRUPTED', 'Interrupted.');

it.each([
  [52, 270, false, '52 of 270 recordings done; run the same command to continue.'],
  [52, undefined, false, '52 recordings done; run the same command to continue.'],
  [
    ...([52, 270, true] as const),
    '52 of 270 recordings done. The same command begins with the first again; without --force it sends only what was never sent.',
  ],
])('reports how far an interrupted run came: %s of %s', async (done, total, force, message) => {
  const run = withProgress(output, { force }, (progress) => {
    progress.update({ noun: 'recording', done: 1, total });
    progress.update({ noun: 'recording', done, total });
    return Promise.reject(interruption);
  });
  await expect(run).rejects.toMatchObject({ code: 'INTERRUPTED', message });
});

it('passes on an interruption before the first item, any other error, and the result', async () => {
  await expect(
    withProgress(output, { force: false }, () => Promise.reject(interruption)),
  ).rejects.toBe(interruption);
  const fault = new SyncError('STORAGE', 'The disk is full.');
  const failing = withProgress(output, { force: false }, (progress) => {
    progress.update({ noun: 'day', done: 3, total: 4 });
    return Promise.reject(fault);
  });
  await expect(failing).rejects.toBe(fault);
  expect(await withProgress(output, { force: false }, () => Promise.resolve(7))).toBe(7);
});
