import { describe, expect, it } from 'vitest';
import { type Database } from '../../src/ledger/database.ts';
import type { LedgerUpload } from '../../src/ledger/upload-rows.ts';
import { type UploadLedger, uploadLedger } from '../../src/ledger/uploads.ts';
import { markIn, openIn, scratchDir, useWorkers } from './support.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../support/crash-disk.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

const startWorker = useWorkers();

const A = {
  sha256: 'a'.repeat(64),
  path: 'rides/a.fit',
  size: 1000,
  activity: NO_ACTIVITY,
  workout: NO_WORKOUT,
};

/** Opens the ledger of one account as another process would; its clock moves only on request. */
function open(dir = scratchDir(), account = 'athlete:1') {
  let time = 1_000;
  const database = openIn(dir);
  const ledger = uploadLedger(database, account, markIn(dir), () => time);
  return { dir, database, ledger, at: (ms: number) => void (time = ms) };
}

it('reads what `status` shows through indexes, and counts without reading rows', () => {
  const database = openIn(scratchDir());
  const statements: string[] = [];
  const textOf = (sql: Parameters<Database['get']>[0]) =>
    typeof sql === 'string' ? sql : sql.join('?');
  const noted = <S extends Parameters<Database['get']>[0]>(sql: S): S => {
    statements.push(textOf(sql));
    return sql;
  };
  const recording: Database = {
    ...database,
    get: (sql, ...values) => database.get(noted(sql), ...values),
    all: (sql, ...values) => database.all(noted(sql), ...values),
  };
  const ledger = uploadLedger(recording, 'athlete:1', markIn(scratchDir()), () => 0);
  ledger.counts();
  ledger.lastConfirmedAt();
  ledger.latest(3);
  ledger.undelivered(20);
  ledger.startedBetween(0, 1);
  expect(statements).toHaveLength(5);
  for (const sql of statements) {
    const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`) as { detail: string }[];
    const reads = plan.map(({ detail }) => detail).filter((detail) => detail.includes(' uploads '));
    expect(reads.length).toBeGreaterThan(0);
    const expected = sql.includes('count(*)')
      ? /^(SEARCH|SCAN) uploads USING COVERING INDEX /
      : /^SEARCH uploads USING (COVERING )?INDEX /;
    for (const read of reads) expect(read).toMatch(expected);
  }
});

const whyNot = whyNoCrashDisk();
const skipped = whyNot === undefined ? '' : ` (skipped: ${whyNot})`;
it.skipIf(whyNot)(`loses a dozen uploads at most when the power fails${skipped}`, async () => {
  const dir = scratchDir();
  const disk = mountCrashDisk(dir);
  const worker = startWorker('send-200', dir);
  expect(await worker.line()).toBe('sent');
  disk.cutPower();
  await worker.kill();
  disk.restart();
  expect(open(dir).ledger.counts().confirmed).toBeGreaterThan(185);
});

describe('uploadLedger', () => {
  it('can be claimed if its damaged duration is negative', () => {
    const { ledger } = open();
    const workout = { ...NO_WORKOUT, recordedSecs: -5 };
    expect(ledger.claim({ ...A, workout }, false)).toBe('yours');
  });

  it('lets a refused recording be claimed again, and counts its attempts', () => {
    const { ledger } = open();
    ledger.claim(A, false);
    ledger.reject(A.sha256, 1, 'No such sport');
    const refused = { state: 'rejected', attempts: 1, refusals: 1, message: 'No such sport' };
    expect(ledger.find(A.sha256)).toMatchObject({ ...refused, service: {} });
    expect(ledger.claim({ ...A, path: 'again.fit' }, false)).toBe('yours');
    ledger.confirm(A.sha256, 2, {});
    const kept = { state: 'confirmed', attempts: 3, message: undefined, path: 'again.fit' };
    expect(ledger.find(A.sha256)).toMatchObject(kept);
  });

  const ENDS = ['fails', 'is refused', 'dies with its process'];
  it.each(ENDS)('keeps a recording confirmed if sending it with --force %s', async (how) => {
    const { dir, ledger } = open();
    ledger.claim(A, false);
    ledger.confirm(A.sha256, 1, { fitFileId: 'f' });
    const before = ledger.find(A.sha256);
    if (how === 'dies with its process') {
      const worker = startWorker('claim-upload', dir, A.sha256, 'force');
      expect(await worker.line()).toBe('yours');
      await worker.kill();
    } else {
      expect(ledger.claim(A, true)).toBe('yours');
      if (how === 'is refused') ledger.reject(A.sha256, 0, 'no');
      else ledger.release(A.sha256, 0);
    }
    expect(ledger.find(A.sha256)).toEqual(before);
    expect(ledger.claim(A, false)).toBe('confirmed');
    expect(ledger.claim(A, true)).toBe('yours');
  });

  it('counts the recordings of one account, in each state', () => {
    const { dir, ledger } = open(undefined, 'athlete:2');
    const before = open(dir, 'athlete:1').ledger;
    const after = open(dir, 'athlete:3').ledger;
    const add = (to: UploadLedger, state: 'pending' | 'confirmed' | 'rejected', count: number) => {
      for (let index = 0; index < count; index++) {
        const sha256 = `${state}-${index}`;
        to.claim({ ...A, sha256 }, false);
        if (state === 'confirmed') to.confirm(sha256, 1, {});
        if (state === 'rejected') to.reject(sha256, 1, 'no');
      }
    };
    add(ledger, 'pending', 1);
    add(ledger, 'confirmed', 4);
    add(ledger, 'rejected', 2);
    add(before, 'confirmed', 3);
    add(before, 'rejected', 1);
    add(after, 'pending', 5);
    expect([ledger.counts(), before.counts(), after.counts()]).toEqual([
      { pending: 1, confirmed: 4, rejected: 2, undoing: 0, undone: 0, held: 0 },
      { pending: 0, confirmed: 3, rejected: 1, undoing: 0, undone: 0, held: 0 },
      { pending: 5, confirmed: 0, rejected: 0, undoing: 0, undone: 0, held: 0 },
    ]);
  });
});

describe('uploadLedger while the disk is not writable', () => {
  /** Another process holds the write lock for longer than the ledger waits. */
  function lockedBy(dir: string, database: Database) {
    database.exec('PRAGMA busy_timeout = 0');
    const other = openIn(dir);
    other.exec('BEGIN IMMEDIATE');
    return { letGo: () => other.exec('COMMIT') };
  }
  const STORAGE = expect.objectContaining({ code: 'STORAGE' }) as Error;

  it('lets a recording be claimed again after its answer could not be recorded', () => {
    const { dir, ledger, database } = open();
    const others = open(dir).ledger;
    ledger.claim(A, false);
    const { letGo } = lockedBy(dir, database);
    expect(() => ledger.confirm(A.sha256, 1, {})).toThrow(STORAGE);
    expect(() => ledger.release(A.sha256, 1)).toThrow(STORAGE);
    letGo();
    expect(ledger.claim(A, false)).toBe('yours');
    // It is being sent again: by this one alone.
    expect(ledger.claim(A, false)).toBe('busy');
    expect(others.claim(A, false)).toBe('busy');
    ledger.confirm(A.sha256, 1, {});
    expect(others.claim(A, false)).toBe('confirmed');
  });

  it('keeps a claim with its sender, and grants none that it cannot record', () => {
    const { dir, ledger, database } = open();
    ledger.claim(A, false);
    const B = { ...A, sha256: 'b'.repeat(64) };
    const { letGo } = lockedBy(dir, database);
    expect(() => ledger.claim(B, false)).toThrow(STORAGE);
    letGo();
    expect(ledger.claim(A, true)).toBe('busy');
    expect(ledger.find(B.sha256)).toBeUndefined();
    expect(ledger.claim(B, false)).toBe('yours');
  });
});

describe('uploadLedger between processes', () => {
  /** Lets so many processes claim the recording at once, and returns the results. */
  async function claimAtOnce(count: number, dir: string): Promise<string[]> {
    const all = Array.from({ length: count }, () =>
      startWorker('claim-upload-when-told', dir, A.sha256),
    );
    const lines = () => Promise.all(all.map((one) => one.line()));
    expect(new Set(await lines())).toEqual(new Set(['ready']));
    for (const one of all) one.tell();
    return await lines();
  }

  it('reports a recording as busy while another process sends it', () => {
    const { dir, ledger } = open();
    const other = open(dir).ledger;
    ledger.claim(A, false);
    expect(other.claim(A, false)).toBe('busy');
    expect(other.claim(A, true)).toBe('busy');
    // A process cannot release a claim of another process by mistake.
    other.release(A.sha256, 0);
    expect(other.claim(A, false)).toBe('busy');
    ledger.release(A.sha256, 0);
    expect(other.claim(A, false)).toBe('yours');
  });

  it('lets the next process claim the recording of a killed sender', async () => {
    const { dir, ledger } = open();
    const other = startWorker('claim-upload', dir, A.sha256);
    expect(await other.line()).toBe('yours');
    expect(ledger.claim(A, false)).toBe('busy');
    await other.kill();
    expect(ledger.find(A.sha256)).toMatchObject({ state: 'pending', path: 'theirs.fit' });
    expect(ledger.claim(A, false)).toBe('yours');
    expect(ledger.find(A.sha256)).toMatchObject({ state: 'pending', path: A.path });
  });

  it('grants a recording to one of eight processes that claim it at once', async () => {
    const { dir, ledger } = open();
    const claims = await claimAtOnce(8, dir);
    expect(claims.sort()).toEqual([...Array<string>(7).fill('busy'), 'yours']);
    expect(ledger.claim(A, false)).toBe('busy');
  });

  it("grants a dead process's recording to one of several claimants", async () => {
    const { dir } = open();
    const dead = startWorker('claim-upload', dir, A.sha256);
    expect(await dead.line()).toBe('yours');
    await dead.kill();
    const claims = await claimAtOnce(6, dir);
    expect(claims.filter((claim) => claim === 'yours')).toHaveLength(1);
  });
});

describe('the activity of a recording', () => {
  const HOUR_MS = 3_600_000;

  /** Claims a recording that began at this hour since 1970. */
  function claim(ledger: UploadLedger, sha256: string, hour: number) {
    const measured = { offsetMinutes: -90, movingSecs: 3_601.5, distanceMeters: 40_000.25 };
    const activity = { name: 'Morning ride', startedAt: hour * HOUR_MS, ...measured };
    const workout = { ...NO_WORKOUT, sentAs: `${sha256}.fit` };
    ledger.claim({ sha256, path: `${sha256}.fit`, size: 1, activity, workout }, false);
    return activity;
  }
  const hashes = (uploads: readonly LedgerUpload[]) => uploads.map(({ sha256 }) => sha256);

  it('is kept from the claim on', () => {
    const { ledger } = open();
    const activity = claim(ledger, 'a', 5);
    expect(ledger.find('a')).toMatchObject({ state: 'pending', activity });
    ledger.confirm('a', 1, {});
    expect(ledger.find('a')).toMatchObject({ state: 'confirmed', activity });
  });

  it('orders the latest recordings at the service by their start', () => {
    const { ledger } = open();
    for (const [sha256, hour] of Object.entries({ b: 2, c: 3, a: 1 })) {
      claim(ledger, sha256, hour);
      ledger.confirm(sha256, 1, {});
    }
    claim(ledger, 'pending', 4);
    expect(hashes(ledger.latest(2))).toEqual(['c', 'b']);
  });

  it('finds recordings by their start, in any state, of this account only', () => {
    const { ledger, dir } = open();
    claim(open(dir, 'athlete:2').ledger, 'theirs', 2);
    claim(ledger, 'three', 3);
    claim(ledger, 'two', 2);
    claim(ledger, 'one', 1);
    ledger.confirm('two', 1, {});
    ledger.claim(A, false);
    expect(hashes(ledger.startedBetween(2 * HOUR_MS, 3 * HOUR_MS))).toEqual(['two']);
    expect(hashes(ledger.startedBetween(0, 9 * HOUR_MS))).toEqual(['one', 'two', 'three']);
  });

  it('lists what the platform does not have, the latest change first', () => {
    const { ledger, at } = open();
    at(1);
    claim(ledger, 'rejected', 1);
    ledger.reject('rejected', 1, 'not a ride');
    at(2);
    claim(ledger, 'pending', 2);
    claim(ledger, 'confirmed', 3);
    ledger.confirm('confirmed', 1, {});
    expect(hashes(ledger.undelivered(9))).toEqual(['pending', 'rejected']);
    expect(hashes(ledger.undelivered(1))).toEqual(['pending']);
  });
});
