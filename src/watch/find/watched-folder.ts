import type { Observation } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import type { FolderState } from '../../daemon/health.ts';
import { plural } from '../../terminal/words.ts';
import { LocalFolder } from './local-folder.ts';
import { notThereYet } from './missing-folder.ts';
import type { RemoteFolder } from './remote-folder.ts';

/** Rescan interval for polled folders; `--poll` overrides it (ms). */
export const POLL_MS = 30_000;

type Appearance = 'same' | 'appeared' | 'gone';

/** Calls of a folder to the watcher. */
export interface FolderCalls {
  /** Returns the reader of a removable folder: one for a path, also if its device leaves and comes back. */
  readonly remote: (path: string) => RemoteFolder;
  /** Called for a name that changed in a folder below. */
  readonly onName: (folder: WatchedFolder, parent: string, name: string) => void;
  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  readonly forgetBelow: (path: string) => number;
}

type WatchedFolderParts = Pick<
  WatchParts,
  | 'changed'
  | 'clock'
  | 'dryRun'
  | 'events'
  | 'filesystemType'
  | 'marks'
  | 'newOnly'
  | 'pollMs'
  | 'recursiveEvents'
  | 'report'
>;

/** One of the user's folders: it appears and disappears. */
export class WatchedFolder {
  readonly path: string;
  state: FolderState = 'waiting';
  /** Why it is polled, or waited for although it exists. */
  reason: string | undefined;
  removable = false;
  /** Recordings that were not sent when it disappeared. */
  left = 0;
  /** Its state was reported; before that, a probe that finds it missing is no change. */
  isAnnounced = false;
  /** The next rescan (ms of the monotonic clock). */
  rescanAt = -Infinity;
  /** CPU time of the last rescan (ms). */
  rescanCostMs = 0;
  /** Makes its calls while they return at once. */
  readonly local: LocalFolder;
  #identity: string | undefined;
  /** Why it is missing, if the system does not say so. */
  #absence: string | undefined;
  #wasThere = false;
  #probing = false;
  readonly #isOnDevice: boolean;
  readonly #parts: WatchedFolderParts;
  readonly #calls: FolderCalls;

  /**
   * @param path absolute; links are followed for this one, not below it
   * @param isOnDevice its recordings are copied before they are sent
   */
  constructor(path: string, parts: WatchedFolderParts, calls: FolderCalls, isOnDevice = false) {
    this.path = path;
    this.local = new LocalFolder(path);
    this.#parts = parts;
    this.#calls = calls;
    this.#isOnDevice = isOnDevice;
  }

  get isThere(): boolean {
    return this.state === 'watching' || this.state === 'polling';
  }

  /** Who makes the calls on it if they may hang; undefined if they return at once. */
  get remote(): RemoteFolder | undefined {
    return this.removable ? this.#calls.remote(this.path) : undefined;
  }

  /** Probes the folder as its reader does. {@link WatchedFolder.apply} takes over the observation. */
  async probe(): Promise<Observation | undefined> {
    if (this.#probing) return undefined;
    this.#probing = true;
    try {
      // Where it was unplugged from, there may be another file system.
      this.removable = (this.isThere && this.removable) || this.#isRemovable();
      const found = await (this.remote ?? this.local).probe();
      const isNew = found !== undefined && 'missing' in found && !this.#wasThere;
      if (isNew && found.missing === undefined && !this.removable) {
        this.#absence ??= await notThereYet(this.path);
      }
      return found;
    } finally {
      this.#probing = false;
    }
  }

  /** Probes the folder, and takes over the observation. */
  async check(): Promise<void> {
    const found = await this.probe();
    if (found !== undefined) this.apply(found);
  }

  /** Takes over an observation. A folder that is missing from the start is no change. */
  apply(found: Observation): Appearance {
    const before = this.#identity;
    if ('missing' in found) {
      if (before !== undefined) {
        this.left = this.#calls.forgetBelow(this.path);
        this.remote?.probeSoon();
        this.#absence = disappeared(this.left, this.removable);
      } else if (!this.#wasThere) expectNew(this.#parts, this.path);
      const reason = found.missing ?? this.#absence;
      if (!this.isAnnounced) this.reason = reason;
      this.#leave(reason, found.isSilent === true ? 'silent' : 'waiting');
      return before === undefined ? 'same' : 'gone';
    }
    const { identity } = found;
    // File systems without events may renumber their folders each time.
    if (before !== undefined && (identity === before || this.state === 'polling')) return 'same';
    this.#identity = identity;
    this.left = 0;
    this.#wasThere = true;
    this.#enter();
    return 'appeared';
  }

  announce(): void {
    const { path, state, reason, left, removable } = this;
    this.isAnnounced = true;
    this.#parts.report({
      event: 'folder',
      folder: path,
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(removable && left > 0 ? { left } : {}),
    });
    this.#parts.changed();
  }

  rescanIn(ms: number): void {
    this.rescanAt = Math.min(this.rescanAt, this.#parts.clock.monotonic() + ms);
  }

  /** Ends its events. May be called twice. */
  close(): void {
    this.local.close();
  }

  #leave(reason: string | undefined, state: 'waiting' | 'silent'): void {
    this.local.close();
    this.#identity = undefined;
    this.#become(state, reason);
  }

  #enter(): void {
    this.local.close();
    const { pollMs, recursiveEvents } = this.#parts;
    const { noEvents } = this.#parts.filesystemType(this.path);
    this.removable = this.#isRemovable();
    let whyPolled = pollMs === undefined ? noEvents : 'As asked for.';
    // Placing watches reads each folder, which may hang.
    if (whyPolled === undefined && !this.removable) {
      whyPolled = this.local.watch(recursiveEvents, {
        onName: (parent, name) => this.#calls.onName(this, parent, name),
        onRoot: () => this.#parts.events.setTimer('check-due', 0),
        onFailure: (reason) => this.#become('polling', reason),
      });
    }
    this.#become(whyPolled === undefined ? 'watching' : 'polling', whyPolled);
  }

  #isRemovable(): boolean {
    return this.#isOnDevice || this.#parts.filesystemType(this.path).removable;
  }

  #become(state: FolderState, reason: string | undefined): void {
    const news = this.state !== state || this.reason !== reason;
    this.state = state;
    this.reason = reason;
    if (news) this.announce();
  }
}

/** Records for `--new-only` that a folder is missing at the start: its later files are new. */
export function expectNew(
  { newOnly, dryRun, marks }: Pick<WatchParts, 'dryRun' | 'marks' | 'newOnly'>,
  path: string,
): void {
  if (newOnly && !dryRun) marks.newOnly(path).begin();
}

/** Returns why a folder that existed is waited for, as a sentence. */
function disappeared(left: number, removable: boolean): string {
  if (left === 0) return 'It disappeared.';
  const recordings = `${plural(left, 'recording')} that ${left === 1 ? 'is' : 'are'} not sent`;
  return `It disappeared with ${recordings}${removable ? ': plug it in again.' : '.'}`;
}
