import { sep } from 'node:path';
import type { Device } from '../../devices/types.ts';
import type { KnownFiles } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { isBelow } from '../../system/mounts.ts';

/** Stands for all devices in the ledger, for `--new-only`: files recorded since then are new. */
export const ALL_DEVICES = 'all devices';

/**
 * Names the files on devices for the ledger, independently of the mount point: `serial:garmin:42/Garmin/
 * Activity/ride.fit`. So a device that is plugged in elsewhere is not read again. A file that is on no
 * device has its path as its name.
 */
export class DeviceNames {
  /** The names of the devices' roots; undefined if the path is the name. */
  readonly #roots = new Map<string, string | undefined>();
  /** User IDs whose files in a folder of a device count; all do in other folders. */
  readonly owners = new Map<string, Device['owners']>();

  /** The ledger itself knows files on MTP mounts by the device; a `path:` key says no more than the path. */
  add({ key, root, access }: Device): void {
    this.#roots.set(root, access === 'mtp' || key.startsWith('path:') ? undefined : key);
  }

  remove({ root }: Device): void {
    this.#roots.delete(root);
  }

  of(path: string): string {
    const root = this.#rootOf(path);
    const key = root === undefined ? undefined : this.#roots.get(root);
    if (root === undefined || key === undefined) return path;
    return key + path.slice(root.length).replaceAll(sep, '/');
  }

  isOnDevice(path: string): boolean {
    return this.#rootOf(path) !== undefined;
  }

  #rootOf(path: string): string | undefined {
    return [...this.#roots.keys()].find((root) => path === root || isBelow(path, root));
  }
}

/** Returns the known files, which it looks up by their names. */
export function knownByName(known: KnownFiles, names: DeviceNames): KnownFiles {
  return {
    find: (path, stamp) => known.find(names.of(path), stamp),
    uploaded: (path, stamp) => known.uploaded(names.of(path), stamp),
    remember: (path, stamp, file) => known.remember(names.of(path), stamp, file),
    flush: () => known.flush(),
    reading: (task) => known.reading(task),
  };
}

/**
 * Returns the marks, which it looks up by the names of files and folders. Reported files keep their paths:
 * `sync status` shows them.
 */
export function marksByName(marks: WatchMarks, names: DeviceNames): WatchMarks {
  return {
    ...marks,
    isSeen: (path, stamp) => marks.isSeen(names.of(path), stamp),
    isSeenElsewhere: (path, stamp, endedAt) =>
      marks.isSeenElsewhere(names.of(path), stamp, endedAt),
    markSeen: (files, mark) =>
      marks.markSeen(
        files.map(({ path, stamp }) => ({ path: names.of(path), stamp })),
        mark,
      ),
    newOnly: (folder) =>
      marks.newOnly(names.of(folder), names.isOnDevice(folder) ? ALL_DEVICES : undefined),
  };
}
