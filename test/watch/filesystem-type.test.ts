import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { judge, filesystemType } from '../../src/watch/filesystem-type.ts';

describe('where no events come', () => {
  // f_type as statfs(2) gives it: linux/magic.h
  it.each([
    ['ext4', 0xef53, false, false],
    ['btrfs', 0x9123683e, false, false],
    ['xfs', 0x58465342, false, false],
    ['tmpfs', 0x01021994, false, false],
    ['overlayfs', 0x794c7630, false, false],
    ['vfat', 0x4d44, false, true],
    ['exfat', 0x2011bab0, false, true],
    ['nfs', 0x6969, true, true],
    ['cifs', 0xff534d42, true, true],
    ['smb2', 0xfe534d42, true, true],
    ['fuse (gvfs, sshfs)', 0x65735546, true, true],
    ['9p (WSL)', 0x01021997, true, false],
  ])('%s', (_name, type, polls, removable) => {
    const place = judge(type);
    expect([place.noEvents !== undefined, place.removable]).toEqual([polls, removable]);
  });

  it('a network share of Windows is one, its own disks are not', () => {
    expect(filesystemType(String.raw`\\nas\rides`, 'win32').noEvents).toMatch(/network/);
    expect(filesystemType(String.raw`C:\Users\me\Zwift`, 'win32').noEvents).toBeUndefined();
    expect(filesystemType(String.raw`\\?\C:\Users\me`, 'win32').noEvents).toBeUndefined();
  });

  it('this machine has events for its own files', () => {
    expect(filesystemType(tmpdir(), process.platform).noEvents).toBeUndefined();
  });

  it('a folder that is not there is judged when it is', () => {
    expect(filesystemType('/no/such/folder', 'linux')).toEqual({
      noEvents: undefined,
      removable: false,
    });
  });
});
