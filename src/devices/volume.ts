import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { isOnMtp, mtpMountOf } from '../system/mtp-path.ts';

/** A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
export interface Mount {
  readonly point: string;
  /** `vfat`, `fuse.gvfsd-fuse`. */
  readonly type: string;
  /** `/dev/sdb1`. */
  readonly source: string;
}

/** Returns the mounts of this system; none if it has no such list. */
export function listMounts(): readonly Mount[] {
  return parseMounts(readText('/proc/self/mountinfo'));
}

export function parseMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ');
    const point = before.split(' ')[4];
    const [type, source] = after?.split(' ') ?? [];
    if (point === undefined || type === undefined || source === undefined) return [];
    return [{ point: unescape(point), type, source: unescape(source) }];
  });
}

/** The kernel writes white space and backslashes as octal numbers. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(parseInt(octal, 8)),
  );
}

/** Types of mounts that show MTP devices, at places that the user chooses. */
const MTP_TYPE = /^fuse\.(jmtpfs|simple-mtpfs|go-mtpfs|mtpfs|aft-mtp-mount|android-file-transfer)$/;

/** Returns whether a folder shows an MTP device. */
export function isMtp(root: string, mounts: readonly Mount[]): boolean {
  if (isOnMtp(root)) return true;
  return mounts.some(
    ({ point, type }) => MTP_TYPE.test(type) && (root === point || root.startsWith(`${point}/`)),
  );
}

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
  return optional(() => readdirSync(UUIDS))?.find(
    (uuid) => optional(() => basename(readlinkSync(join(UUIDS, uuid)))) === device,
  );
}

function readText(path: string): string {
  return optional(() => readFileSync(path, 'utf8')) ?? '';
}

function optional<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
