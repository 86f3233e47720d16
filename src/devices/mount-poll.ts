import { lstat, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isOnMtp } from '../system/mtp-path.ts';
import { expandPattern } from './places.ts';
import type { MountPattern } from './types.ts';

/** Time limit for one call (ms). A mount that exceeds it gets no further call until that returns. */
const CALL_LIMIT_MS = 2_000;

/** Returns whether the system announces mounts there. It announces neither MTP mounts nor drive letters. */
export function hasEvents({ below }: MountPattern): boolean {
  return below.length > 0 && !below.some((name) => name.startsWith('mtp'));
}

/** Returns a pattern for the devices over MTP, of one for their storages. */
function withoutStorages(below: readonly string[]): readonly string[] {
  return below.some((name) => name.startsWith('mtp')) ? below.slice(0, -1) : below;
}

/** Compares the mounts at some places. A mount that hangs delays no other. */
export class MountPoll {
  readonly #patterns: readonly MountPattern[];
  /** Calls that have not returned, by their question. */
  readonly #open = new Map<string, Promise<unknown>>();
  #before: string | undefined;

  constructor(patterns: readonly MountPattern[]) {
    this.#patterns = patterns.map(({ root, below }) => ({ root, below: withoutStorages(below) }));
  }

  /** Returns whether something was mounted or unmounted since the last call; false for the first. */
  async hasChanged(): Promise<boolean> {
    const found = await Promise.all(this.#patterns.map((pattern) => this.#mounts(pattern)));
    const now = found.flat().join('\n');
    const before = this.#before ?? now;
    this.#before = now;
    return now !== before;
  }

  async #mounts(pattern: MountPattern): Promise<string[]> {
    const folders = await expandPattern(pattern, async (folder) => {
      // A device over MTP has one reader at a time: its own folders are not read.
      if (isOnMtp(folder)) return [];
      return (await this.#ask(`list ${folder}`, () => readdir(folder), [])).sort();
    });
    return await Promise.all(folders.map((folder) => this.#identified(folder)));
  }

  /** Names a folder with its file system: another one may be mounted over it. */
  async #identified(folder: string): Promise<string> {
    if (isOnMtp(folder)) return folder;
    const stats = await this.#ask(`stat ${folder}`, () => lstat(folder), undefined);
    return stats === undefined ? '' : `${folder} ${stats.dev}:${stats.ino}`;
  }

  /** Makes a call, or waits for an equal call that still hangs. @param otherwise the result without an answer */
  async #ask<T>(what: string, call: () => Promise<T>, otherwise: T): Promise<T> {
    const open = (this.#open.get(what) as Promise<T> | undefined) ?? call();
    const answer = open.catch(() => otherwise).finally(() => this.#open.delete(what));
    this.#open.set(what, open);
    const enough = new AbortController();
    const limit = delay(CALL_LIMIT_MS, otherwise, { signal: enough.signal });
    try {
      return await Promise.race([answer, limit.catch(() => otherwise)]);
    } finally {
      enough.abort();
    }
  }
}
