import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Pending, type PendingFile } from '../../src/watch/incomplete-files.ts';

const START = Date.UTC(2026, 1, 15, 8);
const HOUR = 3_600_000;

function pendingAt() {
  let elapsed = 0;
  let ahead = 0;
  const clock = { now: () => START + elapsed + ahead, monotonic: () => elapsed };
  return {
    pending: new Pending(clock),
    pass: (ms: number) => (elapsed += ms),
    setClock: (ms: number) => (ahead += ms),
  };
}

function file(more: Partial<PendingFile> & { mtimeMs?: number; size?: number } = {}): PendingFile {
  const { mtimeMs = START, size = 10, ...rest } = more;
  const stamp = { size, mtimeMs, ctimeMs: mtimeMs };
  const what = { reason: 'incomplete', detail: 'cut off', removable: false } as const;
  return { path: '/d/ride.fit', stamp, ...what, ...rest };
}

it('looks again at growing intervals, up to some minutes; then the sweeps see to it', () => {
  const { pending, pass } = pendingAt();
  pending.note(file(), true);
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 9; i++) {
    const { waitMs } = pending;
    waits.push(waitMs);
    if (waitMs === undefined) break;
    pass(waitMs);
    expect(pending.dueLooks()).toHaveLength(1);
    expect(pending.dueLooks()).toHaveLength(0);
    pending.note(file(), true);
  }
  expect(waits).toEqual(
    [2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * 1000).concat([undefined as never]),
  );
});

it('starts over with short intervals when the file changes', () => {
  const { pending, pass } = pendingAt();
  pending.note(file(), true);
  for (let i = 0; i < 4; i++) {
    pass(pending.waitMs ?? 0);
    pending.dueLooks();
  }
  expect(pending.waitMs).toBe(32_000);
  pending.note(file({ size: 20 }), false);
  expect(pending.waitMs).toBe(2_000);
});

it('tells once of a recording that has not changed for three hours', () => {
  const { pending, pass } = pendingAt();
  pending.note(file(), false);
  pass(3 * HOUR - 1);
  expect(pending.dueReports()).toEqual([]);
  pass(1);
  expect(pending.dueReports()).toMatchObject([{ path: '/d/ride.fit', reason: 'incomplete' }]);
  pass(24 * HOUR);
  pending.note(file(), false);
  expect(pending.dueReports()).toEqual([]);
});

it('tells at once of one that was left hours ago, and not of one that still grows', () => {
  const { pending, pass } = pendingAt();
  pending.note(file({ mtimeMs: START - 4 * HOUR }), false);
  expect(pending.dueReports()).toHaveLength(1);
  for (let i = 1; i < 10; i++) {
    pass(HOUR);
    // A device whose clock is years behind writes such times.
    pending.note(file({ path: '/d/long.fit', size: i, mtimeMs: START - 9_000 * HOUR + i }), false);
    if (i > 1) expect(pending.dueReports()).toEqual([]);
    else pending.dueReports();
  }
});

it('looks again and reports in time although the clock is set back by a day', () => {
  const { pending, pass, setClock } = pendingAt();
  pending.note(file({ mtimeMs: START }), false);
  setClock(-24 * HOUR);
  expect(pending.waitMs).toBe(2_000);
  pass(3 * HOUR);
  expect(pending.dueLooks()).toHaveLength(1);
  expect(pending.dueReports()).toHaveLength(1);
});

it('tells sooner of bytes that are wrong', () => {
  const { pending, pass } = pendingAt();
  pending.note(file({ reason: 'corrupt' }), false);
  pass(10 * 60_000);
  expect(pending.dueReports()).toHaveLength(1);
});

it('does not tell what was told before', () => {
  const { pending, pass } = pendingAt();
  pending.note(file({ mtimeMs: START - 4 * HOUR }), true);
  pass(HOUR);
  expect(pending.dueReports()).toEqual([]);
});

it('forgets what became whole, and what is in a folder that is gone', () => {
  const { pending } = pendingAt();
  for (const path of ['/d/a.fit', '/d/sub/b.fit', '/d-2/c.fit']) {
    pending.note(file({ path: join(path) }), false);
  }
  pending.forget(join('/d/a.fit'));
  expect(pending.size).toBe(2);
  pending.forgetBelow(join('/d'));
  expect(pending.all().map(({ path }) => path)).toEqual([join('/d-2/c.fit')]);
});
