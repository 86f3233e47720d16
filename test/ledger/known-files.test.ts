import { describe, expect, it } from 'vitest';
import { knownFiles } from '../../src/ledger/known-files.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { markIn, openIn, scratchDir } from './support.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

const NOW = Date.UTC(2026, 1, 15, 12);
const OLD = { size: 273_026, mtimeMs: NOW - 60_000.25, ctimeMs: NOW - 50_000.5 };
const SHA = 'b'.repeat(64);
const ACTIVITY = { sha256: SHA, verdict: 'activity', detail: '' };
const RECORDING = {
  sha256: SHA,
  path: 'a.fit',
  size: 1,
  activity: NO_ACTIVITY,
  workout: NO_WORKOUT,
};

function open(dir = scratchDir(), account = 'athlete:1') {
  const database = openIn(dir);
  const known = knownFiles(database, account, () => NOW);
  const uploads = uploadLedger(database, account, markIn(dir), () => NOW);
  return { dir, known, uploads, database };
}

describe('knownFiles', () => {
  it('knows a file until its stamp changes', () => {
    const { known } = open();
    expect(known.find('/r/a.fit', OLD)).toBeUndefined();
    known.remember('/r/a.fit', OLD, ACTIVITY);
    expect(known.find('/r/a.fit', OLD)).toEqual({ ...ACTIVITY, upload: undefined });
    expect(known.find('/r/b.fit', OLD)).toBeUndefined();
  });

  it.each([
    ['size', { ...OLD, size: OLD.size + 1 }],
    ['time of writing, by a fraction of a millisecond', { ...OLD, mtimeMs: OLD.mtimeMs + 0.25 }],
    ['time of change, as when another file took its name', { ...OLD, ctimeMs: OLD.ctimeMs + 1 }],
    ['time of writing, backwards', { ...OLD, mtimeMs: OLD.mtimeMs - 86_400_000 }],
  ])('is not known any more when it has another %s', (_what, stamp) => {
    const { known, uploads } = open();
    known.remember('/r/a.fit', OLD, ACTIVITY);
    uploads.claim(RECORDING, false);
    uploads.confirm(SHA, 1, {});
    expect(known.find('/r/a.fit', stamp)).toBeUndefined();
    expect(known.uploaded('/r/a.fit', stamp)).toBeUndefined();
  });

  it('returns the hash of an unchanged file only while its recording is uploaded', () => {
    const { known, uploads } = open();
    const hash = () => known.uploaded('/r/a.fit', OLD);
    const found = [hash()];
    uploads.claim(RECORDING, false);
    known.remember('/r/a.fit', OLD, ACTIVITY);
    found.push(hash());
    uploads.confirm(SHA, 1, {});
    found.push(hash());
    uploads.forget(SHA);
    found.push(hash());
    expect(found).toEqual([undefined, undefined, SHA, undefined]);
  });

  it('returns no hash that another account uploaded', () => {
    const { known, dir } = open();
    const other = open(dir, 'athlete:2');
    other.uploads.claim(RECORDING, false);
    other.uploads.confirm(SHA, 1, {});
    other.known.remember('/r/a.fit', OLD, ACTIVITY);
    other.known.flush();
    expect(other.known.uploaded('/r/a.fit', OLD)).toBe(SHA);
    expect(known.uploaded('/r/a.fit', OLD)).toBeUndefined();
  });

  it('knows a file on an MTP mount by path and size: times there say nothing, and mounts move', () => {
    const { known } = open();
    const path = (session: string) => `/run/user/1000/kio-fuse-${session}/mtp/Edge 840/ride.fit`;
    const now = { ...OLD, mtimeMs: NOW, ctimeMs: NOW };
    known.remember(path('aB3dEf'), now, ACTIVITY);
    expect(known.find(path('zZ9yXw'), OLD)).toMatchObject(ACTIVITY);
    expect(known.find(path('zZ9yXw'), { ...OLD, size: 12 })).toBeUndefined();
  });

  it('remembers the last reading of a file', () => {
    const { known } = open();
    known.remember('/r/a.fit', OLD, ACTIVITY);
    const later = { ...OLD, size: 12 };
    const other = { sha256: undefined, verdict: 'corrupt', detail: 'The CRC is wrong.' };
    known.remember('/r/a.fit', later, other);
    expect(known.find('/r/a.fit', OLD)).toBeUndefined();
    expect(known.find('/r/a.fit', later)).toEqual({ ...other, upload: undefined });
  });

  // File systems of devices count time in steps of 2 s: a change within one may not show.
  it.each([
    ['written 2 s ago', NOW - 2_000, NOW - 60_000, true],
    ['written just under 2 s ago', NOW - 1_999.5, NOW - 60_000, false],
    ['written this moment', NOW, NOW, false],
    ['written in the future (a clock that is wrong)', NOW + 3_600_000, NOW - 60_000, false],
    ['old, and moved here this moment', NOW - 86_400_000, NOW - 500, false],
    ['old in both', NOW - 86_400_000, NOW - 2_000, true],
  ])('that was %s', (_what, mtimeMs, ctimeMs, remembered) => {
    const { known } = open();
    const stamp = { size: 1, mtimeMs, ctimeMs };
    known.remember('/r/a.fit', stamp, ACTIVITY);
    expect(known.find('/r/a.fit', stamp) !== undefined).toBe(remembered);
  });
});

