/** A device that a watcher knows. */
export interface DeviceHealth {
  /** Identifies it at any mount point (`Device.key`). */
  readonly key: string;
  /** For people: `Garmin Edge 840`. */
  readonly title: string;
  readonly state: 'plugged-in' | 'away';
  /** Where it is mounted; absent while it is away. */
  readonly root?: string;
  /** Recordings that were not sent when it was unplugged; absent: none. */
  readonly left?: number;
}

/** `silent`: its file system does not answer. */
export type FolderState = 'waiting' | 'silent' | 'watching' | 'polling';

/** Why nothing can be delivered now. */
export type Obstacle = 'offline' | 'service' | 'keychain' | 'storage';

/** What a watcher reports about its work. Times are ISO 8601 in UTC. */
export interface WatcherHealth {
  readonly account?: string;
  readonly updatedAt: string;
  readonly folders: readonly {
    readonly path: string;
    readonly state: FolderState;
    readonly reason?: string;
  }[];
  /** Devices that are plugged in, and those that left with recordings. Absent: it watches folders only. */
  readonly devices?: readonly DeviceHealth[];
  readonly queue: {
    readonly waiting: number;
    readonly sending: number;
    readonly kept: number;
    readonly unfinished: number;
  };
  /** Wellness days since the start, and those that wait; absent if the watcher sends no wellness. */
  readonly days?: { readonly sent: number; readonly waiting: number };
  readonly connection: {
    readonly state: 'ok' | Obstacle;
    readonly message?: string;
    readonly nextTryAt?: string;
  };
  readonly login: {
    readonly state: 'ok' | 'needed';
    readonly message?: string;
    readonly refreshEndsAt?: string | undefined;
  };
  /** Why the ledger cannot be used, as a sentence; absent: it can. */
  readonly ledger?: string | undefined;
  readonly lastSuccessAt?: string;
  readonly lastSweepAt?: string;
  readonly lastError?: { readonly at: string; readonly message: string };
}
