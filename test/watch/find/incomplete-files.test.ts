import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { InvalidReason } from '../../../src/upload/report.ts';
import { IncompleteFiles } from '../../../src/watch/find/incomplete-files.ts';

const START = Date.UTC(2026, 1, 15, 8);
const HOUR = 3_600_000;
/** An earlier run reported it. */
const REPORTED = '/reported/ride.fit';

function pendingAt() {
  let elapsed = 0;
  let ahead = 0;
  const marked: string[] = [];
  const clock = { now: () => START + elapsed + ahead, monotonic: () => elapsed };
  return {
    incomplete: new IncompleteFiles(clock, {
      isReported: (path) => path.startsWith('/reported'),
      markReported: (path) => marked.push(path),
    }),
    marked,
    pass: (ms: number) => (elapsed += ms),
    setClock: (ms: number) => (ahead += ms),
  };
}

/** Returns the arguments of `note` for an incomplete file. */
function file(
  more: { path?: string; mtimeMs?: number; size?: number; reason?: InvalidReason } = {},
): Parameters<IncompleteFiles['note']> {
  const { path = '/d/ride.fit', mtimeMs = START, size = 10, reason = 'incomplete' } = more;
  const stamp = { size, mtimeMs, ctimeMs: mtimeMs };
  return [{ path, stamp, removable: false }, reason, 'cut off'];
}

it('checks at growing intervals up to some minutes, and then leaves the file to the rescans', () => {
  const { incomplete, pass } = pendingAt();
  incomplete.note(...file({ path: REPORTED }));
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 9; i++) {
    const { waitMs } = incomplete;
    waits.push(waitMs);
    if (waitMs === undefined) break;
    pass(waitMs);
    expect(incomplete.dueChecks()).toHaveLength(1);
    expect(incomplete.dueChecks()).toHaveLength(0);
    incomplete.note(...file({ path: REPORTED }));
  }
  expect(waits).toEqual(
    [2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * 1000).concat([undefined as never]),
  );
});

it('checks thousands of files in few rounds, ten files a second on average', () => {
  const { incomplete, pass } = pendingAt();
  for (let index = 0; index < 10_000; index++) {
    incomplete.note(...file({ path: `/reported/${index}.fit` }));
  }
  const rounds: [number, number][] = [];
  for (let at = 0, { waitMs } = incomplete; waitMs !== undefined; { waitMs } = incomplete) {
    pass(waitMs);
    at += waitMs;
    rounds.push([at, incomplete.dueChecks().length]);
  }
  expect(rounds).toEqual(
    [2, 1_002, 2_002, 3_002, 4_002, 5_002, 6_002, 7_002].map((secs) => [secs * 1_000, 10_000]),
  );
});

it('restarts with short intervals when the file changes', () => {
  const { incomplete, pass } = pendingAt();
  incomplete.note(...file({ path: REPORTED }));
  for (let i = 0; i < 4; i++) {
    pass(incomplete.waitMs ?? 0);
    incomplete.dueChecks();
  }
  expect(incomplete.waitMs).toBe(32_000);
  incomplete.note(...file({ path: REPORTED, size: 20 }));
  expect(incomplete.waitMs).toBe(2_000);
});

it('reports a recording once if it has not changed for three hours', () => {
  const { incomplete, pass } = pendingAt();
  incomplete.note(...file());
  pass(3 * HOUR - 1);
  expect(incomplete.dueReports()).toEqual([]);
  pass(1);
  expect(incomplete.dueReports()).toMatchObject([{ path: '/d/ride.fit', reason: 'incomplete' }]);
  pass(24 * HOUR);
  incomplete.note(...file());
  expect(incomplete.dueReports()).toEqual([]);
});

it('reports a recording at once if its last change was hours ago, but not if it still grows', () => {
  const { incomplete, pass } = pendingAt();
  incomplete.note(...file({ mtimeMs: START - 4 * HOUR }));
  expect(incomplete.dueReports()).toHaveLength(1);
  for (let i = 1; i < 10; i++) {
    pass(HOUR);
    // A device writes such times if its clock is years behind.
    incomplete.note(...file({ path: '/d/long.fit', size: i, mtimeMs: START - 9_000 * HOUR + i }));
    if (i > 1) expect(incomplete.dueReports()).toEqual([]);
    else incomplete.dueReports();
  }
});

it('checks and reports in time although the clock is set back by a day', () => {
  const { incomplete, pass, setClock } = pendingAt();
  incomplete.note(...file({ mtimeMs: START }));
  setClock(-24 * HOUR);
  expect(incomplete.waitMs).toBe(2_000);
  pass(3 * HOUR);
  expect(incomplete.dueChecks()).toHaveLength(1);
  expect(incomplete.dueReports()).toHaveLength(1);
});

it('reports wrong bytes earlier', () => {
  const { incomplete, pass } = pendingAt();
  incomplete.note(...file({ reason: 'corrupt' }));
  pass(10 * 60_000);
  expect(incomplete.dueReports()).toHaveLength(1);
});

it('reports nothing a second time', () => {
  const { incomplete, marked, pass } = pendingAt();
  incomplete.note(...file({ path: REPORTED, mtimeMs: START - 4 * HOUR }));
  incomplete.note(...file({ mtimeMs: START - 4 * HOUR }));
  pass(HOUR);
  expect(incomplete.dueReports()).toHaveLength(1);
  expect(incomplete.dueReports()).toEqual([]);
  expect(marked).toEqual(['/d/ride.fit']);
});

it('forgets complete files and files in a removed folder', () => {
  const { incomplete } = pendingAt();
  for (const path of ['/d/a.fit', '/d/sub/b.fit', '/d-2/c.fit']) {
    incomplete.note(...file({ path: join(path) }));
  }
  incomplete.forget(join('/d/a.fit'));
  expect(incomplete.all()).toHaveLength(2);
  incomplete.forgetBelow(join('/d'));
  expect(incomplete.all().map(({ path }) => path)).toEqual([join('/d-2/c.fit')]);
});
