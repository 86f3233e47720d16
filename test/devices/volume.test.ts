import { describe, expect, it } from 'vitest';
import { volumeId } from '../../src/devices/volume.ts';
import { parseMounts } from '../../src/system/mounts.ts';

const MOUNTS = parseMounts(
  '70 29 8:17 / /media/ada/My\\040Edge rw,nosuid shared:5 master:2 - vfat /dev/sdb1 rw',
);

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
