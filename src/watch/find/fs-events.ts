import { type FSWatcher, type Stats, lstatSync, statSync, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { messageOf, systemCode } from '../../base/errors.ts';
import { isSearchedFolder } from '../../inputs/recording-names.ts';
import { isBelow } from '../../system/mounts.ts';

export interface FolderListener {
  /** Called for a file or folder with this name that changed, appeared or disappeared. */
  readonly onName: (folder: string, name: string) => void;
  readonly onRoot: () => void;
  /** Called if events are unreliable from now on, for example because no watches are left. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Watches one root for file events: one watch for each folder, none for a file.
 *
 * Uses Node's `fs.watch`. On macOS and Windows one handle watches the whole tree. Elsewhere every folder
 * has a watch, which is placed before the folder is read, so that no file is missed.
 * docs/internals/architecture.md has the measurements against chokidar.
 */
export class FolderEvents {
  readonly #root: string;
  readonly #recursive: boolean;
  readonly #listener: FolderListener;
  readonly #watchers = new Map<string, Watched>();
  readonly #watch: typeof watch;
  /** Why events are unreliable. */
  #failure: string | undefined;

  /**
   * @param recursive one handle for the whole tree
   * @param watchWith replaces `fs.watch` in tests
   */
  constructor(
    root: string,
    recursive: boolean,
    listener: FolderListener,
    watchWith: typeof watch = watch,
  ) {
    this.#watch = watchWith;
    this.#root = root;
    this.#recursive = recursive;
    this.#listener = listener;
  }

  get count(): number {
    return this.#watchers.size;
  }

  /** Watches the root; {@link FolderEvents.coverOne} watches the folders below it. @returns why that fails */
  start(): string | undefined {
    this.#place(this.#root);
    return this.#failure;
  }

  /**
   * Watches this folder alone, for a walk that visits every folder. A folder that was replaced
   * (mounted over) gets a new watch.
   */
  coverOne(folder: string): void {
    if (this.#failure !== undefined) return;
    const watched = this.#watchers.get(folder);
    if (watched !== undefined && folder !== this.#root && watched.identity !== identityOf(folder)) {
      this.uncover(folder);
    }
    this.#place(folder);
  }

  /**
   * Removes the watches of a folder that was created, removed, renamed or replaced: they belong to
   * its predecessor, even if the inode number is the same.
   */
  uncover(folder: string): void {
    if (this.#recursive) return;
    for (const [path, { watcher }] of this.#watchers) {
      if (path !== folder && !isBelow(path, folder)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  isCovered(folder: string): boolean {
    return this.#watchers.has(folder);
  }

  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #place(folder: string): void {
    if (this.#watchers.has(folder) || (this.#recursive && folder !== this.#root)) return;
    try {
      const watcher = this.#watch(folder, { persistent: true, recursive: this.#recursive });
      watcher.on('change', (_kind, name) => this.#onEvent(folder, name));
      watcher.on('error', (error) => this.#onError(folder, error));
      this.#watchers.set(folder, { watcher, identity: identityOf(folder) });
    } catch (error) {
      this.#onError(folder, error);
    }
  }

  #onEvent(folder: string, name: string | Buffer | null): void {
    // Without a name (some platforms, some file systems) it concerns the folder.
    if (name === null) {
      this.#listener.onRoot();
      return;
    }
    const text = name.toString();
    // The removal of a folder is reported under its own name.
    if (text === basename(folder)) {
      if (folder === this.#root) this.#listener.onRoot();
      else this.#listener.onName(join(folder, '..'), text);
    }
    const parents = text.split(sep);
    const last = parents.pop() ?? '';
    if (parents.every(isSearchedFolder)) this.#listener.onName(join(folder, ...parents), last);
  }

  #onError(folder: string, error: unknown): void {
    const code = systemCode(error);
    if (code === undefined) throw error;
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
    if (folder === this.#root) this.#listener.onRoot();
    // Gone or unreadable: the rescans report it if it matters.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) return;
    if (this.#failure !== undefined) return;
    this.close();
    this.#failure =
      code === 'ENOSPC' || code === 'EMFILE'
        ? 'The system gives no more file watches (on Linux: raise fs.inotify.max_user_watches).'
        : `The system cannot announce changes there (${messageOf(error)}).`;
    this.#listener.onFailure(this.#failure);
  }
}

interface Watched {
  readonly watcher: FSWatcher;
  /** Of the folder that was there when the watch was placed. */
  readonly identity: string | undefined;
}

function identityOf(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Returns the stats of a path, links not followed; undefined if it is missing or unreadable. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
