import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { makeFolder, makeNamedFolder, makeStateFolder } from '../../src/system/storage.ts';
import { scratchDir } from '../auth/support.ts';

function caught(task: () => void): SyncError {
  try {
    task();
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('creating a folder', () => {
  it('creates its parents too, for the owner only if requested', () => {
    const path = join(scratchDir(), 'a', 'b', 'c');
    makeFolder(path, 0o700);
    makeFolder(path, 0o700);
    for (const each of [path, join(path, '..')]) {
      expect(statSync(each).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o700);
    }
    makeFolder(`${path}/`);
    makeFolder('/');
  });

  it.skipIf(process.platform !== 'linux')('fails at once if the folder cannot be created', () => {
    for (const path of ['/proc/x', '/proc/x/y/z']) {
      expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
      expect(caught(() => makeStateFolder(path))).toMatchObject({
        code: 'STORAGE',
        message: 'Nothing can be made in /proc.',
        hint: 'Fix that, or name another folder with SYNC_STATE_DIR.',
        details: { path },
      });
    }
  });

  it('names the file that is in the way of the folder', () => {
    const file = join(scratchDir(), 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'a'), join(file, 'a', 'b')]) {
      expect(caught(() => makeStateFolder(path)).message).toBe(`${file} is not a folder.`);
      expect(caught(() => makeNamedFolder(path, '--out'))).toMatchObject({
        code: 'USAGE',
        message: `--out ${path}: ${file} is not a folder.`,
      });
    }
    mkdirSync(join(file, '..', 'folder'));
    makeNamedFolder(join(file, '..', 'folder'), '--out');
  });
});
