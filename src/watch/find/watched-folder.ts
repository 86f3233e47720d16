import { opendir, stat } from 'node:fs/promises';
import { systemCode } from '../../base/errors.ts';
import { describeFileError } from '../../system/plain-file.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { FolderEvents, type FolderListener } from './fs-events.ts';
import type { FolderState } from '../../daemon/health.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import { plural } from '../../terminal/words.ts';
import { notThereYet } from './missing-folder.ts';

/** What a look at the folder found: which folder it is, or why it is missing, if the system says so. */
export type Sighting = { readonly identity: string } | { readonly missing: string | undefined };

/** What a sighting changed. */
export type Appearance = 'same' | 'appeared' | 'gone' | 'replaced';

export interface WatchedFolderOptions {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  /** Poll on every file system. */
  readonly forcePolling: boolean;
  /** Looks at a folder on an MTP mount. @returns undefined if it knows no more than before */
  readonly lookAtMtp: (path: string) => Promise<Sighting | undefined>;
  readonly onName: (folder: WatchedFolder, parent: string, name: string) => void;
  readonly onRoot: (folder: WatchedFolder) => void;
  /** Called when the folder disappeared. Returns how many recordings in it are not sent. */
  readonly onGone: (folder: WatchedFolder) => number;
  readonly onStateChange: (folder: WatchedFolder) => void;
}

/** One of the user's folders: it appears and disappears. */
export class WatchedFolder {
  readonly path: string;
  state: FolderState = 'waiting';
  /** Why it is polled, or waited for although it exists. */
  reason: string | undefined;
  removable = false;
  /** Recordings that were not sent when it disappeared. */
  left = 0;
  /** Its state was reported; before that, a look that finds it missing is no change. */
  isAnnounced = false;
  /** The next rescan (ms of the monotonic clock). */
  rescanAt = -Infinity;
  /** CPU time of the last rescan (ms). */
  rescanCostMs = 0;
  #identity: string | undefined;
  /** Why it is missing, if the system does not say so. */
  #absence: string | undefined;
  #wasThere = false;
  #looking = false;
  #closed = false;
  #events: FolderEvents | undefined;
  readonly #options: WatchedFolderOptions;

  /** @param path absolute; links are followed for this one, not below it */
  constructor(path: string, options: WatchedFolderOptions) {
    this.path = path;
    this.#options = options;
  }

  get events(): FolderEvents | undefined {
    return this.#events;
  }

  /**
   * Looks whether the folder exists, and whether it is the same: another one may be mounted. An
   * unreadable folder counts as missing. {@link WatchedFolder.apply} takes over the findings.
   *
   * @returns undefined while an earlier look has not returned: its file system hangs; also if there is
   *   no news of an MTP mount
   */
  async look(): Promise<Sighting | undefined> {
    if (this.#looking) return undefined;
    this.#looking = true;
    try {
      if (isOnMtp(this.path)) {
        const found = await this.#options.lookAtMtp(this.path);
        return this.#closed ? undefined : found;
      }
      const found = await lookAt(this.path);
      const isNew = 'missing' in found && found.missing === undefined && !this.#wasThere;
      if (isNew) this.#absence ??= await notThereYet(this.path);
      return this.#closed ? undefined : found;
    } finally {
      this.#looking = false;
    }
  }

  /** Looks at the folder, and takes over the findings. */
  async check(): Promise<void> {
    const found = await this.look();
    if (found !== undefined) this.apply(found);
  }

  /** Takes over a sighting. A folder that is missing from the start is no change. */
  apply(found: Sighting): Appearance {
    const before = this.#identity;
    if ('missing' in found) {
      if (before !== undefined) {
        this.left = this.#options.onGone(this);
        this.#absence = disappeared(this.left, this.removable);
      }
      const reason = found.missing ?? this.#absence;
      if (!this.isAnnounced) this.reason = reason;
      this.#leave(reason);
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

  /** Ends its events. May be called twice. */
  close(): void {
    this.#closed = true;
    this.#closeEvents();
  }

  #closeEvents(): void {
    this.#events?.close();
    this.#events = undefined;
  }

  #leave(reason: string | undefined): void {
    this.#closeEvents();
    this.#identity = undefined;
    this.#become('waiting', reason);
  }

  #enter(): void {
    this.#closeEvents();
    const { forcePolling, recursiveEvents } = this.#options;
    const filesystemType = this.#options.filesystemType(this.path);
    this.removable = filesystemType.removable;
    if (forcePolling) {
      this.#become('polling', 'As asked for.');
      return;
    }
    if (filesystemType.noEvents !== undefined) {
      this.#become('polling', filesystemType.noEvents);
      return;
    }
    const listener: FolderListener = {
      onName: (parent, name) => this.#options.onName(this, parent, name),
      onRoot: () => this.#options.onRoot(this),
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

  #become(state: FolderState, reason: string | undefined): void {
    const news = this.state !== state || this.reason !== reason;
    this.state = state;
    this.reason = reason;
    if (!news) return;
    this.isAnnounced = true;
    this.#options.onStateChange(this);
  }
}

/** Returns why a folder that existed is waited for, as a sentence. */
function disappeared(left: number, removable: boolean): string {
  if (left === 0) return 'It disappeared.';
  const recordings = `${plural(left, 'recording')} that ${left === 1 ? 'is' : 'are'} not sent`;
  return `It disappeared with ${recordings}${removable ? ': plug it in again.' : '.'}`;
}

async function lookAt(path: string): Promise<Sighting> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return { missing: 'It is a file.' };
    // Only opening it shows whether it is readable: the mode is not the only rule.
    const refused = await opendir(path).then((folder) => folder.close(), refusalIn);
    if (refused !== undefined) return { missing: refused };
    return { identity: `${found.dev}:${found.ino}:${found.birthtimeMs}` };
  } catch (error) {
    return { missing: refusalIn(error) };
  }
}

/** Returns the reason if this user may not read it; undefined for other reasons, which pass. */
function refusalIn(error: unknown): string | undefined {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code === 'EACCES' || code === 'EPERM' ? describeFileError(error) : undefined;
}
