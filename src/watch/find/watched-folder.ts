import { opendirSync, statSync } from 'node:fs';
import { systemCode } from '../../base/errors.ts';
import { describeFileError } from '../../system/plain-file.ts';
import type { Observation } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import { FolderEvents, type FolderListener } from './fs-events.ts';
import type { FolderState } from '../../daemon/health.ts';
import { plural } from '../../terminal/words.ts';
import { notThereYet } from './missing-folder.ts';

/** Rescan interval for polled folders; `--poll` overrides it (ms). */
export const POLL_MS = 30_000;

export type Appearance = 'same' | 'appeared' | 'gone' | 'replaced';

/** What a folder needs of the others. */
export interface FolderCalls {
  /** Probes a removable folder. @returns undefined if there is no news */
  readonly probeRemovable: (path: string) => Promise<Observation | undefined>;
  /** Called for a name that changed in a folder below. */
  readonly onName: (folder: WatchedFolder, parent: string, name: string) => void;
  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  readonly forgetBelow: (path: string) => number;
}

type WatchedFolderParts = Pick<
  WatchParts,
  'changed' | 'clock' | 'events' | 'filesystemType' | 'pollMs' | 'recursiveEvents' | 'report'
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
  #identity: string | undefined;
  /** Why it is missing, if the system does not say so. */
  #absence: string | undefined;
  #wasThere = false;
  #probing = false;
  #closed = false;
  #events: FolderEvents | undefined;
  readonly #isOnDevice: boolean;
  readonly #parts: WatchedFolderParts;
  readonly #calls: FolderCalls;

  /**
   * @param path absolute; links are followed for this one, not below it
   * @param isOnDevice its recordings are copied before they are sent
   */
  constructor(path: string, parts: WatchedFolderParts, calls: FolderCalls, isOnDevice = false) {
    this.path = path;
    this.#parts = parts;
    this.#calls = calls;
    this.#isOnDevice = isOnDevice;
  }

  get isThere(): boolean {
    return this.state === 'watching' || this.state === 'polling';
  }

  get events(): FolderEvents | undefined {
    return this.#events;
  }

  /**
   * Checks whether the folder exists, and whether it is the same: another one may be mounted. An
   * unreadable folder counts as missing. {@link WatchedFolder.apply} takes over the observation.
   *
   * @returns undefined while an earlier probe has not returned: its file system hangs; also if there is
   *   no news of an MTP mount
   */
  async probe(): Promise<Observation | undefined> {
    if (this.#probing) return undefined;
    this.#probing = true;
    try {
      // Where it was unplugged from, there may be another file system.
      const wasRemovable = this.isThere && this.removable;
      this.removable = wasRemovable || this.#isRemovable();
      if (this.removable) {
        const found = await this.#calls.probeRemovable(this.path);
        return this.#closed ? undefined : found;
      }
      const found = probe(this.path);
      const isNew = 'missing' in found && found.missing === undefined && !this.#wasThere;
      if (isNew) this.#absence ??= await notThereYet(this.path);
      return this.#closed ? undefined : found;
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
        this.#absence = disappeared(this.left, this.removable);
      }
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
    return before === undefined ? 'appeared' : 'replaced';
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
    this.#closed = true;
    this.#closeEvents();
  }

  #closeEvents(): void {
    this.#events?.close();
    this.#events = undefined;
  }

  #leave(reason: string | undefined, state: 'waiting' | 'silent'): void {
    this.#closeEvents();
    this.#identity = undefined;
    this.#become(state, reason);
  }

  #enter(): void {
    this.#closeEvents();
    const { pollMs, recursiveEvents } = this.#parts;
    const { noEvents } = this.#parts.filesystemType(this.path);
    this.removable = this.#isRemovable();
    const whyPolled = pollMs === undefined ? noEvents : 'As asked for.';
    if (whyPolled !== undefined) {
      this.#become('polling', whyPolled);
      return;
    }
    // Placing watches reads each folder, which may hang.
    if (this.removable) {
      this.#become('watching', undefined);
      return;
    }
    const listener: FolderListener = {
      onName: (parent, name) => this.#calls.onName(this, parent, name),
      onRoot: () => this.#parts.events.setTimer('check-due', 0),
      onFailure: (reason) => {
        failure = reason;
        if (this.#events === events) this.#become('polling', reason);
      },
    };
    let failure: string | undefined;
    const events = new FolderEvents(this.path, recursiveEvents, listener);
    events.start();
    this.#events = events;
    if (failure === undefined) this.#become('watching', undefined);
    else this.#become('polling', failure);
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

/** Returns why a folder that existed is waited for, as a sentence. */
function disappeared(left: number, removable: boolean): string {
  if (left === 0) return 'It disappeared.';
  const recordings = `${plural(left, 'recording')} that ${left === 1 ? 'is' : 'are'} not sent`;
  return `It disappeared with ${recordings}${removable ? ': plug it in again.' : '.'}`;
}

/** Probes a local folder on the main thread: a thread of Node's pool would wake up for each call. */
function probe(path: string): Observation {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return { missing: 'It is a file.' };
    const refused = refusalToOpen(path);
    if (refused !== undefined) return { missing: refused };
    return { identity: `${found.dev}:${found.ino}:${found.birthtimeMs}` };
  } catch (error) {
    return { missing: refusalIn(error) };
  }
}

/** Only opening it shows whether it is readable: the mode is not the only rule. */
function refusalToOpen(path: string): string | undefined {
  try {
    opendirSync(path).closeSync();
    return undefined;
  } catch (error) {
    return refusalIn(error);
  }
}

/** Returns the reason if the folder cannot be read as it is; undefined for other reasons, which pass. */
function refusalIn(error: unknown): string | undefined {
  const code = systemCode(error);
  if (code === undefined) throw error;
  const lasting = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'];
  return lasting.includes(code) ? describeFileError(error) : undefined;
}
