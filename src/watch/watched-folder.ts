import { opendir, stat } from 'node:fs/promises';
import { systemCode } from '../base/errors.ts';
import { describeFileError } from '../upload/find-files.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { FolderEvents, type FolderEventsNeeds } from './fs-events.ts';
import type { FolderState } from '../daemon/registry.ts';

/** What a look at the root showed. */
export type Appearance = 'same' | 'appeared' | 'gone' | 'replaced';

export interface WatchedFolderNeeds {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  /** Poll, whatever the file system is. */
  readonly forcePolling: boolean;
  readonly onName: (folder: WatchedFolder, parent: string, name: string) => void;
  readonly onRoot: (folder: WatchedFolder) => void;
  readonly onStateChange: (folder: WatchedFolder) => void;
}

/** One of the folders that the user named: it comes and goes. */
export class WatchedFolder {
  readonly path: string;
  state: FolderState = 'waiting';
  /** Why it is polled, or waited for although it is there. */
  reason: string | undefined;
  removable = false;
  /** When it is looked through next; ms of the monotonic clock. */
  rescanAt = -Infinity;
  /** What the last rescan of it took, in ms. */
  rescanCostMs = 0;
  #identity: string | undefined;
  #looking = false;
  #closed = false;
  #checked = false;
  #events: FolderEvents | undefined;
  readonly #needs: WatchedFolderNeeds;

  /** @param path absolute; links are followed for this one, not below it */
  constructor(path: string, needs: WatchedFolderNeeds) {
    this.path = path;
    this.#needs = needs;
  }

  get events(): FolderEvents | undefined {
    return this.#events;
  }

  /**
   * Looks whether it is there, and whether it is still the same: something else may be mounted. One
   * that may not be read is waited for like one that is not there. What the first look finds is not
   * told as a change where it is still to be waited for.
   *
   * @returns nothing while an earlier look has not come back: its file system hangs.
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
    // Where there are no events, file systems may number their folders anew each time.
    if (before !== undefined && (identity === before || this.state === 'polling')) return 'same';
    this.#identity = identity;
    this.#enter();
    return before === undefined ? 'appeared' : 'replaced';
  }

  /** Nothing is heard of it any more. May be called twice. */
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
    const { forcePolling, recursiveEvents } = this.#needs;
    const filesystemType = this.#needs.filesystemType(this.path);
    this.removable = filesystemType.removable;
    if (forcePolling) {
      this.#become('polling', 'As asked for.');
      return;
    }
    if (filesystemType.noEvents !== undefined) {
      this.#become('polling', filesystemType.noEvents);
      return;
    }
    const needs: FolderEventsNeeds = {
      onName: (parent, name) => this.#needs.onName(this, parent, name),
      onRoot: () => this.#needs.onRoot(this),
      onFailure: (reason) => {
        failure = reason;
        if (this.#events === events) this.#become('polling', reason);
      },
    };
    let failure: string | undefined;
    const events = new FolderEvents(this.path, recursiveEvents, needs);
    events.start();
    this.#events = events;
    if (failure === undefined) this.#become('watching', undefined);
    else this.#become('polling', failure);
  }

  #become(state: FolderState, reason: string | undefined): void {
    const news = this.state !== state || this.reason !== reason;
    this.state = state;
    this.reason = reason;
    if (news) this.#needs.onStateChange(this);
  }
}

/** What is at the path: a folder that may be read; or none, with the reason where there is one to tell. */
async function lookAt(
  path: string,
): Promise<{ readonly identity: string } | { readonly missing: string | undefined }> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return { missing: undefined };
    // Whether it may be read shows only to who tries: there are more rules than the mode's.
    const refused = await opendir(path).then((folder) => folder.close(), refusalIn);
    if (refused !== undefined) return { missing: refused };
    return { identity: `${found.dev}:${found.ino}:${found.birthtimeMs}` };
  } catch (error) {
    return { missing: refusalIn(error) };
  }
}

/** That this user may not; undefined for other reasons of the system, which pass. */
function refusalIn(error: unknown): string | undefined {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code === 'EACCES' || code === 'EPERM' ? describeFileError(error) : undefined;
}
