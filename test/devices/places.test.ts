import { describe, expect, it } from 'vitest';
import { mountsIn, patternText, usualMounts } from '../../src/devices/places.ts';

describe('usualMounts', () => {
  const usualOn = (platform: NodeJS.Platform, env = {}) =>
    usualMounts(platform, env, 1000).map(patternText);

  it('has the mount points of Linux, with the MTP mounts of GNOME and KDE', () => {
    expect(usualOn('linux', { XDG_RUNTIME_DIR: '/run/user/1000' })).toEqual([
      '/media/*',
      '/media/*/*',
      '/run/media/*/*',
      '/mnt',
      '/mnt/*',
      '/run/user/1000/gvfs/mtp:host=*/*',
      '/run/user/1000/kio-fuse-*/mtp/*/*',
    ]);
    expect(usualOn('linux').slice(-2)).toEqual([
      '/run/user/1000/gvfs/mtp:host=*/*',
      '/run/user/1000/kio-fuse-*/mtp/*/*',
    ]);
  });

  it('has the volumes of macOS, and the drives of Windows but for the system', () => {
    expect(usualOn('darwin')).toEqual(['/Volumes/*']);
    const drives = usualMounts('win32', {}, undefined).map(({ root }) => root);
    expect(drives).toContain('D:\\');
    expect(drives).not.toContain('C:\\');
  });
});

it('mountsIn has the folder and three levels below it: a mount of gvfs has two', () => {
  expect(mountsIn('/cards').map(patternText)).toEqual([
    '/cards',
    '/cards/*',
    '/cards/*/*',
    '/cards/*/*/*',
  ]);
});
