import { type Stats, promises } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';

/** A call that got no answer in time, or that the device did not survive. */
export class NoAnswer extends Error {}

/** Codes of a mount with a device that is gone. */
const GONE = new Set(['EIO', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'ESTALE']);

/**
 * Reads mounts that may hang. Every call has a time limit, after which its thread is abandoned: only the
 * end of the process frees it.
 */
export class MountReader {
  readonly #limitMs: number;
  readonly #names = new Map<string, Promise<readonly string[] | undefined>>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Returns the names in a folder, each folder read once. Undefined if there is no such folder, or this
   * user may not read it.
   *
   * @throws NoAnswer
   */
  async names(folder: string): Promise<readonly string[] | undefined> {
    let names = this.#names.get(folder);
    if (names === undefined) {
      names = this.#attempt(async () => (await promises.readdir(folder)).sort());
      this.#names.set(folder, names);
    }
    return await names;
  }

  /** Returns what `lstat` says; undefined as for {@link names}. @throws NoAnswer */
  async stats(path: string): Promise<Stats | undefined> {
    return await this.#attempt(async () => await promises.lstat(path));
  }

  /** Returns the path without links; undefined as for {@link names}. @throws NoAnswer */
  async realPath(path: string): Promise<string | undefined> {
    return await this.#attempt(async () => await promises.realpath(path));
  }

  /**
   * Reads at most `bytes` from the beginning of a plain file, and follows no link, which could lead away
   * from the device. Undefined as for {@link names}.
   *
   * @throws NoAnswer
   */
  async head(path: string, bytes: number): Promise<Buffer | undefined> {
    return await this.#attempt(async () => {
      const stats = await promises.lstat(path);
      // A pipe in place of a file would block a thread.
      if (!stats.isFile()) return undefined;
      const file = await promises.open(path, 'r');
      try {
        const buffer = Buffer.alloc(Math.min(bytes, stats.size));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    });
  }

  async #attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NoAnswer('no answer in time')), this.#limitMs);
    });
    try {
      return await Promise.race([task(), limit]);
    } catch (error) {
      if (error instanceof NoAnswer) throw error;
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (GONE.has(code)) throw new NoAnswer(code, { cause: error });
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Returns the folders at a path below `root`, such as `Garmin/Activity`, in any letter case: FAT and MTP
 * keep the case that a device chose. Follows no links, which would lead to other files of this user.
 *
 * @throws NoAnswer
 */
export async function foldersAt(
  reader: MountReader,
  root: string,
  path: string,
): Promise<readonly string[]> {
  let found = [root];
  for (const part of path === '.' ? [] : path.toLowerCase().split('/')) {
    const next: string[] = [];
    for (const folder of found) {
      const names = (await reader.names(folder)) ?? [];
      for (const name of names.filter((each) => each.toLowerCase() === part)) {
        const below = join(folder, name);
        if ((await reader.stats(below))?.isDirectory() === true) next.push(below);
      }
    }
    found = next;
  }
  return found;
}
