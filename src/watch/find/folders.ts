import type { Context } from '../../base/context.ts';
import type { WatcherHealth } from '../../daemon/health.ts';
import { type Sighting, WatchedFolder, type WatchedFolderOptions } from './watched-folder.ts';

/** Longest wait for the first check of the folders: a hanging file system is checked later (ms). */
const FIRST_CHECK_MS = 1_000;

export interface FoldersOptions {
  /** Absolute paths, each once. */
  readonly paths: readonly string[];
  readonly folder: WatchedFolderOptions;
  /** Called when a look at a folder ended. */
  readonly onChecked: (folder: WatchedFolder, sighting: Sighting) => void;
  readonly onError: (error: unknown) => void;
}

/** The folders of a watcher. Those of devices come and go. */
export class Folders {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: FoldersOptions;
  readonly #folders = new Map<string, WatchedFolder>();

  constructor(context: Pick<Context, 'clock' | 'signal'>, options: FoldersOptions) {
    this.#context = context;
    this.#options = options;
    for (const path of options.paths) {
      this.#folders.set(path, new WatchedFolder(path, options.folder));
    }
  }

  get all(): readonly WatchedFolder[] {
    return [...this.#folders.values()];
  }

  /** The folders' states, for the health report. */
  get picture(): WatcherHealth['folders'] {
    return this.all.map(({ path, state, reason }) => ({
      path,
      state,
      ...(reason === undefined ? {} : { reason }),
    }));
  }

  get areAllThere(): boolean {
    return this.all.every(({ state }) => state !== 'waiting');
  }

  /** The next rescan of a folder (ms of the monotonic clock); Infinity if there is no folder. */
  get rescanAt(): number {
    return Math.min(...this.all.map((folder) => folder.rescanAt));
  }

  has(folder: WatchedFolder): boolean {
    return this.#folders.get(folder.path) === folder;
  }

  /** Adds a folder of a device: its recordings are copied before they are sent. */
  addRemovable(path: string): WatchedFolder {
    const { filesystemType, ...rest } = this.#options.folder;
    const folder = new WatchedFolder(path, {
      ...rest,
      filesystemType: (each) => ({ ...filesystemType(each), removable: true }),
    });
    this.#folders.get(path)?.close();
    this.#folders.set(path, folder);
    return folder;
  }

  remove(path: string): void {
    this.#folders.get(path)?.close();
    this.#folders.delete(path);
  }

  /** Ends the events of all folders. May be called twice. */
  close(): void {
    for (const folder of this.all) folder.close();
  }

  /** Looks at every folder; a hanging file system delays no other folder. */
  check(): void {
    for (const folder of this.all) void this.checkOne(folder);
  }

  async checkOne(folder: WatchedFolder): Promise<void> {
    try {
      const sighting = await folder.look();
      if (sighting === undefined || this.#context.signal.aborted) return;
      this.#options.onChecked(folder, sighting);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Checks the folders before the first rescan. A hanging file system is checked later. */
  async firstCheck(): Promise<void> {
    const { clock, signal } = this.#context;
    const patience = new AbortController();
    const enough = clock
      .sleep(FIRST_CHECK_MS, AbortSignal.any([patience.signal, signal]))
      .catch(() => undefined);
    await Promise.race([Promise.all(this.all.map((folder) => this.checkOne(folder))), enough]);
    patience.abort();
  }

  /** Schedules a rescan of a folder (ms). */
  rescanIn(folder: WatchedFolder, ms: number): void {
    folder.rescanAt = Math.min(folder.rescanAt, this.#context.clock.monotonic() + ms);
  }
}
