import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFault, fileErrorCode } from '../../src/system/disk.ts';
import { storageError } from '../../src/system/storage.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { mountSmallDisk, whyNoMount } from '../support/disk.ts';
import { DatabaseSync } from '../support/sqlite.ts';

const LOST_NOTHING = 'Nothing is lost: the next run continues.';

function coded(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code });
}

/** Returns what the task throws. */
function thrown(task: () => void): unknown {
  try {
    task();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

it.each([
  ['ENOSPC', 'is full', `Free some space there. ${LOST_NOTHING}`],
  ['EDQUOT', 'is full: your quota is used up', `Free some space there. ${LOST_NOTHING}`],
  [
    'EFBIG',
    'is full: a file has reached the limit on its size',
    `Free some space there. ${LOST_NOTHING}`,
  ],
  [
    'EROFS',
    'is read-only',
    'Make it writable; if it never is, name another folder with SYNC_STATE_DIR. Nothing is lost.',
  ],
  ['EIO', 'reports an input/output error', `Check the disk. ${LOST_NOTHING}`],
])('describes %s in one sentence, with the folder and the fix', (code, words, hint) => {
  const dir = scratchDir();
  const error = storageError(join(dir, 'a', 'file'), coded(code), 'SYNC_STATE_DIR');
  expect(error).toMatchObject({ code: 'STORAGE', message: `The disk of ${dir} ${words}.`, hint });
});

it('blames no disk for other failures', () => {
  for (const code of ['EACCES', 'ENOENT', 'EMFILE', 'ERR_SQLITE_ERROR']) {
    expect(diskFault(scratchDir(), coded(code))).toBeUndefined();
  }
});

const noMount = whyNoMount();

describe.skipIf(noMount !== undefined)(
  `a database on a disk that takes no data (${noMount ?? 'mounted'})`,
  () => {
    it.each(['full', 'full but for a page', 'read-only', 'without room for a file'] as const)(
      'finds that the disk is %s',
      (trouble) => {
        const dir = join(scratchDir(), 'disk');
        const disk = mountSmallDisk(dir, trouble === 'without room for a file' ? { files: 4 } : {});
        const path = join(dir, 'ledger.db');
        const database = new DatabaseSync(path);
        database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
        database.close();
        if (trouble === 'full') disk.fill(0);
        else if (trouble === 'full but for a page') disk.fill(4_096);
        else if (trouble === 'read-only') disk.makeReadOnly();
        else writeFileSync(join(dir, 'filler'), '');
        const before = readdirSync(dir);
        const cause = thrown(() => new DatabaseSync(path).exec('INSERT INTO t VALUES (1)'));
        const state = trouble === 'read-only' ? 'read-only' : 'full';
        const what =
          trouble === 'without room for a file'
            ? 'is full: it cannot hold more files'
            : `is ${state}`;
        expect(diskFault(path, cause)).toMatchObject({
          state,
          message: `The disk of ${dir} ${what}.`,
        });
        // Nothing of the test is left.
        expect(readdirSync(dir).filter((name) => name.startsWith('.sync'))).toEqual([]);
        expect(readdirSync(dir)).toEqual(expect.arrayContaining(before));
      },
    );

    it('does not take a damaged database for a fault of the disk', () => {
      const path = join(scratchDir(), 'ledger.db');
      writeFileSync(path, 'x'.repeat(5_000));
      const cause = thrown(() => new DatabaseSync(path).exec('SELECT * FROM sqlite_master'));
      expect(fileErrorCode(path, cause)).toBeUndefined();
    });
  },
);
