import { statfsSync } from 'node:fs';
import { systemCode } from '../../base/errors.ts';
import { isOnMtp } from '../../system/mtp-path.ts';

/** How the file system of a folder affects watching it. */
export interface FilesystemType {
  /** Why file events are unreliable, as a sentence; undefined if they are reliable. */
  readonly noEvents: string | undefined;
  /** The device may be unplugged: recordings are copied before they are sent. */
  readonly removable: boolean;
}

/** `f_type` of statfs(2), from linux/magic.h and the kernel's sources. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x5346414f: 'AFS',
  0x6b414653: 'AFS',
  0xc36400: 'Ceph',
  0x73757245: 'Coda',
  0x564c: 'NCP',
};
const FUSE = 0x65735546;
const V9FS = 0x01021997;
/** FAT and exFAT: cards, sticks, and watches or bike computers that show as a disk. */
const FAT = [0x4d44, 0x2011bab0];

const MTP: FilesystemType = {
  noEvents: 'It is on a device over MTP, which announces no changes.',
  removable: true,
};

/**
 * Judges a folder by the type of its file system. Changes that happen on the other side of a
 * network, inside an MTP device or on the Windows side of WSL (9p) give no
 * events here.
 */
export function filesystemType(folder: string, platform: NodeJS.Platform): FilesystemType {
  if (platform === 'win32') {
    const network = /^[\\/]{2}[^\\/?.]/.test(folder);
    return {
      noEvents: network ? 'It is a network folder, where changes are not announced.' : undefined,
      removable: false,
    };
  }
  if (platform === 'darwin') {
    return { noEvents: undefined, removable: folder.startsWith('/Volumes/') };
  }
  if (isOnMtp(folder)) return MTP;
  try {
    return judge(statfsSync(folder).type >>> 0);
  } catch (error) {
    // ENOSYS: a sandbox or an old kernel.
    if (systemCode(error) === undefined) throw error;
    return { noEvents: undefined, removable: false };
  }
}

/** @param type `f_type`, as an unsigned number of 32 bits */
export function judge(type: number): FilesystemType {
  const network = NETWORK[type];
  if (network !== undefined) {
    return {
      noEvents: `It is on a network (${network}), where changes are not announced.`,
      removable: true,
    };
  }
  if (type === FUSE) {
    return {
      noEvents: 'It is a FUSE mount (such as sshfs), where changes are not announced.',
      removable: true,
    };
  }
  if (type === V9FS) {
    return {
      noEvents: 'It is a Windows folder seen from Linux (9p), where changes are not announced.',
      removable: false,
    };
  }
  return { noEvents: undefined, removable: FAT.includes(type) };
}

export function hasRecursiveEvents(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}
