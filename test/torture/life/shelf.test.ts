import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sha256 } from '../../support/acceptance.ts';
import { makeRecording } from '../../support/fit-maker.ts';
import { DUE_MS, Shelf } from './shelf.ts';

const ride = makeRecording({ durationSecs: 5 });
const hash = sha256(ride);

let dir: string;
let shelf: Shelf;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  dir = mkdtempSync(join(tmpdir(), 'sync-shelf-'));
  shelf = new Shelf(dir, new Map([[hash, [hash]]]));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

function put(name = 'ride.fit', bytes: Uint8Array = ride): string {
  const path = join(dir, name);
  writeFileSync(path, bytes);
  shelf.arrived(path);
  return path;
}

function remove(path: string): void {
  shelf.leaves(path);
  rmSync(path);
}

it('expects a recording that is there at the end', () => {
  put();
  expect([...shelf.due()]).toEqual([hash]);
});

it('expects a removed recording only if it stayed long enough while a watcher ran', () => {
  shelf.watched();
  let path = put();
  vi.advanceTimersByTime(DUE_MS - 1);
  remove(path);
  expect(shelf.due().size).toBe(0);
  path = put();
  vi.advanceTimersByTime(DUE_MS - 1);
  shelf.unwatched();
  shelf.watched();
  vi.advanceTimersByTime(DUE_MS - 1);
  remove(path);
  expect(shelf.due().size).toBe(0);
  path = put();
  vi.advanceTimersByTime(DUE_MS);
  remove(path);
  expect([...shelf.due()]).toEqual([hash]);
});

it('counts the stay of a file anew after its folder was away', () => {
  shelf.watched();
  put();
  vi.advanceTimersByTime(DUE_MS - 1);
  shelf.leaves(dir);
  renameSync(dir, `${dir}-aside`);
  mkdirSync(dir);
  shelf.look();
  rmSync(dir, { recursive: true });
  renameSync(`${dir}-aside`, dir);
  shelf.look();
  vi.advanceTimersByTime(1);
  remove(join(dir, 'ride.fit'));
  expect(shelf.due().size).toBe(0);
});

it.each(['.ride.fit', 'ride.fit.part', 'ride.kml'])(
  'expects no file of another name: %s',
  (name) => {
    put(name);
    expect(shelf.due().size).toBe(0);
  },
);

it('expects no other content', () => {
  put('ride.fit', makeRecording({ durationSecs: 6 }));
  expect(shelf.due().size).toBe(0);
});

it('expects none that was removed while the watcher was behind with many', () => {
  shelf.watched();
  const path = put();
  shelf.arrivedAtOnce([path]);
  const wait = (isNamed: boolean) => {
    for (let ms = 0; ms < DUE_MS; ms += 1_000) {
      shelf.waitForBatch(() => new Set(isNamed ? [hash] : []));
      vi.advanceTimersByTime(1_000);
    }
  };
  wait(false);
  remove(path);
  expect(shelf.due().size).toBe(0);
  put();
  wait(true);
  remove(path);
  expect([...shelf.due()]).toEqual([hash]);
});
