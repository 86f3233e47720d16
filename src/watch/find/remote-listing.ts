import { basename, join } from 'node:path';
import type { Device } from '../../devices/types.ts';
import type { RemoteStat } from '../../devices/remote/protocol.ts';
import { ChildError } from '../../system/child-call.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import { describeFileError } from '../../system/plain-file.ts';
import type { RemoteReader } from '../../devices/remote/reader.ts';
import { ODD_NAME, isActivityName, isSearchedFolder } from '../../inputs/recording-names.ts';
import { stampOf } from '../../inputs/find-files.ts';
import type { FoundFile } from '../send/intake.ts';

export interface ListingProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Lists the recordings in a folder that a child process reads. Over MTP, each status costs a call on the device, so
 * that only new names are asked for, and all names after {@link RemoteListing.forget}.
 */
export class RemoteListing {
  readonly #folder: string;
  readonly #reader: RemoteReader;
  readonly #isOnMtp: boolean;
  readonly #onProblem: (problem: ListingProblem) => void;
  /** Paths whose problem was reported. */
  readonly #reported = new Set<string>();
  #stats = new Map<string, RemoteStat>();

  constructor(
    folder: string,
    reader: RemoteReader,
    onProblem: (problem: ListingProblem) => void = () => undefined,
  ) {
    this.#folder = folder;
    this.#isOnMtp = isOnMtp(folder);
    this.#reader = reader;
    this.#onProblem = onProblem;
  }

  /**
   * Returns the files named like recordings, at any depth, sorted by path.
   *
   * @param again paths whose size may have changed
   * @param owners user IDs whose files count; undefined if all do
   * @throws ChildError; the signal's reason if it is aborted
   */
  async read(
    again: ReadonlySet<string>,
    owners: Device['owners'],
    signal: AbortSignal,
  ): Promise<readonly FoundFile[]> {
    const before = this.#stats;
    this.#stats = new Map();
    const files: FoundFile[] = [];
    const folders = [this.#folder];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const paths = await this.#list(folder, signal);
      const unknown = paths.filter(
        (path) => !this.#isOnMtp || !before.has(path) || again.has(path),
      );
      const stats = await this.#reader.stat(unknown, signal);
      const found = new Map(unknown.map((path, index) => [path, stats[index]]));
      for (const path of paths) {
        const stat = found.has(path) ? found.get(path) : before.get(path);
        if (stat === undefined) {
          // Such a byte became this character, so that no file has this name.
          if (!this.#isOnMtp && path.includes('\uFFFD')) this.#report(path, ODD_NAME);
          continue;
        }
        this.#stats.set(path, stat);
        if (stat.kind === 'folder') folders.push(path);
        else if (stat.kind === 'file' && isActivityName(basename(path))) {
          if (owners?.includes(stat.owner) === false) {
            this.#report(folder, foreignFile(path, stat.owner));
            continue;
          }
          files.push({
            path,
            stamp: this.#isOnMtp ? { size: stat.size, mtimeMs: 0, ctimeMs: 0 } : stampOf(stat),
            removable: true,
          });
        }
      }
    }
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Forgets the sizes of all files: the device left, or it is time to look again. */
  forget(): void {
    this.#stats.clear();
  }

  /** Returns the paths in a folder that may be recordings or folders. A subfolder may vanish. */
  async #list(folder: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const names = await this.#reader.list(folder, signal);
      return names
        .filter((name) => isActivityName(name) || isSearchedFolder(name))
        .map((name) => join(folder, name));
    } catch (error) {
      if (!(error instanceof ChildError) || folder === this.#folder) throw error;
      if (error.code === 'ENOENT') return [];
      if (this.#isOnMtp || !['EACCES', 'EPERM'].includes(error.code)) throw error;
      this.#report(folder, describeFileError(error));
      return [];
    }
  }

  #report(path: string, message: string): void {
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    this.#onProblem({ path, message });
  }
}

function foreignFile(path: string, owner: number): string {
  return `It has files of another user (uid ${owner}), such as ${basename(path)}. On a device that sync found, only files of you and root are sent. If they are yours, name the folder.`;
}
