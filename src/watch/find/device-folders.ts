import { messageOf } from '../../base/errors.ts';
import type { DeviceHealth } from '../../daemon/health.ts';
import type { Device } from '../../devices/types.ts';
import type { Lock } from '../../system/process-lock.ts';
import { isBelow } from '../../system/mounts.ts';
import type { DeviceAccess, WatchParts } from '../parts.ts';
import type { WatchNotice } from '../report.ts';
import type { Folders } from './folders.ts';

/** A claim for the folders of a device. */
interface DeviceClaim {
  readonly device: Device;
  readonly folders: readonly string[];
  readonly ended: Promise<void>;
  /** Once it ended: the lock, or why another process has the device. */
  result?: { readonly lock: Lock } | { readonly error: unknown };
}

type DeviceFoldersParts = Pick<
  WatchParts,
  'changed' | 'events' | 'folders' | 'names' | 'report' | 'signal'
>;

export class DeviceFolders {
  readonly #parts: DeviceFoldersParts;
  readonly #access: DeviceAccess;
  readonly #folders: Folders;
  readonly #plugged = new Map<string, { device: Device; folders: readonly string[]; lock: Lock }>();
  /** Claims that {@link DeviceFolders.claimed} has not taken over, by the key of the device. */
  readonly #claims = new Map<string, DeviceClaim>();
  /** Devices that another process sends, and which were reported. */
  readonly #refused = new Set<string>();
  readonly #ignored = new Set<string>();
  #closed = false;

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
      if (this.#isIgnored(device)) this.#ignore(device);
      else if (!this.#plugged.has(device.key)) this.#claim(device);
    }
  }

  /** Resolves when no claim is open. */
  async settled(): Promise<void> {
    await Promise.all([...this.#claims.values()].map(({ ended }) => ended));
  }

  /** Watches the folders of the devices that were claimed. @returns whether there are any */
  claimed(): boolean {
    let isPlugged = false;
    for (const claim of this.#claims.values()) {
      if (this.#closed || claim.result === undefined) continue;
      if (this.#plug(claim, claim.result)) isPlugged = true;
    }
    return isPlugged;
  }

  /** @returns whether the device is plugged in */
  #plug({ device, folders }: DeviceClaim, result: NonNullable<DeviceClaim['result']>): boolean {
    const { source, away } = this.#access;
    const { names } = this.#parts;
    const { key, title, root } = device;
    this.#claims.delete(key);
    if ('error' in result) {
      if (!this.#refused.has(key)) {
        this.#refused.add(key);
        this.#report({ event: 'problem', path: root, message: messageOf(result.error) });
      }
      return false;
    }
    const { lock } = result;
    if (!source.devices.some((found) => isSame(found, device))) {
      lock.release();
      // It may be elsewhere by now.
      this.update();
      return false;
    }
    this.#refused.delete(key);
    this.#plugged.set(key, { device, folders, lock });
    names.add(device);
    away.delete(key);
    this.#report({ event: 'device', device: key, title, state: 'plugged-in', root });
    for (const folder of folders) this.#folders.addRemovable(folder);
    for (const folder of [...folders, ...device.wellness]) names.owners.set(folder, device.owners);
    return true;
  }

  /** Unplugs the device that has this folder, which disappeared. @returns false if none has */
  folderGone(folder: string): boolean {
    const found = [...this.#plugged.values()].find(({ folders }) => folders.includes(folder));
    if (found === undefined) return false;
    this.#unplug(found.device);
    this.#access.source.lost(found.device);
    return true;
  }

  /** Releases the locks. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
    for (const { result } of this.#claims.values()) {
      if (result !== undefined && 'lock' in result) result.lock.release();
    }
    for (const { lock } of this.#plugged.values()) lock.release();
    this.#claims.clear();
    this.#plugged.clear();
  }

  #isIgnored({ title, serial }: Device): boolean {
    const names = [title, serial].map((name) => name?.toLowerCase());
    return this.#access.ignoredDevices.some((name) => names.includes(name.toLowerCase()));
  }

  #ignore({ key, title, root }: Device): void {
    if (this.#ignored.has(key)) return;
    this.#ignored.add(key);
    this.#report({ event: 'device-ignored', device: key, title, root });
  }

  #claim(device: Device): void {
    const { events, folders: fixed, signal } = this.#parts;
    const { key } = device;
    if (this.#claims.has(key)) return;
    const isFixed = (folder: string) =>
      fixed.some((path) => path === folder || isBelow(folder, path));
    const folders = device.recordings.filter((folder) => !isFixed(folder));
    const end = (result: NonNullable<DeviceClaim['result']>) => {
      claim.result = result;
      events.post({ type: 'device-claimed' });
    };
    const ended = this.#access.claim(folders, signal).then(
      (lock) => end({ lock }),
      (error: unknown) => end({ error }),
    );
    const claim: DeviceClaim = { device, folders, ended };
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
