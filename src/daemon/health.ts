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

export type FolderState =
  /** The folder does not exist (a device that is not plugged in). */
  | 'waiting'
  /** The system reports changes in the folder. */
  | 'watching'
  /** The folder is rescanned at short intervals. */
  | 'polling';

/** Why nothing can be delivered now. */
export type Obstacle =
  /** No connection to the service. */
  | 'offline'
  /** The service answers with failures. */
  | 'service'
  /** The keychain is locked or missing. */
  | 'keychain'
  /** This machine's own disk or database. */
  | 'storage';

/** What a watcher reports about its work. Times are ISO 8601 in UTC. */
export interface WatcherHealth {
  /** The ledger's account key. */
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
    /** Recordings to send, in-flight requests included. */
    readonly waiting: number;
    readonly sending: number;
    /** Recordings in the outbox. */
    readonly kept: number;
    /** Incomplete files. */
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
    /** When the refresh token ends, if the service says so. */
    readonly refreshEndsAt?: string;
  };
  readonly lastSuccessAt?: string;
  readonly lastSweepAt?: string;
  readonly lastError?: { readonly at: string; readonly message: string };
}
