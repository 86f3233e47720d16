import { readFileSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { attempt } from '../base/errors.ts';
import { mtpMountOf } from './mtp-path.ts';

/** A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
export interface Mount {
  readonly point: string;
  /** `vfat`, `fuse.gvfsd-fuse`. */
  readonly type: string;
  /** `/dev/sdb1`. */
  readonly source: string;
  /** Of the file system: `rw,user_id=1000`. */
  readonly options: string;
}

/** Returns the mounts of this system; none if it has no such list. */
export function listMounts(): readonly Mount[] {
  return parseMounts(attempt(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '');
}

export function parseMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ');
    const point = before.split(' ')[4];
    const [type, source, options = ''] = after?.split(' ') ?? [];
    if (point === undefined || type === undefined || source === undefined) return [];
    return [{ point: unescape(point), type, source: unescape(source), options }];
  });
}

/** The kernel writes white space and backslashes as octal numbers. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(parseInt(octal, 8)),
  );
}

/** Why a call to a file system may hang: a device over MTP, a network, another program, or a disk that may be unplugged. */
export type MountKind = 'mtp' | 'network' | 'fuse' | 'disk';

const TYPES: readonly (readonly [MountKind, RegExp])[] = [
  // At places that the user chooses.
  ['mtp', /^fuse\.(jmtpfs|simple-mtpfs|go-mtpfs|mtpfs|aft-mtp-mount|android-file-transfer)$/],
  ['network', /^(nfs4?|cifs|smb3|smbfs|afs|ceph|coda|ncpfs|autofs)$/],
  ['fuse', /^(fuse(blk|\..*)?|virtiofs)$/],
  ['disk', /^(vfat|msdos|exfat)$/],
];
/** Other systems have no list of mounts: a network folder of Windows, a volume of macOS. */
const OUTSIDE: readonly (readonly [MountKind, RegExp])[] = [
  ['network', /^[\\/]{2}[^\\/?.][^\\/]*([\\/][^\\/]+)?/],
  ['disk', /^\/Volumes\/[^/]+/],
];
/** Links of one path above which it leads back to itself, as for the kernel. */
const MOST_LINKS = 40;

/** Where a path leads, as far as that shows without a call to a file system that may hang. */
export interface MountPlace {
  /** Without links, up to the first missing part or such a file system. */
  readonly path: string;
  readonly point: string;
  /** On Linux, except at the usual places of MTP. */
  readonly mount?: Mount;
  /** Undefined if calls return: the program itself may make them, and otherwise a child process does. */
  readonly kind: MountKind | undefined;
}

/** @param path absolute */
export function placeOf(path: string, mounts: readonly Mount[] = listMounts()): MountPlace {
  const mtp = mtpMountOf(path);
  if (mtp !== undefined) return { path, point: mtp.root, kind: 'mtp' };
  for (const [kind, form] of OUTSIDE) {
    const point = form.exec(path)?.[0];
    if (point !== undefined) return { path, point, kind };
  }
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let place = placeAt(root, mounts);
  for (let links = 0; names.length > 0;) {
    const next = placeAt(join(place.path, names.shift() ?? ''), mounts);
    const isEnd = next.kind !== undefined || links > MOST_LINKS;
    // Undefined if it is no link, or is not there.
    const target = isEnd ? undefined : attempt(() => readlinkSync(next.path));
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
    const isAbove = path === point || isBelow(path, point);
    if (isAbove && point.length >= (found?.point.length ?? 0)) found = mount;
  }
  if (found === undefined) return { path, point: parse(path).root, kind: undefined };
  const { point, type } = found;
  return { path, point, mount: found, kind: TYPES.find(([, types]) => types.test(type))?.[0] };
}

/** Returns whether a path is in a folder, at any depth. Both absolute; drive roots end with `sep`. */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Returns whether a call about this path may hang. @param path absolute */
export function mayHang(path: string): boolean {
  return placeOf(path).kind !== undefined;
}
