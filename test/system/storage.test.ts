import {
  lchownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  behindOwnLink,
  makeFolder,
  makeNamedFolder,
  makeStateFolder,
  replaceFile,
  storageError,
} from '../../src/system/storage.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { mountVfat, whyNoVfat } from '../support/vfat.ts';
import { caught } from '../support/failure.ts';

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

/** File systems that state one owner and mode for all files, whatever a program asks for. */
const FLAT = [
  {
    name: 'vfat',
    missing: whyNoVfat(),
    modes: { all: 'umask=000', others: 'uid=65534,umask=077', own: 'umask=077' },
    mountAt: mountVfat,
  },
  {
    name: 'bindfs',
    missing: whyNoFuse(),
    modes: { all: '--perms=0777', others: '--force-user=65534', own: '--perms=0700' },
    mountAt: (at: string, flag: string) => mountFuse(scratchDir(), at, [flag]),
  },
].map((each) => ({
  ...each,
  title: each.missing === undefined ? each.name : `${each.name} (skipped: ${each.missing})`,
}));

describe.each(FLAT)('a file on $title', ({ missing, modes, mountAt }) => {
  const mounted = async (options: string) => {
    const at = join(scratchDir(), 'disk');
    await mountAt(at, options);
    return at;
  };

  it.skipIf(missing !== undefined)('keeps no secret if all users can read it', async () => {
    const at = await mounted(modes.all);
    const path = join(at, 'login.json');
    expect(() => replaceFile(path, 'secret', { secret: true })).toThrow(
      `a new file in ${at} is not this user's alone (owner ${process.getuid?.()}, mode 0777)`,
    );
    expect(readdirSync(at)).toEqual([]);
    replaceFile(path, 'no secret');
    expect(readFileSync(path, 'utf8')).toBe('no secret');
  });

  it.skipIf(missing !== undefined)(
    'is refused if it belongs to another user, secret or not',
    async () => {
      const at = await mounted(modes.others);
      for (const secret of [true, false]) {
        expect(() => replaceFile(join(at, 'file'), 'x', { secret })).toThrow('(owner 65534, ');
      }
      expect(readdirSync(at)).toEqual([]);
    },
  );

  it.skipIf(missing !== undefined)('keeps a secret if it is for this user alone', async () => {
    const path = join(await mounted(modes.own), 'login.json');
    replaceFile(path, 'secret', { secret: true });
    expect(readFileSync(path, 'utf8')).toBe('secret');
  });
});

describe('a link in place of a file', () => {
  const linked = () => {
    const [target, link] = ['target', 'link'].map((name) => join(scratchDir(), name)) as [
      string,
      string,
    ];
    writeFileSync(target, '');
    symlinkSync(target, link);
    return { target, link };
  };

  it("leads to its file if it is this user's own", () => {
    const { target, link } = linked();
    expect([link, target].map(behindOwnLink)).toEqual([target, target]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    "is not followed if it is another user's (run as root only)",
    () => {
      const { link } = linked();
      lchownSync(link, 12_345, 12_345);
      expect(behindOwnLink(link)).toBe(link);
    },
  );
});

it.skipIf(process.platform === 'win32')('names a file that is mounted on its own', () => {
  const path = join(scratchDir(), 'config.json');
  const cause = Object.assign(new Error('busy'), { code: 'EBUSY', path });
  expect(storageError(path, cause).message).toBe(
    `${path} cannot be replaced, because it is mounted as a single file.`,
  );
});
