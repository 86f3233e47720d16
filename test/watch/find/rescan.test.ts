import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knownFiles } from '../../../src/ledger/known-files.ts';
import { watchMarks } from '../../../src/ledger/watch-marks.ts';
import type { Classifier } from '../../../src/watch/find/classify.ts';
import { Rescanner } from '../../../src/watch/find/rescan.ts';
import type { FoundFile } from '../../../src/watch/send/intake.ts';
import { WatchedFolder } from '../../../src/watch/find/watched-folder.ts';
import { openIn, scratchDir } from '../../ledger/support.ts';
import { partsWith } from '../parts.ts';
import { put } from '../support.ts';

const HOUR = 3_600_000;
const FIRST_START = Date.UTC(2026, 1, 15, 12);

/** Makes a folder and rescans by different processes; each returns the new files. */
function open() {
  const dir = scratchDir();
  const path = join(dir, 'Garmin');
  mkdirSync(path);
  const record = (name: string, at: number) => {
    put(join(path, name), 'x');
    utimesSync(join(path, name), at / 1000, at / 1000);
  };
  let pauseMs = 0;
  /** @param killedAfter number of files after which the process dies */
  const rescan = async (now: number, killedAfter = Infinity, hangMs = 0) => {
    const database = openIn(dir);
    const found: string[] = [];
    let looked = 0;
    const classifier = {
      isOpen({ path: file, stamp }) {
        if (++looked > killedAfter) throw new Error('killed');
        // Waits without CPU time, as on a file system that does not answer.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, hangMs);
        return !marks.isSeen(file, stamp);
      },
      examine: ({ path: file }) => void found.push(file.slice(path.length + 1)),
    } as Partial<Classifier> as Classifier;
    const marks = watchMarks(database, 'me', () => now);
    const parts = partsWith({
      clock: { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() },
      newOnly: true,
      pollMs: 1000,
      known: knownFiles(database, 'me', () => now),
      marks,
    });
    const intake = { leaveOut: (files: readonly FoundFile[]) => marks.markSeen(files) };
    const rescanner = new Rescanner(parts, classifier, intake, { all: [] }, undefined as never);
    const folder = new WatchedFolder(path, parts, {
      remote: () => undefined as never,
      onName: () => undefined,
      forgetBelow: () => 0,
    });
    await folder.check();
    await rescanner.rescan(folder).catch((error: unknown) => found.push(String(error)));
    pauseMs = folder.rescanAt - now;
    folder.close();
    return found.sort();
  };
  return { record, rescan, pauseMs: () => pauseMs };
}

it('reports the files that appeared after the first scan as new', async () => {
  const { record, rescan } = open();
  record('old.fit', FIRST_START - HOUR);
  expect(await rescan(FIRST_START)).toEqual([]);
  record('copied.fit', FIRST_START - 2 * HOUR);
  record('new.fit', FIRST_START + HOUR);
  expect(await rescan(FIRST_START + 2 * HOUR)).toEqual(['copied.fit', 'new.fit']);
});

it('reports files recorded since the first start as new, if the first scan was killed', async () => {
  const { record, rescan } = open();
  for (let i = 0; i < 5; i++) record(`old${i}.fit`, FIRST_START - HOUR);
  expect(await rescan(FIRST_START, 2)).toEqual(['Error: killed']);
  record('new.fit', FIRST_START + HOUR);
  // Killed once more: the first start counts.
  expect(await rescan(FIRST_START + 2 * HOUR, 0)).toEqual(['Error: killed']);
  expect(await rescan(FIRST_START + 3 * HOUR)).toEqual(['new.fit']);
});

it('pauses for the CPU time of a rescan, not for the time that a file system took', async () => {
  const { record, rescan, pauseMs } = open();
  record('old.fit', FIRST_START - HOUR);
  await rescan(FIRST_START, Infinity, 3_000);
  // By the time that passed, it would be 60 s.
  expect(pauseMs()).toBeLessThan(30_000);
});
