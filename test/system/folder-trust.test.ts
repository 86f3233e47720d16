import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDistrust, isPrivateGroup } from '../../src/system/folder-trust.ts';
import { scratchDir } from '../auth/support.ts';

const me = process.geteuid?.();
const root = me === 0;
const OTHER = 65_534;
const NO_ACCOUNTS = () => ({ passwd: '', group: '' });

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

  it.each([0o777, 0o707, 0o702, 0o1777])('excludes mode %o, which is writable for all', (mode) => {
    const { below } = folders({ below: mode });
    expect(findDistrust(below)).toEqual({
      path: below,
      reason: `can be changed by other users (mode ${mode.toString(8).padStart(4, '0')})`,
      fix: `chmod go-w ${below}`,
    });
  });

  it('excludes a shared group, but includes the private group of the user', () => {
    const { below } = folders({ below: 0o770 });
    const gid = process.getgid?.() ?? 0;
    const trust = (group: string) =>
      findDistrust(below, {
        uid: me,
        accounts: () => ({ passwd: `ann:x:${me}:${gid}::/:/bin/sh\n`, group }),
      });
    expect(trust(`ann:x:${gid}:\n`)).toBeUndefined();
    expect(trust(`staff:x:${gid}:\n`)?.path).toBe(below);
    expect(findDistrust(below, { uid: me, accounts: NO_ACCOUNTS })?.path).toBe(below);
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
      expect(findDistrust(below, { uid: 4_242, accounts: NO_ACCOUNTS })).toMatchObject({
        path: below,
        fix: expect.stringMatching(/^sudo chown -h \S+ \//) as string,
      });
      chownSync(below, 0, 0);
      chownSync(above, OTHER, OTHER);
      expect(findDistrust(below)?.path).toBe(above);
    },
  );
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
