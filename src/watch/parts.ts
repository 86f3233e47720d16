import type { ServiceClient } from '../api/client.ts';
import type { Context } from '../base/context.ts';
import type { Tasks } from '../base/tasks.ts';
import type { DeviceHealth } from '../daemon/health.ts';
import type { WatchScope } from '../daemon/state-file.ts';
import type { DeviceMonitor } from '../devices/monitor.ts';
import type { RemoteReaderOptions, RemoteReaders } from '../devices/remote/reader.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { RecordLedger } from '../ledger/records.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { Zone } from '../records/types.ts';
import type { Lock } from '../system/process-lock.ts';
import type { SendOptions } from '../upload/known-outcome.ts';
import type { UploadItem } from '../upload/report.ts';
import type { EventQueue } from './events.ts';
import type { DeviceNames } from './find/device-names.ts';
import type { FilesystemType } from './find/filesystem-type.ts';
import type { IncompleteFiles } from './find/incomplete-files.ts';
import type { WatchNotice } from './report.ts';
import type { CircuitBreaker } from './send/circuit-breaker.ts';
import type { Outbox } from './send/outbox.ts';

/** What is watched, and how. The folders are absolute, each once. */
export interface WatcherOptions extends WatchScope {
  /** Ignore the files that the first rescan finds. */
  readonly newOnly: boolean;
  /** Poll every folder at this interval (ms). */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

/** What all logins of one watcher share. */
export interface WatchMachine {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  readonly remote: RemoteReaderOptions;
  readonly wellness: boolean;
}

/** The account that a watcher sends to, with its ledger. */
export interface WatchAccount {
  readonly ledger: {
    readonly uploads: UploadLedger;
    readonly known: KnownFiles;
    readonly records: RecordLedger;
  };
  readonly marks: WatchMarks;
  /** If false, nothing is sent: recordings are found and kept for the next login. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly url: (endpoint: 'uploadFit' | 'wellness' | 'nutrition') => URL;
  /** Name of the file part of an upload. */
  readonly filePart: string;
  readonly zone: () => Promise<Zone>;
  /** As the setting: which of several programs counts on a day of wellness. */
  readonly prefer: readonly string[];
  /** As in the options of an upload. */
  readonly sameRide?: SendOptions['sameRide'];
}

/** The devices that come and go. They outlive a login: the next watcher takes them over. */
export type DeviceSource = Pick<DeviceMonitor, 'devices' | 'listen' | 'lost'>;

export interface DeviceAccess {
  readonly source: DeviceSource;
  /** Devices that left with recordings, by key. Shared by all logins of a process. */
  readonly away: Map<string, DeviceHealth>;
  /** Titles and serial numbers of devices that are left alone. */
  readonly ignoredDevices: readonly string[];
  /** Locks the folders of a device. @throws SyncError `BUSY` if another watcher sends them */
  readonly claim: (folders: readonly string[], signal: AbortSignal) => Promise<Lock>;
}

/** What the owner of a watcher hears besides its notices. */
export type WatchSignal =
  | 'changed'
  /** The loop runs, as about every minute. */
  | 'alive'
  /** The folders were checked, as every few seconds. */
  | 'checked';

/** The account and the machine of a watcher, and where its news goes. */
export interface WatcherTarget extends WatchMachine, WatchAccount {
  readonly outbox: Outbox;
  /** Absent: only the given folders are watched. */
  readonly deviceAccess?: DeviceAccess | undefined;
  readonly report: (notice: WatchNotice) => void;
  /** Takes the files that need no work, for the tally of `--once`. */
  readonly tally?: (item: UploadItem) => void;
  readonly onSignal: (signal: WatchSignal) => void;
}

/** What the parts of one watcher share. The watcher builds it once; the end of the watcher aborts its signal. */
export interface WatchParts
  extends Pick<Context, 'clock' | 'signal'>, Omit<WatcherOptions, 'devices'>, WatcherTarget {
  readonly events: EventQueue;
  /** Tasks beside the event loop. */
  readonly tasks: Tasks;
  /** Of the recordings: while it is not closed, the service is not called. The watcher reports its news. */
  readonly breaker: CircuitBreaker;
  readonly readers: RemoteReaders;
  readonly names: DeviceNames;
  /** Knows the files of a device by the device, not by its mount point. So does {@link WatchAccount.marks}. */
  readonly known: KnownFiles;
  readonly incomplete: IncompleteFiles;
  /** Notes a change that the health report shows. */
  readonly changed: () => void;
}
