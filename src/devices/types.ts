import type { Env } from '../base/env.ts';
import type { Activity } from '../fit/activity.ts';
import type { FileStamp } from '../ledger/known-files.ts';

/** A device that is connected, or an app on this machine, with the folders that hold its files. */
export interface Device {
  /** Identity wherever it is mounted: `serial:MAKER:NUMBER`, else `volume:ID`, else `path:ROOT`. */
  readonly key: string;
  readonly kind: 'device' | 'app';
  /** For people: `Garmin Edge 840`. Text of the device may be in it. */
  readonly title: string;
  /** `garmin`, as in {@link key}; `unknown` if no file names it. */
  readonly maker: string;
  readonly model?: string;
  readonly serial?: string;
  /** Where it is mounted now, or the app's folder. Absolute. */
  readonly root: string;
  /** Absolute folders with recordings. Empty only if {@link wellness} is not. */
  readonly recordings: readonly string[];
  /** Absolute folders with wellness files (`Monitor`, `Metrics`, `HRVStatus`, `Sleep`, `Weight`). */
  readonly wellness: readonly string[];
  /** `mtp`: slow, one reader at a time, calls may hang. */
  readonly access: 'disk' | 'mtp';
  /** User IDs whose files count; absent if all do: see {@link Places.owners}. */
  readonly owners?: readonly number[] | undefined;
}

/** A device with the files in its folders. */
export interface SurveyedDevice extends Device {
  readonly files: readonly FoundRecording[];
  /**
   * The recording that was made last; absent if there is none, or no file tells. Over MTP, its name tells,
   * and the activity is unknown.
   */
  readonly newest?: { readonly path: string; readonly activity?: Activity };
  readonly wellnessFiles: number;
  /** Files in TCX, which are not among {@link files}. */
  readonly tcxFiles: number;
}

export interface FoundRecording {
  readonly path: string;
  /** Absent over MTP, where asking for it takes long and tells little. */
  readonly stamp?: FileStamp;
}

/** Where devices may be mounted: folders below `root`, one level for each name in `below`. */
export interface MountPattern {
  /** Absolute. */
  readonly root: string;
  /** A name, in which `*` stands for any text: `mtp:host=*`. */
  readonly below: readonly string[];
}

/** Where to look for devices and apps. */
export interface Places {
  readonly platform: NodeJS.Platform;
  /** Variables that name folders of apps, such as `APPDATA`. */
  readonly env: Env;
  /** Absolute; '' if there is none. */
  readonly homeDir: string;
  readonly mounts: readonly MountPattern[];
  /** User IDs whose folders may be devices; absent: everyone's, as in a folder that the user names. */
  readonly owners?: readonly number[] | undefined;
  /** Devices over MTP that were identified before. While they are there, no file on them is opened. */
  readonly known?: readonly Device[];
  /** Look for apps too, in their folders below `homeDir`. */
  readonly apps: boolean;
  /** The built `device-child`, which does everything that may hang. */
  readonly childPath: string;
  /** Time limit for one call to a mount (ms); absent: `CALL_LIMIT_MS`. */
  readonly limitMs?: number;
}

export interface FoundDevices<D extends Device = Device> {
  readonly devices: readonly D[];
  /** Folders that gave no answer in time, or whose device was pulled out. */
  readonly silent: readonly string[];
}
