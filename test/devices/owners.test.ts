import { chmodSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MountReader } from '../../src/devices/mount-reader.ts';
import { ownersAt } from '../../src/devices/owners.ts';
import { parseMounts } from '../../src/system/mounts.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const isLinux = process.platform === 'linux';
const uid = process.getuid?.() ?? 0;
/** Neither root nor this user. */
const STRANGER = 12_345;
const ALLOWED = [0, uid];

/** Judges a folder as if it were the root of a mount. @param mount type, options, source */
async function judge(mount: string, mode = 0o777) {
  const [type, options = 'rw', source = 'source'] = mount.split(' ');
  const root = scratchDir();
  chmodSync(root, mode);
  const mounts = parseMounts(`22 1 0:21 / ${root} rw - ${type} ${source} ${options}`);
  return await ownersAt(new MountReader(10_000), root, mounts, ALLOWED);
}

it
  .runIf(isLinux)
  .each([
    'vfat',
    'msdos',
    'exfat',
    'ntfs',
    'ntfs3',
    'fuseblk rw,user_id=0,group_id=0,allow_other',
    'drvfs',
    '9p rw,aname=drvfs;path=C:\\;uid=1000',
    'virtiofs rw drvfsaC',
    'fuse.jmtpfs rw,user_id=0',
    `fuse.sshfs rw,user_id=${uid},group_id=0`,
  ])('all files count on a file system without owners: %s', async (mount) => {
  expect(await judge(mount)).toBeUndefined();
});

it.runIf(isLinux).each(['ext4', 'btrfs', '9p rw,trans=virtio', 'virtiofs', 'nfs4'])(
  'a folder on %s to which everyone may write is no device',
  async (mount) => {
    expect(await judge(mount)).toBe('none');
    expect(await judge(mount, 0o755)).toEqual(ALLOWED);
  },
);

it.runIf(isLinux).each(['fuse.bindfs', 'fuseblk', 'fuse.jmtpfs'])(
  'a file system that another user mounted is no device, whatever owners it shows: %s',
  async (type) => {
    expect(await judge(`${type} rw,user_id=${STRANGER},allow_other`, 0o755)).toBe('none');
  },
);

it.runIf(isLinux)('a folder of another user is no device', async () => {
  const root = scratchDir();
  expect(statSync(root).uid).toBe(uid);
  expect(await ownersAt(new MountReader(10_000), root, [], [STRANGER])).toBe('none');
});
