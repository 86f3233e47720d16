import type { Env } from '../base/env.ts';

/** A device that is connected, or an app on this machine, with the folders that hold its files. */
export interface Device {
  /** Identity wherever it is mounted: `serial:MAKER:NUMBER`, else `volume:ID`, else `path:ROOT`. */
  readonly key: string;
  readonly kind: 'device' | 'app';
  /** For people: `Garmin Edge 840`. It may hold any text of the device. */
  readonly title: string;
  readonly maker: string;
  readonly model?: string;
  readonly serial?: string;
  /** Where it is mounted now, or the app's folder. Absolute. */
  readonly root: string;
  /** Absolute folders with recordings. At least one, unless only wellness was found. */
  readonly recordings: readonly string[];
  /** Absolute folders with wellness files (`Monitor`, `Metrics`, `HRVStatus`, `Sleep`, `Weight`). */
  readonly wellness: readonly string[];
  /** `mtp`: slow, one reader at a time, calls may hang. */
  readonly access: 'disk' | 'mtp';
}

/** Where to look for devices and apps. */
export interface Places {
  readonly platform: NodeJS.Platform;
  /** Variables that name folders of apps, such as `APPDATA`. */
  readonly env: Env;
  /** Absolute; '' if there is none. */
  readonly homeDir: string;
  /** Absolute paths at which devices are mounted. A `*` stands for any part of one name: `/media/USER/*`. */
  readonly mounts: readonly string[];
  /** Look for apps too, in their folders below `homeDir`. */
  readonly apps: boolean;
  /** The built `device-child`, which does everything that may hang. */
  readonly childPath: string;
  /** Time limit for one call to a mount (ms); absent: 5 s. */
  readonly limitMs?: number;
}

/** The devices and apps of this machine. */
export interface FoundDevices {
  readonly devices: readonly Device[];
  /** Folders that gave no answer in time, or that could not be read because the device was pulled out. */
  readonly silent: readonly string[];
}

/**
 * Finds what is connected or installed now. A mount that gives no answer in time is `silent`, and delays
 * no other. Rejects with the signal's reason if it is aborted.
 */
export type FindDevices = (places: Places, signal: AbortSignal) => Promise<FoundDevices>;
