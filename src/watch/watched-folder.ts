import { stat } from 'node:fs/promises';
import { systemCode } from '../errors.ts';
import type { Place } from './filesystem-type.ts';
import { FolderEvents, type FolderEventsNeeds } from './folder-events.ts';
import type { FolderState } from './report.ts';

/** What a look at the root showed. */
export type Appearance = 'same' | 'appeared' | 'gone' | 'replaced';

export interface WatchedFolderNeeds {
  readonly place: (folder: string) => Place;
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
  /** Why it is polled. */
  reason: string | undefined;
  removable = false;
  /** ms since the epoch: when it is looked through next. */
  sweepAt = 0;
  /** What the last sweep of it took, in ms. */
  sweepCostMs = 0;
  #identity: string | undefined;
  #looking = false;
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
   * Looks whether it is there, and whether it is still the same: something else may be mounted.
   *
   * @returns nothing while an earlier look has not come back: its file system hangs.
   */
  async check(): Promise<Appearance | undefined> {
    if (this.#looking) return undefined;
    this.#looking = true;
    try {
      return this.#compare(await identityOf(this.path));
    } finally {
      this.#looking = false;
    }
  }

  #compare(identity: string | undefined): Appearance {
    const before = this.#identity;
    if (identity === undefined) {
      if (before === undefined) return 'same';
      this.#leave();
      return 'gone';
    }
    // Where there are no events, file systems may number their folders anew each time.
    if (before !== undefined && (identity === before || this.state === 'polling')) return 'same';
    this.#identity = identity;
    this.#enter();
    return before === undefined ? 'appeared' : 'replaced';
  }

  /** May be called twice. */
  close(): void {
    this.#events?.close();
    this.#events = undefined;
  }

  #leave(): void {
    this.close();
    this.#identity = undefined;
    this.#become('waiting', undefined);
  }

  #enter(): void {
    this.close();
    const { forcePolling, recursiveEvents } = this.#needs;
    const place = this.#needs.place(this.path);
    this.removable = place.removable;
    if (forcePolling) {
      this.#become('polling', 'As asked for.');
      return;
    }
    if (place.noEvents !== undefined) {
      this.#become('polling', place.noEvents);
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

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
