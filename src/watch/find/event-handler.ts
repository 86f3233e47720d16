import { join } from 'node:path';
import { isActivityName, isSearchedFolder } from '../../inputs/recording-names.ts';
import type { WatchParts } from '../parts.ts';
import type { Classifier } from './classify.ts';
import { statOf } from './fs-events.ts';
import type { Rescanner } from './rescan.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** Paths in one batch above which the kernel may have dropped events. */
const FLOOD = 1_000;
/** Longest walk of a new folder; a rescan takes over after that (ms). */
const LONG_WALK_MS = 200;
/**
 * Delay of the rescan after a folder was created (ms). A folder that is created for a device is
 * mounted over a moment later, and a mount fires no event.
 */
const MOUNT_MS = 3_000;

type EventHandlerParts = Pick<WatchParts, 'changed' | 'events' | 'incomplete'>;

/** Handles file-system events: classifies files, walks new folders. */
export class EventHandler {
  readonly #parts: EventHandlerParts;
  readonly #classifier: Classifier;
  readonly #rescanner: Rescanner;
  #queued = new Map<string, { readonly folder: WatchedFolder; readonly name: string }>();

  constructor(parts: EventHandlerParts, classifier: Classifier, rescanner: Rescanner) {
    this.#parts = parts;
    this.#classifier = classifier;
    this.#rescanner = rescanner;
  }

  /** Queues a path for the next batch. */
  add(folder: WatchedFolder, parent: string, name: string): void {
    if (!isActivityName(name) && !isSearchedFolder(name)) return;
    // One write fires several events: they are handled together.
    if (this.#queued.size === 0) {
      setImmediate(() => this.#parts.events.post({ type: 'files-changed' }));
    }
    this.#queued.set(join(parent, name), { folder, name });
  }

  handle(): void {
    const { incomplete } = this.#parts;
    const batch = this.#queued;
    this.#queued = new Map();
    for (const [path, { folder, name }] of batch) {
      const stats = statOf(path);
      if (stats === undefined) incomplete.forget(path);
      if (stats?.isFile() !== true) {
        if (isSearchedFolder(name)) this.#onFolder(folder, path, stats?.isDirectory() === true);
      } else if (isActivityName(name)) {
        this.#classifier.classify({ path, stamp: stats, removable: false });
      }
    }
    if (batch.size > FLOOD) {
      for (const { folder } of batch.values()) folder.rescanIn(0);
    }
    this.#parts.changed();
  }

  /** Walks a folder that was created or replaced: its files came before it was watched. */
  #onFolder(folder: WatchedFolder, path: string, exists: boolean): void {
    const { incomplete } = this.#parts;
    const { local } = folder;
    if (local.events?.isCovered(path) === true) {
      local.events.uncover(path);
      if (!exists) incomplete.forgetBelow(path);
    }
    if (!exists) return;
    const end = performance.now() + LONG_WALK_MS;
    for (const found of local.walk(path)) {
      if (found.found === 'file') this.#classifier.classify({ ...found, removable: false });
      else this.#rescanner.report(local, found);
      if (performance.now() < end) continue;
      folder.rescanIn(0);
      return;
    }
    folder.rescanIn(Math.max(MOUNT_MS, folder.rescanCostMs * 20));
  }
}
