import { type MountKind, type MountPlace, placeOf } from '../../system/mounts.ts';

/** How the file system of a folder affects watching it. */
export interface FilesystemType {
  /** Why file events are unreliable, as a sentence; undefined if they are reliable. */
  readonly noEvents: string | undefined;
  /**
   * The device may be unplugged, or the server may not answer: a child process reads the folder.
   */
  readonly removable: boolean;
  /** It may hold the archive of years, unlike a device. */
  readonly isShared?: boolean;
}

/**
 * Judges a folder by the type of its file system, without a call to it, which may hang. Changes that happen on the
 * other side of a network, inside an MTP device or on the Windows side of WSL (9p) give no events here.
 */
export function filesystemType(folder: string): FilesystemType {
  return judge(placeOf(folder));
}

export function judge({ kind, mount }: MountPlace): FilesystemType {
  const isShared = kind === 'network' || kind === 'fuse';
  return {
    noEvents: whyNoEvents(kind, mount?.type),
    removable: kind !== undefined,
    ...(isShared ? { isShared } : {}),
  };
}

/** @param type as in `/proc/self/mountinfo` */
function whyNoEvents(kind: MountKind | undefined, type: string | undefined): string | undefined {
  switch (kind) {
    case 'mtp':
      return 'It is on a device over MTP, which announces no changes.';
    case 'fuse':
      return 'It is a FUSE mount (such as sshfs), where changes are not announced.';
    case 'network':
      return `It is on a network${type === undefined ? '' : ` (${type})`}, where changes are not announced.`;
    default:
      return type === '9p'
        ? 'It is a Windows folder seen from Linux (9p), where changes are not announced.'
        : undefined;
  }
}

export function hasRecursiveEvents(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}
