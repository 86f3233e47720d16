import { describe, expect, it } from 'vitest';
import { isMtp, volumeId } from '../../src/devices/volume.ts';
import { parseMounts } from '../../src/system/mounts.ts';

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

describe('parseMounts', () => {
  it('reads mount points with spaces, and ignores other lines', () => {
    expect(MOUNTS).toHaveLength(5);
    expect(MOUNTS[1]).toEqual({ point: '/media/ada/My Edge', type: 'vfat', source: '/dev/sdb1' });
  });
});

describe('isMtp', () => {
  it.each([
    ['/run/user/1000/gvfs/mtp:host=Garmin_1/Internal Storage', true],
    ['/run/user/1000/kio-fuse-Ab12/mtp/fenix 6/Primary', true],
    ['/home/ada/watch/Internal Storage', true],
    ['/home/ada/watches', false],
    ['/media/ada/My Edge', false],
    ['/home/ada/mtp/Primary', false],
  ])('judges %s by its mount: %s', (root, expected) => {
    expect(isMtp(root, MOUNTS)).toBe(expected);
  });
});

describe('volumeId', () => {
  const idOf = (root: string, deviceNumber?: number) => volumeId(root, MOUNTS, deviceNumber);

  it('takes the USB serial number of an MTP device, not its port', () => {
    const gvfs = '/run/user/1000/gvfs';
    expect(idOf(`${gvfs}/mtp:host=091e_50db_0000d8dc/Internal Storage`)).toBe(
      'mtp:091e_50db_0000d8dc',
    );
    expect(idOf(`${gvfs}/mtp:host=%5Busb%3A001%2C010%5D/Internal Storage`)).toBeUndefined();
    expect(idOf(`${gvfs}/mtp:host=[usb:001,010]/Internal Storage`)).toBeUndefined();
  });

  it('has none for a folder that is no mount: it would be that of the whole disk', () => {
    expect(idOf('/home/ada/backup')).toBeUndefined();
    expect(idOf('/Volumes/GARMIN')).toBeUndefined();
  });

  it('takes the serial number of a drive on Windows', () => {
    expect(idOf('E:\\', 0xabc)).toBe('abc');
    expect(idOf('E:\\backup', 0xabc)).toBeUndefined();
  });
});
