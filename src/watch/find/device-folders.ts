import { messageOf } from '../../base/errors.ts';
import type { DeviceHealth } from '../../daemon/health.ts';
import type { Device } from '../../devices/types.ts';
import type { Lock } from '../../system/process-lock.ts';
import { isBelow } from '../below.ts';
import type { DeviceNames } from './device-names.ts';
import type { WatchNotice } from '../report.ts';

/** The devices that come and go. They outlive a login: the next watcher takes them over. */
export interface DeviceSource {
  /** The devices that are plugged in now. */
  readonly devices: readonly Device[];
  /** Calls back after every change of `devices`. @returns a function that ends that */
  listen(onDevices: (devices: readonly Device[]) => void): () => void;
  /**
   * Takes a device whose folder disappeared for unplugged, without a call, and looks again soon. If the
   * device is back before that look, it is reported as plugged in.
   */
  lost(device: Device): void;
}

/** What else needs to know of devices, such as the reader of their wellness files. */
export interface DeviceListener {
  plugged(device: Device): void;
  unplugged(device: Device): void;
}

/** The devices of a watcher, and the calls that it makes about them. */
export interface DeviceTarget {
  readonly source: DeviceSource;
  /** Devices that left with recordings, by key. Shared by all logins of a process. */
  readonly away: Map<string, DeviceHealth>;
  /** Titles and serial numbers of devices that are left alone. */
  readonly ignored: readonly string[];
  /** Locks the folders of a device. @throws SyncError `BUSY` if another watcher sends them */
  readonly claim: (folders: readonly string[]) => Promise<Lock>;
  readonly listener?: DeviceListener | undefined;
}

export interface DeviceFoldersOptions {
  /** Learns which devices are plugged in. */
  readonly names: DeviceNames;
  /** Folders that are watched with or without a device. */
  readonly fixed: readonly string[];
  readonly addFolder: (path: string) => void;
  readonly removeFolder: (path: string) => void;
  /** Forgets the files below a folder that is gone. Returns how many recordings are not sent. */
  readonly forgetBelow: (folder: string) => number;
  readonly report: (notice: WatchNotice) => void;
  /** Called when the claim for a device ended: call {@link DeviceFolders.claimed} soon. */
  readonly onClaimed: (claim: DeviceClaim) => void;
}

/** The end of the claim for a device: its lock, or why another process has it. */
export interface DeviceClaim {
  readonly device: Device;
  readonly folders: readonly string[];
  readonly result: { readonly lock: Lock } | { readonly error: unknown };
}

/** The devices that are plugged in, with their folders. */
export class DeviceFolders {
  readonly #target: DeviceTarget;
  readonly #options: DeviceFoldersOptions;
  readonly #plugged = new Map<string, { device: Device; folders: readonly string[]; lock: Lock }>();
  /** Claims that {@link DeviceFolders.claimed} has not taken over, by the key of the device. */
  readonly #claims = new Map<string, Promise<DeviceClaim>>();
  /** Devices that another process sends, and which were reported. */
  readonly #refused = new Set<string>();
  /** Ignored devices that were reported. */
  readonly #ignored = new Set<string>();
  #closed = false;

  constructor(target: DeviceTarget, options: DeviceFoldersOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** Devices that are plugged in, and those that left with recordings. */
  get picture(): readonly DeviceHealth[] {
    const here = [...this.#plugged.values()].map(
      ({ device: { key, title, root } }): DeviceHealth => ({
        ...{ key, title, root },
        state: 'plugged-in',
      }),
    );
    return [...here, ...this.#target.away.values()];
  }

  /** Takes over which devices are plugged in now. One at another mount point left and came back. */
  update(devices: readonly Device[]): void {
    for (const { device } of this.#plugged.values()) {
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
    await Promise.all(this.#claims.values());
  }

  /** Watches the folders of a device that was claimed. */
  claimed({ device, folders, result }: DeviceClaim): void {
    if (this.#closed) return;
    const { source, away, listener } = this.#target;
    const { report, addFolder } = this.#options;
    const { key, title, root } = device;
    this.#claims.delete(key);
    if ('error' in result) {
      if (!this.#refused.has(key)) {
        this.#refused.add(key);
        report({ event: 'problem', path: root, message: messageOf(result.error) });
      }
      return;
    }
    const { lock } = result;
    if (!source.devices.some((found) => isSame(found, device))) {
      lock.release();
      // It may be elsewhere by now.
      this.update(source.devices);
      return;
    }
    this.#refused.delete(key);
    this.#plugged.set(key, { device, folders, lock });
    this.#options.names.add(device);
    away.delete(key);
    report({ event: 'device', device: key, title, state: 'plugged-in', root });
    for (const folder of folders) addFolder(folder);
    listener?.plugged(device);
  }

  /** Unplugs the device that has this folder, which disappeared. @returns false if none has */
  folderGone(folder: string): boolean {
    const found = [...this.#plugged.values()].find(({ folders }) => folders.includes(folder));
    if (found === undefined) return false;
    this.#unplug(found.device);
    this.#target.source.lost(found.device);
    return true;
  }

  /** Releases the locks. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const claim of this.#claims.values()) {
      const { result } = await claim;
      if ('lock' in result) result.lock.release();
    }
    for (const { lock } of this.#plugged.values()) lock.release();
    this.#claims.clear();
    this.#plugged.clear();
  }

  #isIgnored({ title, serial }: Device): boolean {
    const names = [title, serial].map((name) => name?.toLowerCase());
    return this.#target.ignored.some((name) => names.includes(name.toLowerCase()));
  }

  /** Reports once that a device is left alone. */
  #ignore({ key, title, root }: Device): void {
    if (this.#ignored.has(key)) return;
    this.#ignored.add(key);
    this.#options.report({ event: 'device-ignored', device: key, title, root });
  }

  #claim(device: Device): void {
    const { fixed, onClaimed } = this.#options;
    const { key } = device;
    if (this.#claims.has(key)) return;
    const isFixed = (folder: string) =>
      fixed.some((path) => path === folder || isBelow(folder, path));
    const folders = device.recordings.filter((folder) => !isFixed(folder));
    const claim = this.#target.claim(folders).then(
      (lock): DeviceClaim => ({ device, folders, result: { lock } }),
      (error: unknown): DeviceClaim => ({ device, folders, result: { error } }),
    );
    this.#claims.set(key, claim);
    void claim.then(onClaimed);
  }

  #unplug(device: Device): void {
    const { away, listener } = this.#target;
    const { removeFolder, forgetBelow, report } = this.#options;
    const { key, title } = device;
    const plugged = this.#plugged.get(key);
    if (plugged === undefined) return;
    let left = 0;
    for (const folder of plugged.folders) {
      removeFolder(folder);
      left += forgetBelow(folder);
    }
    this.#plugged.delete(key);
    this.#options.names.remove(device);
    plugged.lock.release();
    if (left > 0) away.set(key, { key, title, state: 'away', left });
    listener?.unplugged(device);
    report({
      ...{ event: 'device', device: key, title, state: 'away' },
      ...(left > 0 ? { left } : {}),
    });
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
