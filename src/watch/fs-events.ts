import { type FSWatcher, type Stats, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { messageOf, systemCode } from '../base/errors.ts';
import { isSearchedFolder } from '../upload/recording-names.ts';

export interface FolderEventsNeeds {
  /** Something happened to what has this name in this folder; it may be gone, or a folder. */
  readonly onName: (folder: string, name: string) => void;
  /** Something happened to the root itself: is it still there? */
  readonly onRoot: () => void;
  /** The system refuses: no more watches, for instance. Events can't be relied on any more. */
  readonly onFailure: (reason: string) => void;
}

/**
 * The file events below one root: one watch a folder, none for a file.
 *
 * Node's own `fs.watch`. Where it can watch a whole tree with one handle in the kernel (macOS,
 * Windows) it does; elsewhere every folder has its own, placed before the folder is read, so that
 * what comes in between is not missed. docs/watch.md has the measurements against chokidar.
 */
export class FolderEvents {
  readonly #root: string;
  readonly #recursive: boolean;
  readonly #needs: FolderEventsNeeds;
  readonly #watchers = new Map<string, Watched>();
  readonly #watch: typeof watch;
  #failed = false;

  /**
   * @param recursive one handle for the whole tree
   * @param watchWith Node's, or one that a test has in its hand
   */
  constructor(
    root: string,
    recursive: boolean,
    needs: FolderEventsNeeds,
    watchWith: typeof watch = watch,
  ) {
    this.#watch = watchWith;
    this.#root = root;
    this.#recursive = recursive;
    this.#needs = needs;
  }

  /** Watches held. */
  get count(): number {
    return this.#watchers.size;
  }

  /** Watches the root and all folders below it that are searched. */
  start(): void {
    this.cover(this.#root);
  }

  /** Watches a folder, and those below it, if they are not watched yet. */
  cover(folder: string): void {
    if (this.#failed || !this.#place(folder) || this.#recursive) return;
    for (const name of foldersIn(folder)) this.cover(join(folder, name));
  }

  /**
   * Watches this folder alone, for a walk that comes to each by itself. One that is not the folder
   * it was (something was mounted there) is watched anew.
   */
  coverOne(folder: string): void {
    if (this.#failed) return;
    const watched = this.#watchers.get(folder);
    if (watched !== undefined && folder !== this.#root && watched.identity !== identityOf(folder)) {
      this.uncover(folder);
    }
    this.#place(folder);
  }

  /**
   * A folder was made, removed, renamed or replaced: what was watched at this path is not what is
   * there now, even if it has the same inode number.
   */
  uncover(folder: string): void {
    if (this.#recursive) return;
    const below = folder + sep;
    for (const [path, { watcher }] of this.#watchers) {
      if (path !== folder && !path.startsWith(below)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  isCovered(folder: string): boolean {
    return this.#watchers.has(folder);
  }

  /** May be called twice. */
  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** @returns false: it can't be watched, and neither can what is below. */
  #place(folder: string): boolean {
    if (this.#watchers.has(folder)) return true;
    if (this.#recursive && folder !== this.#root) return true;
    try {
      const watcher = this.#watch(folder, { persistent: true, recursive: this.#recursive });
      watcher.on('change', (_kind, name) => this.#onEvent(folder, name));
      watcher.on('error', (error) => this.#onError(folder, error));
      this.#watchers.set(folder, { watcher, identity: identityOf(folder) });
      return true;
    } catch (error) {
      this.#onError(folder, error);
      return false;
    }
  }

  #onEvent(folder: string, name: string | Buffer | null): void {
    // Without a name (some platforms, some file systems) it concerns the folder.
    if (name === null) {
      this.#needs.onRoot();
      return;
    }
    const text = name.toString();
    // A folder that is removed or moved tells it under its own name.
    if (text === basename(folder)) {
      if (folder === this.#root) this.#needs.onRoot();
      else this.#needs.onName(join(folder, '..'), text);
    }
    const parents = text.split(sep);
    const last = parents.pop() ?? '';
    if (parents.every(isSearchedFolder)) this.#needs.onName(join(folder, ...parents), last);
  }

  #onError(folder: string, error: unknown): void {
    const code = systemCode(error);
    if (code === undefined) throw error;
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
    if (folder === this.#root) this.#needs.onRoot();
    // Gone, or not ours to read: the rescans say so if it matters.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code) || this.#failed) return;
    this.#failed = true;
    this.close();
    this.#needs.onFailure(
      code === 'ENOSPC' || code === 'EMFILE'
        ? 'The system gives no more file watches (on Linux: raise fs.inotify.max_user_watches).'
        : `The system cannot announce changes there (${messageOf(error)}).`,
    );
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

/** Names of the folders in a folder that are searched for recordings. Links are not followed. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isSearchedFolder(entry.name))
      .map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

/** What is at a path, links not followed. Undefined: nothing that can be seen. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
