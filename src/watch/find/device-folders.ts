import { messageOf } from '../../base/errors.ts';
import type { DeviceHealth } from '../../daemon/health.ts';
import type { Device } from '../../devices/types.ts';
import type { Lock } from '../../system/process-lock.ts';
import { isBelow } from '../../system/mounts.ts';
import type { DeviceAccess, WatchParts } from '../parts.ts';
import type { WatchNotice } from '../report.ts';
import type { Folders } from './folders.ts';

type DeviceFoldersParts = Pick<
  WatchParts,
  'changed' | 'events' | 'folders' | 'names' | 'report' | 'signal' | 'tasks'
>;

/** The devices that are plugged in. The folders of each are watched once no other process has them. */
export class DeviceFolders {
  readonly #parts: DeviceFoldersParts;
  readonly #access: DeviceAccess;
  readonly #folders: Folders;
  readonly #plugged = new Map<string, { device: Device; folders: readonly string[]; lock: Lock }>();
  /** Claims in flight, by the key of the device. */
  readonly #claims = new Map<string, Promise<void>>();
  /** Devices that another process sends, and which were reported. */
  readonly #refused = new Set<string>();
  readonly #ignored = new Set<string>();

  constructor(parts: DeviceFoldersParts, access: DeviceAccess, folders: Folders) {
    this.#parts = parts;
    this.#access = access;
    this.#folders = folders;
  }

  get plugged(): readonly Device[] {
    return [...this.#plugged.values()].map(({ device }) => device);
  }

  /** Devices that are plugged in, and those that left with recordings. */
  get snapshot(): readonly DeviceHealth[] {
    const here = this.plugged.map(({ key, title, root }) => {
      return { key, title, root, state: 'plugged-in' } as const;
    });
    return [...here, ...this.#access.away.values()];
  }

  /** Takes over which devices are plugged in now. One at another mount point left and came back. */
  update(): void {
    const { devices } = this.#access.source;
    for (const device of this.plugged) {
      if (!devices.some((found) => isSame(found, device))) this.#unplug(device);
    }
    for (const reported of [this.#refused, this.#ignored]) {
      for (const key of reported) {
        if (!devices.some((found) => found.key === key)) reported.delete(key);
      }
    }
    for (const device of devices) {
      if (isIgnored(device, this.#access.ignoredDevices)) this.#ignore(device);
      else if (!this.#plugged.has(device.key)) this.#claim(device);
    }
  }

  /** Resolves when no claim is in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#claims.values());
  }

  /** Watches the folders of a device that was claimed, unless it left or the watcher ended meanwhile. */
  #plug(device: Device, folders: readonly string[], lock: Lock): void {
    const { source, away } = this.#access;
    const { events, names, signal } = this.#parts;
    const { key, title, root } = device;
    const isThere = source.devices.some((found) => isSame(found, device));
    if (!isThere || signal.aborted) {
      lock.release();
      // It may be elsewhere by now.
      if (!signal.aborted) this.update();
      return;
    }
    this.#refused.delete(key);
    this.#plugged.set(key, { device, folders, lock });
    names.add(device);
    away.delete(key);
    this.#report({ event: 'device', device: key, title, state: 'plugged-in', root });
    for (const folder of folders) this.#folders.addRemovable(folder);
    for (const folder of [...folders, ...device.wellness]) names.owners.set(folder, device.owners);
    events.post({ type: 'device-plugged' });
  }

  /** Reports a device that another process has, once. */
  #refuse({ key, root }: Device, error: unknown): void {
    if (this.#refused.has(key) || this.#parts.signal.aborted) return;
    this.#refused.add(key);
    this.#report({ event: 'problem', path: root, message: messageOf(error) });
  }

  /** Unplugs the device that has this folder, which disappeared. @returns false if none has */
  folderGone(folder: string): boolean {
    const found = [...this.#plugged.values()].find(({ folders }) => folders.includes(folder));
    if (found === undefined) return false;
    this.#unplug(found.device);
    this.#access.source.lost(found.device);
    return true;
  }

  /** Releases the locks, after the signal was aborted. */
  async close(): Promise<void> {
    await this.settled();
    for (const { lock } of this.#plugged.values()) lock.release();
    this.#plugged.clear();
  }

  #ignore({ key, title, root }: Device): void {
    if (this.#ignored.has(key)) return;
    this.#ignored.add(key);
    this.#report({ event: 'device-ignored', device: key, title, root });
  }

  #claim(device: Device): void {
    const { folders: fixed, signal, tasks } = this.#parts;
    const { key } = device;
    if (this.#claims.has(key)) return;
    const isFixed = (folder: string) =>
      fixed.some((path) => path === folder || isBelow(folder, path));
    const folders = device.recordings.filter((folder) => !isFixed(folder));
    const claim = this.#access
      .claim(folders, signal)
      .finally(() => this.#claims.delete(key))
      .then(
        (lock) => this.#plug(device, folders, lock),
        (error: unknown) => this.#refuse(device, error),
      )
      .catch((error: unknown) => tasks.failed(error));
    this.#claims.set(key, claim);
  }

  #unplug(device: Device): void {
    const { key, title } = device;
    const plugged = this.#plugged.get(key);
    if (plugged === undefined) return;
    let left = 0;
    for (const folder of plugged.folders) {
      left += this.#folders.remove(folder);
    }
    this.#plugged.delete(key);
    this.#parts.names.remove(device);
    plugged.lock.release();
    const unsent = left > 0 ? { left } : {};
    if (left > 0) this.#access.away.set(key, { key, title, state: 'away', left });
    this.#report({ event: 'device', device: key, title, state: 'away', ...unsent });
  }

  #report(notice: WatchNotice): void {
    this.#parts.report(notice);
    this.#parts.changed();
  }
}

/** Returns whether a device is where it was, with the same folders. */
function isSame(one: Device, other: Device): boolean {
  return (
    one.key === other.key &&
    one.root === other.root &&
    one.recordings.join('\0') === other.recordings.join('\0')
  );
}

/** Returns whether a device is one of these titles or serial numbers, in any letter case. */
export function isIgnored({ title, serial }: Device, ignored: readonly string[]): boolean {
  const names = [title, serial].map((name) => name?.toLowerCase());
  return ignored.some((name) => names.includes(name.toLowerCase()));
}
