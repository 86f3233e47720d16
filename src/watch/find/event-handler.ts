import { join } from 'node:path';
import { isRecordingName, isSearchedFolder } from '../../inputs/recording-names.ts';
import type { Classifier } from './classify.ts';
import { statOf } from './fs-events.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import type { Rescanner } from './rescan.ts';
import { walk } from './walk.ts';
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

export interface EventHandlerOptions {
  readonly classifier: Classifier;
  readonly incomplete: IncompleteFiles;
  readonly rescanner: Rescanner;
  /** Called for the first path of a batch: call {@link EventHandler.handle} soon. */
  readonly onQueued: () => void;
  /** Schedules a rescan of the folder (ms). */
  readonly rescanIn: (folder: WatchedFolder, ms: number) => void;
}

/** Handles file-system events: classifies files, walks new folders. */
export class EventHandler {
  readonly #options: EventHandlerOptions;
  #queued = new Map<string, { readonly folder: WatchedFolder; readonly name: string }>();

  constructor(options: EventHandlerOptions) {
    this.#options = options;
  }

  /** Queues a path for the next batch. */
  add(folder: WatchedFolder, parent: string, name: string): void {
    if (!isRecordingName(name) && !isSearchedFolder(name)) return;
    if (this.#queued.size === 0) this.#options.onQueued();
    this.#queued.set(join(parent, name), { folder, name });
  }

  /** Handles queued paths in one batch: one write fires several events. */
  handle(): void {
    const { classifier, incomplete, rescanIn } = this.#options;
    const batch = this.#queued;
    this.#queued = new Map();
    for (const [path, { folder, name }] of batch) {
      const stats = statOf(path);
      if (stats === undefined) incomplete.forget(path);
      if (stats?.isFile() !== true) {
        if (isSearchedFolder(name)) this.#onFolder(folder, path, stats?.isDirectory() === true);
      } else if (isRecordingName(name)) {
        classifier.classify({ path, stamp: stats, removable: folder.removable });
      }
    }
    if (batch.size > FLOOD) {
      for (const { folder } of batch.values()) rescanIn(folder, 0);
    }
  }

  /** Walks a folder that was created or replaced: its files came before it was watched. */
  #onFolder(folder: WatchedFolder, path: string, exists: boolean): void {
    const { classifier, incomplete, rescanner, rescanIn } = this.#options;
    if (folder.events?.isCovered(path) === true) {
      folder.events.uncover(path);
      if (!exists) incomplete.forgetBelow(path);
    }
    if (!exists) return;
    const end = performance.now() + LONG_WALK_MS;
    for (const found of walk(path)) {
      rescanner.visit(folder, found, (file) => classifier.classify(file));
      if (performance.now() < end) continue;
      rescanIn(folder, 0);
      return;
    }
    rescanIn(folder, Math.max(MOUNT_MS, folder.rescanCostMs * 20));
  }
}
