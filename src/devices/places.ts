import { join, parse } from 'node:path';
import type { Env } from '../base/env.ts';
import { matches } from '../inputs/find-files.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import type { MountPattern } from './types.ts';

/** Drive letters on which Windows shows devices: not A and B (diskettes), nor C (the system). */
const DRIVES = 'DEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns where devices are mounted on a system. @param userId of this process; undefined on Windows */
export function usualMounts(
  platform: NodeJS.Platform,
  env: Env,
  userId: number | undefined,
): readonly MountPattern[] {
  switch (platform) {
    case 'win32':
      return Array.from(DRIVES, (letter) => ({ root: `${letter}:\\`, below: [] }));
    case 'darwin':
      return [{ root: '/Volumes', below: ['*'] }];
    default: {
      // A service or `sudo` may lack the variable.
      const session = env['XDG_RUNTIME_DIR'] || `/run/user/${String(userId)}`;
      return [
        { root: '/media', below: ['*'] },
        { root: '/media', below: ['*', '*'] },
        { root: '/run/media', below: ['*', '*'] },
        { root: '/mnt', below: [] },
        { root: '/mnt', below: ['*'] },
        // gvfs: host, then storage (`Internal Storage`).
        { root: session, below: ['gvfs', 'mtp:host=*', '*'] },
        // kio-fuse of KDE: mount, protocol, device, storage.
        { root: session, below: ['kio-fuse-*', 'mtp', '*', '*'] },
      ];
    }
  }
}

/** Returns the folders with a file for each USB device. A device over MTP shows there first: its mount has no event. */
export function plugsOf(platform: NodeJS.Platform): readonly string[] {
  return platform === 'linux' ? ['/dev/bus/usb'] : [];
}

/** Levels below a folder that the user names, in which a device may be: a mount of gvfs has two. */
const NAMED_LEVELS = 3;

/** Returns the places in a folder that the user names: itself, and the folders below it. */
export function mountsIn(folder: string): readonly MountPattern[] {
  return Array.from({ length: NAMED_LEVELS + 1 }, (_, level) => ({
    root: folder,
    below: Array.from({ length: level }, () => '*'),
  }));
}

/** Formats a pattern for people: `/media/*`. */
export function patternText({ root, below }: MountPattern): string {
  return join(root, ...below);
}

/**
 * Returns the name of the volume that is mounted at a folder, in upper case. Over MTP, the name of the
 * device, the folder above its storage, is part of it. Above a disk is the user's name, or none.
 */
export function volumeName(root: string): string {
  const { dir, base } = parse(root);
  return (isOnMtp(root) ? `${parse(dir).base}/${base}` : base).toUpperCase();
}

/**
 * Returns the folders that fit a pattern. Without a `*` in its last name, they may be missing.
 *
 * @param names returns the names in a folder
 */
export async function expandPattern(
  { root, below }: MountPattern,
  names: (folder: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  let folders = [root];
  for (const pattern of below) {
    const next = await Promise.all(
      folders.map(async (folder) => {
        if (!pattern.includes('*')) return [join(folder, pattern)];
        const fitting = (await names(folder)).filter((name) => matches(name, pattern));
        return fitting.map((name) => join(folder, name));
      }),
    );
    folders = next.flat();
  }
  return folders;
}
