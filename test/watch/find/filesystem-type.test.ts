import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseMounts, placeOf } from '../../../src/system/mounts.ts';
import { judge, filesystemType } from '../../../src/watch/find/filesystem-type.ts';

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

  it('is that of the mount that a link leads to, without a call to it', () => {
    const dir = mkdtempSync(join(tmpdir(), 'place-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    mkdirSync(join(dir, 'local'));
    symlinkSync('../nas/rides', join(dir, 'local', 'link'));
    const mounts = parseMounts(`22 1 0:21 / ${dir}/nas rw - nfs4 nas:/x rw`);
    expect(placeOf(join(dir, 'local', 'link', 'new'), mounts)).toEqual({
      ...{ path: join(dir, 'nas', 'rides', 'new'), point: join(dir, 'nas') },
      ...{ type: 'nfs4', mayHang: true },
    });
    expect(placeOf(join(dir, 'local'), mounts)).toMatchObject({ mayHang: false });
  });

  it('determines polling for a Windows network share and events for local disks', () => {
    expect(filesystemType(String.raw`\\nas\rides`, 'win32').noEvents).toMatch(/network/);
    expect(filesystemType(String.raw`C:\Users\me\Zwift`, 'win32').noEvents).toBeUndefined();
    expect(filesystemType(String.raw`\\?\C:\Users\me`, 'win32').noEvents).toBeUndefined();
  });

  it('determines events for the files of this machine', () => {
    expect(filesystemType(tmpdir(), process.platform).noEvents).toBeUndefined();
  });
});
