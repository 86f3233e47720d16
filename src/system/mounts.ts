import { readFileSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { isOnMtp } from './mtp-path.ts';

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
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
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

/** File systems on a network, in another program, or on a disk that may be unplugged: a call to them may hang. */
const MAY_HANG =
  /^(nfs4?|cifs|smb3|smbfs|afs|ceph|coda|ncpfs|fuse(blk|\..*)?|virtiofs|autofs|vfat|msdos|exfat)$/;
/** Links of one path above which it leads back to itself, as for the kernel. */
const MOST_LINKS = 40;

/** Where a path leads, as far as that shows without a call to a file system that may hang. */
export interface MountPlace {
  /** Without links, up to the first missing part or such a file system. */
  readonly path: string;
  /** Where that file system is mounted. */
  readonly point: string;
  /** The type of its file system on Linux: `vfat`, `fuse.sshfs`. */
  readonly type: string | undefined;
  /** The device or the server may leave without an answer: only a child process reads it. */
  readonly mayHang: boolean;
}

/** @param path absolute */
export function placeOf(path: string, mounts: readonly Mount[] = listMounts()): MountPlace {
  // Other systems have no list of mounts: a network folder of Windows, a volume of macOS.
  const isOutside = /^[\\/]{2}[^\\/?.]|^\/Volumes\/./.test(path);
  if (isOutside || isOnMtp(path)) return { path, point: path, type: undefined, mayHang: true };
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let place = placeAt(root, mounts);
  for (let links = 0; names.length > 0;) {
    const next = placeAt(join(place.path, names.shift() ?? ''), mounts);
    const target = next.mayHang || links > MOST_LINKS ? undefined : linkAt(next.path);
    if (target === undefined) place = next;
    else {
      links++;
      if (isAbsolute(target)) place = placeAt(root, mounts);
      names.unshift(...target.split(sep));
    }
  }
  return place;
}

/** @param path without links */
function placeAt(path: string, mounts: readonly Mount[]): MountPlace {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const { point } = mount;
    const isAbove = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (isAbove && point.length >= (found?.point.length ?? 0)) found = mount;
  }
  const { point = path, type } = found ?? {};
  return { path, point, type, mayHang: type !== undefined && MAY_HANG.test(type) };
}

/** Returns whether a call about this path may hang. @param path absolute */
export function mayHang(path: string): boolean {
  return placeOf(path).mayHang;
}

/** @returns undefined if it is no link, or is not there */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
