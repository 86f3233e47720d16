import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  distrustHint,
  findDistrust,
  findOwnDistrust,
  isPrivateGroup,
  unmappedOwner,
} from '../../src/system/folder-trust.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const me = process.geteuid?.();
const root = me === 0;
const OTHER = 65_534;
/** Trusts one user, on a machine without accounts. */
const trustOf = (uid: number | undefined, unmapped?: number) => ({
  uid,
  accounts: () => ({ passwd: '', group: '' }),
  unmapped: () => unmapped,
});

/** A folder, and one in it, with these modes. */
function folders(modes: { above?: number; below?: number }) {
  const above = join(scratchDir(), 'above');
  const below = join(above, 'below');
  mkdirSync(below, { recursive: true });
  chmodSync(above, modes.above ?? 0o755);
  chmodSync(below, modes.below ?? 0o700);
  return { above, below };
}

describe.skipIf(me === undefined)('the trust in a folder', () => {
  it.each([0o700, 0o755, 0o750])('includes mode %o', (below) => {
    expect(findDistrust(folders({ below }).below)).toBeUndefined();
  });

  it.each([0o777, 0o707, 0o702])('excludes mode %o, which is writable for all', (mode) => {
    const { below } = folders({ below: mode });
    expect(findDistrust(below)).toEqual({
      path: below,
      above: 0,
      foreign: false,
      reason: `can be changed by other users (mode ${mode.toString(8).padStart(4, '0')})`,
      fix: `chmod go-w ${below}`,
    });
  });

  it('excludes a sticky folder itself, and does not change it', () => {
    const { below } = folders({ below: 0o1777 });
    expect(findDistrust(below)).toMatchObject({ path: below, above: 0, foreign: false });
    expect(findDistrust(below)).not.toHaveProperty('fix');
  });

  it('excludes a shared group, but includes the private group of the user', () => {
    const { below } = folders({ below: 0o770 });
    const gid = process.getgid?.() ?? 0;
    const trust = (group: string) =>
      findDistrust(below, {
        uid: me,
        accounts: () => ({ passwd: `ann:x:${me}:${gid}::/:/bin/sh\n`, group }),
        unmapped: () => undefined,
      });
    expect(trust(`ann:x:${gid}:\n`)).toBeUndefined();
    expect(trust(`staff:x:${gid}:\n`)?.path).toBe(below);
    expect(findDistrust(below, trustOf(me))?.path).toBe(below);
  });

  it('excludes a folder below a writable one, also if it does not exist yet', () => {
    const { above, below } = folders({ above: 0o777 });
    for (const folder of [below, join(above, 'new', 'state')]) {
      expect(findDistrust(folder)).toMatchObject({ path: above, fix: `chmod go-w ${above}` });
    }
  });

  it('includes a folder of the user in a sticky folder such as /tmp', () => {
    expect(findDistrust(folders({ above: 0o1777 }).below)).toBeUndefined();
  });

  it('depends, for a link, on the place of the link and on its target', () => {
    const open = folders({ above: 0o777 });
    const shut = folders({});
    const link = join(scratchDir(), 'link');
    symlinkSync(open.below, link);
    expect(findDistrust(link)?.path).toBe(open.above);
    symlinkSync(shut.below, join(open.above, 'link'));
    expect(findDistrust(join(open.above, 'link'))?.path).toBe(open.above);
    symlinkSync(shut.below, join(shut.above, 'link'));
    expect(findDistrust(join(shut.above, 'link'))).toBeUndefined();
  });

  it.skipIf(!root)(
    'excludes folders and links of another user, also for root (run as root only)',
    () => {
      const { above, below } = folders({});
      chownSync(below, OTHER, OTHER);
      expect(findDistrust(below)).toMatchObject({
        path: below,
        reason: `belongs to another user (uid ${OTHER})`,
        fix: `sudo -u '#${OTHER}' sync`,
      });
      expect(findDistrust(below, trustOf(4_242))).toMatchObject({
        path: below,
        fix: expect.stringMatching(/^sudo chown -h \S+ \//) as string,
      });
      chownSync(below, 0, 0);
      chownSync(above, OTHER, OTHER);
      expect(findDistrust(below)?.path).toBe(above);
    },
  );
});

describe.skipIf(me === undefined)('the trust in a file of this program', () => {
  /** A configuration file, as a program for dotfiles arranges it. */
  function linked(kind: 'file' | 'folder') {
    const home = scratchDir();
    const dotfiles = join(home, 'dotfiles', 'athlete-sync');
    const place = join(home, '.config', 'athlete-sync');
    mkdirSync(dotfiles, { recursive: true });
    writeFileSync(join(dotfiles, 'config.json'), '{}');
    mkdirSync(kind === 'file' ? place : join(home, '.config'), { recursive: true });
    const link = kind === 'file' ? join(place, 'config.json') : place;
    symlinkSync(kind === 'file' ? join(dotfiles, 'config.json') : dotfiles, link);
    return { dotfiles, link, file: join(place, 'config.json') };
  }

  it.each(['file', 'folder'] as const)(
    'follows a link of the user (stow, chezmoi), and judges its target: a %s',
    (kind) => {
      const { dotfiles, file } = linked(kind);
      expect(findOwnDistrust(file, 2)).toBeUndefined();
      chmodSync(dotfiles, 0o777);
      expect(findOwnDistrust(file, 2)).toMatchObject({ path: dotfiles, above: 1 });
      chmodSync(dotfiles, 0o755);
      chmodSync(join(dotfiles, 'config.json'), 0o666);
      expect(findOwnDistrust(file, 2)).toMatchObject({ above: 0 });
    },
  );

  it('disregards a shared folder further above, and finds a fault below it', () => {
    const { above, below } = folders({ above: 0o777 });
    const file = join(below, 'config.json');
    writeFileSync(file, '{}');
    expect(findOwnDistrust(file, 2)).toBeUndefined();
    expect(findDistrust(file)).toMatchObject({ path: above, above: 2 });
    chmodSync(file, 0o646);
    expect(findOwnDistrust(file, 2)).toMatchObject({ path: file, above: 0 });
  });

  it.skipIf(!root)('excludes a link and a file of another user (run as root only)', () => {
    const { link, dotfiles, file } = linked('file');
    lchownSync(link, OTHER, OTHER);
    expect(findOwnDistrust(file, 2)).toMatchObject({ path: link, foreign: true });
    lchownSync(link, 0, 0);
    chownSync(join(dotfiles, 'config.json'), OTHER, OTHER);
    expect(findOwnDistrust(file, 2)).toMatchObject({ above: 0, foreign: true });
  });

  it.skipIf(!root)('includes a file in a sticky store, as on NixOS (run as root only)', () => {
    const store = join(scratchDir(), 'store');
    mkdirSync(join(store, 'abc-config'), { recursive: true });
    chownSync(store, 0, 30_000);
    chmodSync(store, 0o1775);
    const file = join(store, 'abc-config', 'config.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o444);
    expect(findDistrust(file, trustOf(me))).toBeUndefined();
    expect(findDistrust(file, trustOf(4_242))?.path).toBeUndefined();
  });

  it.skipIf(!root)('includes owners from outside a user namespace (run as root only)', () => {
    const { below } = folders({});
    chownSync(below, OTHER, OTHER);
    expect(findDistrust(below, trustOf(me, OTHER))).toBeUndefined();
    expect(findDistrust(below, trustOf(me))).toMatchObject({ path: below, foreign: true });
    chmodSync(below, 0o777);
    expect(findDistrust(below, trustOf(me, OTHER))).toMatchObject({ foreign: false });
  });

  it('names the command for each kind of fault, and the variable', () => {
    const fault = { path: '/x', above: 0, reason: 'is faulty' };
    const hint = (fix: string, foreign: boolean) =>
      distrustHint({ ...fault, fix, foreign }, 'SYNC_CONFIG_DIR');
    expect(hint("chmod go-w '/x'", false)).toBe(
      "Run `chmod go-w '/x'`, or name another folder with SYNC_CONFIG_DIR.",
    );
    expect(hint("sudo chown -h ann '/x'", true)).toBe(
      "If you know what is in it and trust it, run `sudo chown -h ann '/x'`. " +
        'Otherwise name another folder with SYNC_CONFIG_DIR.',
    );
    expect(hint("sudo -u '#1000' sync", true)).toBe(
      "Run sync as that user, `sudo -u '#1000' sync`, or name another folder with SYNC_CONFIG_DIR.",
    );
  });
});

it.each([
  ['the system', '         0          0 4294967295\n', undefined],
  ['no such file', '', undefined],
  ['Podman', '         0       1000          1\n         1     100000      65536\n', 65_534],
  ['bubblewrap', '      1000       1000          1\n', 65_534],
])('knows the owner that stands for all unmapped ones: %s', (_where, map, owner) => {
  expect(unmappedOwner(map, '65534\n')).toBe(owner);
});

describe('a private group', () => {
  const passwd = 'root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:/bin/sh\nben:x:1001:1001::/:/bin/sh\n';
  it.each([
    ['with the name of its user and no member', passwd, 'ann:x:1000:\n', true],
    ['that names its user as the member', passwd, 'ann:x:1000:ann\n', true],
    ['with another member', passwd, 'ann:x:1000:ann,ben\n', false],
    ['of another name', passwd, 'staff:x:1000:\n', false],
    ['that is unknown', passwd, '', false],
    ['that others start in', `${passwd}cy:x:1002:1000::/:/bin/sh\n`, 'ann:x:1000:\n', false],
    ['of a user who is unknown', '', 'ann:x:1000:\n', false],
  ])('is determined for a group %s', (_what, users, group, expected) => {
    expect(isPrivateGroup(1000, 1000, { passwd: users, group })).toBe(expected);
  });
});
