import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseMounts, placeOf } from '../../../src/system/mounts.ts';
import { filesystemType, judge } from '../../../src/watch/find/filesystem-type.ts';

describe('the type of a filesystem', () => {
  // As /proc/self/mountinfo names it.
  it.each([
    ['ext4', false, false],
    ['btrfs', false, false],
    ['tmpfs', false, false],
    ['overlay', false, false],
    ['vfat', false, true],
    ['exfat', false, true],
    ['nfs4', true, true],
    ['cifs', true, true],
    ['autofs', true, true],
    ['fuse.sshfs', true, true],
    ['fuseblk', true, true],
    ['9p', true, false],
  ])('determines for %s whether the watcher has to poll', (type, polls, removable) => {
    const mounts = parseMounts(`22 1 0:21 / / rw - ${type} source rw`);
    const judged = judge(placeOf('/rides', mounts));
    expect([judged.noEvents !== undefined, judged.removable]).toEqual([polls, removable]);
  });

  it('determines polling for a Windows network share and events for local disks', () => {
    expect(filesystemType(String.raw`\\nas\rides`).noEvents).toMatch(/network/);
    expect(filesystemType(String.raw`C:\Users\me\Zwift`).noEvents).toBeUndefined();
    expect(filesystemType(String.raw`\\?\C:\Users\me`).noEvents).toBeUndefined();
  });

  it('determines events for the files of this machine', () => {
    expect(filesystemType(tmpdir()).noEvents).toBeUndefined();
  });
});
