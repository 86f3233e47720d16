import { readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Mount } from '../system/mounts.ts';
import { mtpMountOf } from '../system/mtp-path.ts';

/**
 * Returns an ID that a volume keeps wherever it is mounted: the UUID of its file system (Linux), its
 * serial number (Windows), or the USB serial number of an MTP device in gvfs. Undefined if there is none.
 *
 * @param deviceNumber `st_dev` of the folder on Windows, which libuv takes from the volume
 */
export function volumeId(
  root: string,
  mounts: readonly Mount[],
  deviceNumber: number | undefined,
): string | undefined {
  const host = /\/mtp:host=(.+)$/.exec(mtpMountOf(root)?.root ?? '')?.[1];
  // `[usb:001,010]`: the port, which changes.
  if (host !== undefined) return /^(\[|%5B)usb/i.test(host) ? undefined : `mtp:${host}`;
  if (deviceNumber !== undefined) {
    return /^[A-Z]:\\$/i.test(root) ? deviceNumber.toString(16) : undefined;
  }
  const mount = mounts.findLast(({ point }) => point === root);
  return mount === undefined ? undefined : uuidOf(basename(mount.source));
}

const UUIDS = '/dev/disk/by-uuid';

/** @param device name in /dev, such as `sdb1` */
function uuidOf(device: string): string | undefined {
  return attempt(() => readdirSync(UUIDS))?.find(
    (uuid) => attempt(() => basename(readlinkSync(join(UUIDS, uuid)))) === device,
  );
}
