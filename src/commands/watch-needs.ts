import type { OutboxRows } from '../ledger/outbox.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Registration } from '../daemon/registration.ts';
import type { Clock } from '../base/time.ts';
import type { FilesystemType } from '../watch/filesystem-type.ts';
import type { WatchNotice } from '../watch/report.ts';
import type { OpenLedger } from '../app/open-ledger.ts';

export interface WatchCommandOptions {
  /** Absolute paths, each once. */
  readonly folders: readonly string[];
  /** What is there at the beginning is not sent. */
  readonly newOnly: boolean;
  /** Poll every folder, every so many ms. */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

/** One login, opened, with the ledger of its account. */
export interface OpenWatch {
  readonly account: string;
  /** Whose data it takes, as far as is known: an address. */
  readonly service: string;
  /** Who logged in, as the service calls them; undefined if nobody has, or that is not known. */
  readonly athlete: string | undefined;
  readonly ledger: OpenLedger;
  readonly marks: WatchMarks;
  readonly outboxRows: OutboxRows;
  /** False: the account is a stand-in for one that cannot be known yet; nothing may be sent. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  /**
   * When the refresh token ends, in ms since the epoch, where that is known; reads the store.
   *
   * @throws SyncError `AUTH_REQUIRED`, or that the store cannot be read now.
   */
  readonly loginEndsAt: (signal: AbortSignal) => Promise<number | undefined>;
  /** Uses the login once: a token that is due is refreshed. @throws SyncError */
  readonly useLogin: (signal: AbortSignal) => Promise<void>;
  /** Takes over the recordings that are kept for another account. */
  readonly adopt: (account: string) => void;
  /** May be called twice. */
  readonly close: () => Promise<void>;
}

export interface WatchNeeds {
  readonly appVersion: string;
  readonly stateDir: string;
  readonly profile: string;
  /** `sync login` can help: the tokens are not from the environment. */
  readonly loginCanChange: boolean;
  /** Something that changes when somebody logs in; cheap. */
  readonly loginMarker: () => string;
  /** What the file system under a folder means for watching it. */
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  readonly registration: Registration;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /**
   * Opens the login and its ledger, from the configuration as it is now. `offline`: without a request;
   * where it takes one to know the account, a stand-in.
   */
  readonly open: (how: 'online' | 'offline') => Promise<OpenWatch>;
  readonly report: (event: WatchNotice) => void;
  /** Shows a note on the desktop, if there is one. */
  readonly notify: (note: { readonly title: string; readonly text: string }) => void;
  /** Tells a monitor that all is well. @throws when it cannot be told */
  readonly heartbeat: ((signal: AbortSignal) => Promise<void>) | undefined;
}
