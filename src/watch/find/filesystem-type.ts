import { type MountPlace, placeOf } from '../../system/mounts.ts';
import { isOnMtp } from '../../system/mtp-path.ts';

/** How the file system of a folder affects watching it. */
export interface FilesystemType {
  /** Why file events are unreliable, as a sentence; undefined if they are reliable. */
  readonly noEvents: string | undefined;
  /**
   * The device may be unplugged, or the server may not answer: a child process reads the folder, and recordings are
   * copied before they are sent.
   */
  readonly removable: boolean;
}

const LOCAL_DISK = /^(vfat|msdos|exfat)$/;

/**
 * Judges a folder by the type of its file system, without a call to it, which may hang. Changes that happen on the
 * other side of a network, inside an MTP device or on the Windows side of WSL (9p) give no events here.
 */
export function filesystemType(folder: string, platform: NodeJS.Platform): FilesystemType {
  const place = placeOf(folder);
  if (isOnMtp(folder)) {
    return { noEvents: 'It is on a device over MTP, which announces no changes.', removable: true };
  }
  if (platform === 'win32' && place.mayHang) {
    const noEvents = 'It is a network folder, where changes are not announced.';
    return { noEvents, removable: true };
  }
  return judge(place);
}

export function judge({ type = '', mayHang }: MountPlace): FilesystemType {
  return { noEvents: whyNoEvents(type, mayHang), removable: mayHang };
}

/** @param type as in `/proc/self/mountinfo` */
function whyNoEvents(type: string, mayHang: boolean): string | undefined {
  if (type === '9p') {
    return 'It is a Windows folder seen from Linux (9p), where changes are not announced.';
  }
  if (!mayHang || type === '' || LOCAL_DISK.test(type)) return undefined;
  if (/^(fuse|virtiofs)/.test(type)) {
    return 'It is a FUSE mount (such as sshfs), where changes are not announced.';
  }
  return `It is on a network (${type}), where changes are not announced.`;
}

export function hasRecursiveEvents(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}
