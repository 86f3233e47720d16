import { opendir, stat } from 'node:fs/promises';
import { systemCode } from '../base/errors.ts';
import { describeFileError } from '../upload/find-files.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { FolderEvents, type FolderListener } from './fs-events.ts';
import type { FolderState } from '../daemon/registry.ts';

/** The result of a check of the folder. */
export type Appearance = 'same' | 'appeared' | 'gone' | 'replaced';

export interface WatchedFolderOptions {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  /** Poll on every file system. */
  readonly forcePolling: boolean;
  readonly onName: (folder: WatchedFolder, parent: string, name: string) => void;
  readonly onRoot: (folder: WatchedFolder) => void;
  readonly onStateChange: (folder: WatchedFolder) => void;
}

/** One of the user's folders: it appears and disappears. */
export class WatchedFolder {
  readonly path: string;
  state: FolderState = 'waiting';
  /** Why it is polled, or waited for although it exists. */
  reason: string | undefined;
  removable = false;
  /** The next rescan (ms of the monotonic clock). */
  rescanAt = -Infinity;
  /** Duration of the last rescan (ms). */
  rescanCostMs = 0;
  #identity: string | undefined;
  #looking = false;
  #closed = false;
  #checked = false;
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
   * Checks whether the folder exists, and whether it is the same: another one may be mounted. An
   * unreadable folder counts as missing. A folder that is missing at the first check is no change.
   *
   * @returns undefined while an earlier check has not returned: its file system hangs
   */
  async check(): Promise<Appearance | undefined> {
    if (this.#looking) return undefined;
    this.#looking = true;
    try {
      const found = await lookAt(this.path);
      return this.#closed ? undefined : this.#compare(found);
    } finally {
      this.#looking = false;
    }
  }

  #compare(found: Awaited<ReturnType<typeof lookAt>>): Appearance {
    const before = this.#identity;
    const isFirst = !this.#checked;
    this.#checked = true;
    if ('missing' in found) {
      if (isFirst) this.reason = found.missing;
      this.#leave(found.missing);
      return before === undefined ? 'same' : 'gone';
    }
    const { identity } = found;
    // File systems without events may renumber their folders each time.
    if (before !== undefined && (identity === before || this.state === 'polling')) return 'same';
    this.#identity = identity;
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
    if (news) this.#options.onStateChange(this);
  }
}

/** Returns the folder's identity if it is readable; else why it is missing, if that is worth a report. */
async function lookAt(
  path: string,
): Promise<{ readonly identity: string } | { readonly missing: string | undefined }> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return { missing: undefined };
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
