import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { judge, filesystemType } from '../../../src/watch/find/filesystem-type.ts';

describe('the type of a filesystem', () => {
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
  ])('determines for %s whether the watcher has to poll', (_name, type, polls, removable) => {
    const place = judge(type);
    expect([place.noEvents !== undefined, place.removable]).toEqual([polls, removable]);
  });

  it('determines polling for a Windows network share and events for local disks', () => {
    expect(filesystemType(String.raw`\\nas\rides`, 'win32').noEvents).toMatch(/network/);
    expect(filesystemType(String.raw`C:\Users\me\Zwift`, 'win32').noEvents).toBeUndefined();
    expect(filesystemType(String.raw`\\?\C:\Users\me`, 'win32').noEvents).toBeUndefined();
  });

  it('determines events for the files of this machine', () => {
    expect(filesystemType(tmpdir(), process.platform).noEvents).toBeUndefined();
  });

  it('leaves a missing folder undetermined until it exists', () => {
    expect(filesystemType('/no/such/folder', 'linux')).toEqual({
      noEvents: undefined,
      removable: false,
    });
  });
});
