import { join } from 'node:path';
import { isRecordingName, isSearchedFolder } from '../upload/recording-names.ts';
import { statOf } from './fs-events.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import type { Classifier, FoundFile } from './classify.ts';
import type { Rescanner } from './rescan.ts';
import { walk } from './walk.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** More names than this at once, and the kernel may have dropped some. */
const FLOOD = 1_000;
/** A folder that takes longer than this to look through is left to a rescan, in ms. */
const LONG_WALK_MS = 200;
/**
 * So long after a folder was made it is looked through once more, in ms: what is made for a device
 * is mounted over a moment later, and a mount is announced by nobody.
 */
const MOUNT_MS = 3_000;

export interface EventHandlerNeeds {
  readonly classifier: Classifier;
  readonly incomplete: IncompleteFiles;
  readonly rescanner: Rescanner;
  /** Something was told of: {@link EventHandler.hear} is to be called soon. */
  readonly onTold: () => void;
  /** The folder is to be looked through in so many ms. */
  readonly rescanIn: (folder: WatchedFolder, ms: number) => void;
}

/** Turns what file events say into looks at files and folders. */
export class EventHandler {
  readonly #needs: EventHandlerNeeds;
  /** Paths that events told of since the last look. */
  #told = new Map<string, { readonly folder: WatchedFolder; readonly name: string }>();

  constructor(needs: EventHandlerNeeds) {
    this.#needs = needs;
  }

  tell(folder: WatchedFolder, parent: string, name: string): void {
    if (!isRecordingName(name) && !isSearchedFolder(name)) return;
    if (this.#told.size === 0) this.#needs.onTold();
    this.#told.set(join(parent, name), { folder, name });
  }

  /** Looks at what was told of, all at once: one write is told of several times. */
  hear(): void {
    const told = this.#told;
    this.#told = new Map();
    for (const [path, { folder, name }] of told) {
      const stats = statOf(path);
      if (stats === undefined) this.#needs.incomplete.forget(path);
      if (stats?.isFile() !== true) {
        if (isSearchedFolder(name)) this.#onFolder(folder, path, stats?.isDirectory() === true);
      } else if (isRecordingName(name)) {
        this.look({ path, stamp: stats, removable: folder.removable });
      }
    }
    if (told.size > FLOOD) {
      for (const { folder } of told.values()) this.#needs.rescanIn(folder, 0);
    }
  }

  look(file: FoundFile): void {
    const { classifier } = this.#needs;
    if (classifier.isOpen(file)) classifier.approach(file);
  }

  /** A folder came, went, or was replaced: what is in it came before anybody could tell. */
  #onFolder(folder: WatchedFolder, path: string, exists: boolean): void {
    const { incomplete, rescanner, rescanIn } = this.#needs;
    if (folder.events?.isCovered(path) === true) {
      folder.events.uncover(path);
      if (!exists) incomplete.forgetBelow(path);
    }
    if (!exists) return;
    const end = performance.now() + LONG_WALK_MS;
    for (const found of walk(path)) {
      rescanner.meet(folder, found, (file) => this.look(file));
      if (performance.now() < end) continue;
      rescanIn(folder, 0);
      return;
    }
    rescanIn(folder, Math.max(MOUNT_MS, folder.rescanCostMs * 20));
  }
}