describe('knownFiles with a file from a clock ahead of ours', () => {
  /** Reads it at these times, in ms from the first; was it remembered each time? */
  const readings = (...times: (readonly [ms: number, stamp: typeof OLD])[]) => {
    let time = NOW;
    const known = knownFiles(openIn(scratchDir()), 'athlete:1', () => time);
    return times.map(([ms, stamp]) => {
      time = NOW + ms;
      known.remember('/r/a.fit', stamp, ACTIVITY);
      return known.find('/r/a.fit', stamp) !== undefined;
    });
  };
  const AHEAD = { ...OLD, mtimeMs: NOW + 6 * 3_600_000 };
  const CHANGED = { ...AHEAD, mtimeMs: AHEAD.mtimeMs + 2_000 };

  it.each(['mtimeMs', 'ctimeMs'])('(%s) remembers the file after a second reading', (time) => {
    const stamp = { ...OLD, [time]: NOW + 6 * 3_600_000 };
    expect(readings([0, stamp], [2_000, stamp])).toEqual([false, true]);
  });

  it('forgets a reading within 2 s, since a change might not show', () => {
    expect(readings([0, AHEAD], [1_000, AHEAD], [1_999, AHEAD], [2_500, AHEAD])).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('treats every changed file as new', () => {
    const times = readings([0, AHEAD], [9_000, CHANGED], [10_000, CHANGED], [11_000, CHANGED]);
    expect(times).toEqual([false, false, false, true]);
  });
});

describe('knownFiles with the state of the upload', () => {
  it('finds the upload of this account with the file', () => {
    const { dir, known, uploads } = open();
    known.remember('/r/a.fit', OLD, ACTIVITY);
    uploads.claim(RECORDING, false);
    expect(known.find('/r/a.fit', OLD)?.upload?.state).toBe('pending');
    uploads.confirm(SHA, 1, {});
    expect(known.find('/r/a.fit', OLD)?.upload?.state).toBe('confirmed');
    // All accounts share the contents of a file, but not its outcome.
    const other = open(dir, 'athlete:2');
    expect(other.known.find('/r/a.fit', OLD)).toEqual({ ...ACTIVITY, upload: undefined });
    other.uploads.claim(RECORDING, false);
    other.uploads.reject(SHA, 1, 'no');
    expect(other.known.find('/r/a.fit', OLD)?.upload?.state).toBe('rejected');
    expect(known.find('/r/a.fit', OLD)?.upload?.state).toBe('confirmed');
  });

  it('finds the upload of a copy with another name', () => {
    const { known, uploads } = open();
    known.remember('/r/copy.fit', OLD, ACTIVITY);
    uploads.claim(RECORDING, false);
    uploads.confirm(SHA, 1, {});
    expect(known.find('/r/copy.fit', OLD)?.upload?.state).toBe('confirmed');
  });
});

it('looks up many files in one state of the ledger, despite other writers', () => {
  const { dir, known } = open();
  known.remember('/r/a.fit', OLD, ACTIVITY);
  const other = open(dir);
  const found = known.reading(() => {
    const first = known.find('/r/a.fit', OLD)?.upload?.state;
    other.uploads.claim(RECORDING, false);
    return [first, known.find('/r/a.fit', OLD)?.upload?.state];
  });
  expect(found).toEqual([undefined, undefined]);
  expect(known.find('/r/a.fit', OLD)?.upload?.state).toBe('pending');
});

it('ends the read transaction if a look-up fails, and can write again', () => {
  const { known } = open();
  const reason = new Error('stop');
  expect(() =>
    known.reading(() => {
      throw reason;
    }),
  ).toThrow(reason);
  known.remember('/r/a.fit', OLD, ACTIVITY);
  expect(known.reading(() => known.find('/r/a.fit', OLD)?.sha256)).toBe(SHA);
});
