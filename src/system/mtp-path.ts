/**
 * Recognises files of a device over MTP by their path: looking at them may hang.
 *
 * What the two programs that mount such devices on Linux do (read in their sources, 2026-11):
 *
 * - GVfs (GNOME, Cinnamon, Xfce) shows a device as `gvfs/mtp:host=MODEL_SERIAL/STORAGE/...` in the
 *   runtime folder. `gvfsd-mtp` serialises every call with one mutex, so a second reader waits
 *   (daemon/gvfsbackendmtp.c). Its FUSE daemon reports the inode 0, the size and time that the device
 *   reports, and 0 if it reports none (client/gvfsfusedaemon.c, vfs_getattr). Listing a folder asks the
 *   device once for each file (do_enumerate). A call that the device does not answer blocks for a
 *   minute (G_VFS_DBUS_TIMEOUT_MSECS) or for ever (linuxmint/nemo#3834, GNOME/gvfs#876). After the
 *   device is unplugged, calls fail with EIO, later with ENOENT. Opening a file fails with ENOTSUP if the
 *   device lacks GetPartialObject (do_open_for_read); `gio copy`, which asks for whole files, works
 *   then (libmtp/libmtp#8).
 * - kio-fuse (KDE) shows it as `kio-fuse-XXXXXX/mtp/NAME/STORAGE/...` in the runtime folder, with six
 *   characters that change with every session. The first read of an open file copies the whole file
 *   into a temporary one; the copy is deleted when the file is closed (DESIGN.md, "File IO"). A
 *   missing time is now, a missing size is 0 (kiofusevfs.cpp, fillStatForFile).
 *
 * MTP itself gives times without a zone: libmtp reads them as local, so that they move by an hour with
 * the season. So times say nothing about a file there, and its name and size identify it.
 */
const GVFS = /^(.*\/\.?gvfs\/mtp:host=([^/]+))(?:\/|$)/;
const KIO_FUSE = /^(.*\/kio-fuse-[^/]+\/mtp\/([^/]+))(?:\/|$)/;

/** Returns the device that a path is on; undefined if the path is not on an MTP mount. @param path absolute */
export function mtpMountOf(path: string) {
  const [, root, name = ''] = GVFS.exec(path) ?? KIO_FUSE.exec(path) ?? [];
  // The title is for people, within a sentence: `the Edge 840`.
  return root === undefined ? undefined : { root, title: titleOf(name) };
}

/** Returns whether a path is on an MTP mount. @param path absolute */
export function isOnMtp(path: string): boolean {
  return path.includes('mtp') && mtpMountOf(path) !== undefined;
}

/**
 * Returns a path for people. Over MTP it is the device and the path in its storage, without Garmin's own
 * folder: `Garmin Edge 840: Activity/ride.fit`.
 */
export function shownPath(path: string): string {
  const mount = isOnMtp(path) ? mtpMountOf(path) : undefined;
  if (mount === undefined) return path;
  const title = mount.title === NO_TITLE ? 'MTP device' : mount.title.replace('the ', '');
  return pathOn(title, path.slice(mount.root.length).replace(/^\/[^/]*\/?/, ''));
}

/** Returns the path of a file on a device for people. @param inside relative to its storage */
export function pathOn(title: string, inside: string): string {
  const path = inside.replace(/^garmin(?:\/|$)/i, '');
  return path === '' ? title : `${title}: ${path}`;
}

/** Returns a path that is the same in the next session: the name of the mount point may change. */
export function lastingPath(path: string): string {
  return path.replace(/\/kio-fuse-[^/]+\/mtp\//, '/kio-fuse/mtp/');
}

const NO_TITLE = 'the device';

/**
 * Returns a title from the name of a mount. GVfs uses udev's ID_SERIAL: maker, model and serial number,
 * or the numbers of maker and model if the device has no names.
 */
function titleOf(mountName: string): string {
  const words = mountName.split(/[_ ]+/).filter((word) => word !== '');
  if (words.length > 1 && /^[0-9a-f]{6,}$/i.test(words.at(-1) ?? '')) words.pop();
  const hasName = words.some((word) => /[a-z]{2}/i.test(word) && !/^[0-9a-f]{4}$/i.test(word));
  return hasName && !mountName.includes('%') ? `the ${words.join(' ')}` : NO_TITLE;
}
