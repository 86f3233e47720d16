import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBelow, parseMounts, placeOf } from '../../src/system/mounts.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const MOUNTS = parseMounts(
  [
    '29 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw',
    '70 29 8:17 / /media/ada/My\\040Edge rw,nosuid shared:5 master:2 - vfat /dev/sdb1 rw',
    '71 29 0:50 / /run/user/1000/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw',
    '72 29 0:51 / /home/ada/watch rw - fuse.jmtpfs jmtpfs rw',
    '73 29 0:52 / /mnt/nfs rw - nfs4 nas:/x rw',
    'not a mount',
    '',
  ].join('\n'),
);

it('parseMounts reads mount points with spaces, and ignores other lines', () => {
  expect(MOUNTS).toHaveLength(5);
  expect(MOUNTS[1]).toEqual({
    ...{ point: '/media/ada/My Edge', type: 'vfat', source: '/dev/sdb1', options: 'rw' },
  });
});

describe('placeOf', () => {
  const GVFS = '/run/user/1000/gvfs/mtp:host=Garmin_1';
  const KIO = '/run/user/1000/kio-fuse-Ab12/mtp/fenix 6';
  it.each([
    [`${GVFS}/Internal Storage/ride.fit`, 'mtp', GVFS],
    [`${KIO}/Primary/ride.fit`, 'mtp', KIO],
    ['/home/ada/watch/Internal Storage', 'mtp', '/home/ada/watch'],
    ['/home/ada/watches', undefined, '/'],
    ['/media/ada/My Edge/Garmin/ride.fit', 'disk', '/media/ada/My Edge'],
    ['/mnt/nfs/rides', 'network', '/mnt/nfs'],
    ['/run/user/1000/gvfs/smb-share', 'fuse', '/run/user/1000/gvfs'],
    // Without a list of mounts.
    ['/Volumes/GARMIN/Garmin/ride.fit', 'disk', '/Volumes/GARMIN'],
    [String.raw`\\nas\rides\2026\ride.fit`, 'network', String.raw`\\nas\rides`],
  ])('takes %s for the kind "%s", mounted at %s', (path, kind, point) => {
    expect(placeOf(path, MOUNTS)).toMatchObject({ kind, point });
  });

  it('takes the root of a path on a system without a list of mounts', () => {
    expect(placeOf('/Users/ada/ride.fit', [])).toMatchObject({ kind: undefined, point: '/' });
  });

  it('follows a link up to a mount, without a call to it', () => {
    const dir = scratchDir();
    mkdirSync(join(dir, 'local'));
    symlinkSync('../nas/rides', join(dir, 'local', 'link'));
    const mounts = parseMounts(`22 1 0:21 / ${dir}/nas rw - nfs4 nas:/x rw`);
    const path = join(dir, 'nas', 'rides', 'new');
    const place = { path, point: join(dir, 'nas'), mount: mounts[0], kind: 'network' };
    expect(placeOf(join(dir, 'local', 'link', 'new'), mounts)).toEqual(place);
    expect(placeOf(join(dir, 'local'), mounts).kind).toBeUndefined();
  });
});

it('isBelow holds for paths inside of a folder, and not for the folder itself', () => {
  const pairs = [
    ['/a/b', '/a'],
    ['/a', '/'],
    ['/', '/'],
    ['/a', '/a'],
    ['/ab', '/a'],
  ] as const;
  expect(pairs.map(([path, folder]) => isBelow(path, folder))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
