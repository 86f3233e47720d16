import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { transaction } from '../../src/ledger/sql.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { markIn, openIn, scratchDir, useWorkers } from './support.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';
import { caught } from '../support/failure.ts';
import { DatabaseSync } from '../support/sqlite.ts';

const startWorker = useWorkers();

it('lets twenty processes start at once in an empty folder, and loses no row', async () => {
  const dir = join(scratchDir(), 'state');
  const all = Array.from({ length: 20 }, () => startWorker('open-when-told', dir));
  expect(await Promise.all(all.map((worker) => worker.line()))).toEqual(Array(20).fill('ready'));
  for (const worker of all) worker.tell();
  expect(await Promise.all(all.map((worker) => worker.line()))).toEqual(Array(20).fill('done'));
  const ledger = uploadLedger(openIn(dir), 'athlete:1', markIn(dir), Date.now);
  expect(ledger.counts()).toEqual({
    pending: 0,
    confirmed: 20,
    rejected: 0,
    undoing: 0,
    undone: 0,
    held: 0,
  });
});

it.runIf(process.platform !== 'win32')('is for its owner alone, with what belongs to it', () => {
  const dir = join(scratchDir(), 'deep', 'state');
  const umask = process.umask(0);
  try {
    const database = openIn(dir);
    database.exec("INSERT INTO token_accounts VALUES ('a', 'b')");
    const modes = ['ledger.db', 'ledger.db-wal', 'ledger.db-shm'].map(
      (name) => statSync(join(dir, name)).mode & 0o777,
    );
    expect([statSync(dir).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600, 0o600]);
  } finally {
    process.umask(umask);
  }
});

it('keeps its rows when it is opened again', () => {
  const dir = scratchDir();
  const path = join(dir, 'ledger.db');
  const first = openDatabase(path);
  first.exec("INSERT INTO token_accounts VALUES ('a', 'b')");
  first.close();
  expect(openIn(dir).all('SELECT * FROM token_accounts')).toEqual([
    { token: 'a', account_key: 'b' },
  ]);
});

it('reports an empty ledger file as damaged, and keeps its log', () => {
  const dir = scratchDir();
  const path = join(dir, 'ledger.db');
  openDatabase(path).close();
  truncateSync(path, 0);
  writeFileSync(`${path}-wal`, 'rows that were not merged yet');
  for (let i = 0; i < 2; i++) {
    const error = caught(() => openDatabase(path));
    expect(error.code).toBe('STORAGE');
    expect(error.message).toBe(`${path} is damaged: it is empty.`);
    expect(String(error.hint)).toContain('Move the file away');
  }
  expect(statSync(path).size).toBe(0);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
});

it('creates a new ledger without reading the log of a ledger that was moved away', () => {
  const dir = scratchDir();
  const path = join(dir, 'ledger.db');
  const old = openIn(dir);
  old.exec("INSERT INTO token_accounts VALUES ('a', 'b')");
  renameSync(path, join(dir, 'moved.db'));
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  expect(openIn(dir).all('SELECT * FROM token_accounts')).toEqual([]);
});

it('repeats a creation that was killed', () => {
  const dir = scratchDir();
  const path = join(dir, 'ledger.db');
  writeFileSync(`${path}.new`, 'half');
  writeFileSync(`${path}.new-journal`, 'half');
  openIn(dir).exec("INSERT INTO token_accounts VALUES ('a', 'b')");
  expect(readdirSync(dir).sort()).toEqual(['ledger.db', 'ledger.db-shm', 'ledger.db-wal', 'locks']);
});

it('refuses a database of another program', () => {
  const path = join(scratchDir(), 'ledger.db');
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  expect(caught(() => openDatabase(path)).message).toBe(
    `${path} is not a record of what this program sent.`,
  );
});

it('does not change a ledger of a newer version, and says what to do', () => {
  const path = join(scratchDir(), 'ledger.db');
  openDatabase(path).close();
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 1000');
  newer.close();
  const error = caught(() => openDatabase(path));
  expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
    code: 'STORAGE',
    message: `${path} was written by a newer version of this program.`,
    hint: 'Update this installation, or set SYNC_STATE_DIR to another folder.',
  });
  const after = new DatabaseSync(path);
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1000 });
  after.close();
});

