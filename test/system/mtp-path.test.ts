import { describe, expect, it } from 'vitest';
import { isOnMtp, lastingPath, mtpMountOf, shownPath } from '../../src/system/mtp-path.ts';

const GVFS = '/run/user/1000/gvfs/mtp:host=Garmin_Edge_840_0000caea38a2';
const KIO = '/run/user/1000/kio-fuse-aB3dEf/mtp/Edge 840';

describe('a path on an MTP mount', () => {
  it.each([
    [GVFS, GVFS, 'the Garmin Edge 840'],
    [`${GVFS}/Internal Storage/GARMIN/Activity/ride.fit`, GVFS, 'the Garmin Edge 840'],
    [`${KIO}/Internal Storage/GARMIN`, KIO, 'the Edge 840'],
    // Without names, udev gives the numbers of maker and model.
    ['/run/user/1/gvfs/mtp:host=091e_4f43_0000caea38a2/x', undefined, 'the device'],
    ['/run/user/1/gvfs/mtp:host=%5Busb%3A001%2C006%5D/x', undefined, 'the device'],
    ['/home/ann/.gvfs/mtp:host=Wahoo_ELEMNT_1234abcd/exports', undefined, 'the Wahoo ELEMNT'],
  ])('is known by its form: %s', (path, root, title) => {
    const mount = mtpMountOf(path);
    expect(mount?.title).toBe(title);
    if (root !== undefined) expect(mount?.root).toBe(root);
    expect(isOnMtp(path)).toBe(true);
  });

  it.each([
    '/run/user/1000/gvfs/sftp:host=nas/mtp',
    '/run/user/1000/gvfs',
    '/run/user/1000/kio-fuse-aB3dEf/sftp/nas/mtp/rides',
    '/home/ann/mtp/rides',
    '/media/ann/GARMIN/Garmin/Activity',
  ])('is not assumed of other mounts and folders: %s', (path) => {
    expect(isOnMtp(path)).toBe(false);
  });

  it.each([
    [`${GVFS}/Internal Storage/GARMIN/Activity/ride.fit`, 'Garmin Edge 840: Activity/ride.fit'],
    [`${GVFS}/Internal Storage`, 'Garmin Edge 840'],
    [`${KIO}/Internal Storage/Garmin`, 'Edge 840'],
    ['/run/user/1/gvfs/mtp:host=091e_4f43/Card/exports/ride.fit', 'MTP device: exports/ride.fit'],
    ['/media/ann/GARMIN/Garmin/Activity/a.fit', '/media/ann/GARMIN/Garmin/Activity/a.fit'],
  ])('is shown to people with the name of the device: %s', (path, shown) => {
    expect(shownPath(path)).toBe(shown);
  });

  it('is the same in the next session, whose mount point has another name', () => {
    const path = `${KIO}/Internal Storage/ride.fit`;
    expect(lastingPath(path)).toBe(lastingPath(path.replace('aB3dEf', 'zZ9yXw')));
    expect(lastingPath(`${GVFS}/ride.fit`)).toBe(`${GVFS}/ride.fit`);
  });
});