it.each([
  ['is something else', () => Buffer.from('no database, and long enough. '.repeat(300))],
  ['is damaged', (good: Buffer) => Buffer.from(good).fill(0x55, 100)],
  ['was cut off', (good: Buffer) => good.subarray(0, good.length / 2)],
])('a file that %s is named, with a hint, and not thrown away', (_how, damaged) => {
  const dir = scratchDir();
  const whole = openIn(dir);
  whole.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const path = join(dir, 'damaged.db');
  const bytes = damaged(readFileSync(join(dir, 'ledger.db')));
  writeFileSync(path, bytes);
  const error = caught(() => {
    const database = openDatabase(path);
    try {
      uploadLedger(database, 'a', markIn(dir), Date.now).counts();
    } finally {
      database.close();
    }
  });
  expect(error.code).toBe('STORAGE');
  expect(error.message).toMatch(new RegExp(`^${path}: `));
  expect(String(error.hint)).toContain('If the file is damaged: Move the file away');
  expect(existsSync(path)).toBe(true);
  expect(statSync(path).size).toBe(bytes.length);
});

it('merges a long log when the ledger is closed', () => {
  const dir = scratchDir();
  const logSize = () => statSync(join(dir, 'ledger.db-wal')).size;
  const database = openDatabase(join(dir, 'ledger.db'));
  const other = openIn(dir);
  for (let i = 0; i < 200; i++) {
    database.exec(`INSERT INTO token_accounts VALUES ('${i}', '${'x'.repeat(3000)}')`);
  }
  expect(logSize()).toBeGreaterThan(300_000);
  database.close();
  expect(logSize()).toBe(0);
  // A concurrent reader blocks nothing.
  other.exec('BEGIN');
  expect(other.get('SELECT count(*) AS n FROM token_accounts')).toEqual({ n: 200 });
  const third = openDatabase(join(dir, 'ledger.db'));
  for (let i = 0; i < 200; i++) {
    third.exec(`INSERT INTO token_accounts VALUES ('t${i}', '${'x'.repeat(3000)}')`);
  }
  third.close();
  expect(other.get('SELECT count(*) AS n FROM token_accounts')).toEqual({ n: 200 });
  other.exec('COMMIT');
  expect(other.get('SELECT count(*) AS n FROM token_accounts')).toEqual({ n: 400 });
});

it('reports a folder that cannot be created as a storage failure', () => {
  const dir = scratchDir();
  writeFileSync(join(dir, 'file'), '');
  const error = caught(() => openDatabase(join(dir, 'file', 'state', 'ledger.db')));
  expect(error).toMatchObject({ code: 'STORAGE' });
  mkdirSync(join(dir, 'ledger.db'));
  expect(caught(() => openDatabase(join(dir, 'ledger.db'))).code).toBe('STORAGE');
});

it('reports an SQLite error during use as a storage failure', () => {
  const dir = scratchDir();
  const database = openIn(dir);
  database.exec('PRAGMA max_page_count = 1');
  const ledger = uploadLedger(database, 'a', markIn(dir), Date.now);
  const error = caught(() => {
    for (let i = 0; i < 2000; i++) {
      ledger.claim(
        {
          sha256: String(i),
          path: 'x'.repeat(200),
          size: 1,
          activity: NO_ACTIVITY,
          workout: NO_WORKOUT,
        },
        false,
      );
    }
  });
  expect(error.code).toBe('STORAGE');
  expect(error.message).toBe(`The disk of ${dir} is full.`);
  // The ledger still works: no transaction is left open.
  expect(ledger.find('0')?.state).toBe('pending');
  expect(transaction(database, () => 'fine')).toBe('fine');
});

it('rolls back a failed transaction, and throws its error', () => {
  const dir = scratchDir();
  const database = openIn(dir);
  const reason = new Error('the task failed');
  expect(() =>
    transaction(database, () => {
      database.exec("INSERT INTO token_accounts VALUES ('a', 'b')");
      throw reason;
    }),
  ).toThrow(reason);
  expect(database.all('SELECT * FROM token_accounts')).toEqual([]);
  expect(() =>
    transaction(database, () => {
      // SQLite does the same when the disk is full.
      database.exec('ROLLBACK');
      throw reason;
    }),
  ).toThrow(reason);
  expect(existsSync(join(dir, 'ledger.db'))).toBe(true);
});

it('is not called damaged while another program locks it', () => {
  const dir = scratchDir();
  const database = openIn(dir);
  database.exec('PRAGMA busy_timeout = 0');
  const other = new DatabaseSync(join(dir, 'ledger.db'));
  other.exec('BEGIN EXCLUSIVE');
  expect(caught(() => database.run`DELETE FROM uploads`)).toMatchObject({
    code: 'STORAGE',
    hint: 'Another program uses it, such as a backup. Try again when that has finished.',
  });
  other.close();
});
