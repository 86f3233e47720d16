import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sha256 } from '../../support/acceptance.ts';

/**
 * How long a recording must lie unchanged while a watcher runs to be due (ms). The longest pause that
 * docs/watch.md names is that before a mount over the folder is noticed: 10 s.
 */
export const DUE_MS = 25_000;

/** A recording that lies complete under a path. `since`: monotonic (ms). */
interface Stay {
  readonly hash: string;
  since: number;
}

/** What one watched folder holds, and which of its recordings must arrive. */
export class Shelf {
  readonly dir: string;
  /** Hashes of the recordings in each file that was made for this session, by that of the file. */
  readonly #files: ReadonlyMap<string, readonly string[]>;
  readonly #stays = new Map<string, Stay>();
  readonly #due = new Set<string>();
  /** Recordings that came many at once. */
  readonly #batch = new Set<string>();
  #isWatched = false;

  constructor(dir: string, files: ReadonlyMap<string, readonly string[]>) {
    this.dir = dir;
    this.#files = files;
  }

  /** Hashes of the recordings that must arrive: those that stayed long enough, and those that are there. */
  due(): ReadonlySet<string> {
    const now = performance.now();
    for (const [path, { hash }] of this.#stays) {
      if (hashOf(path) === hash) this.#due.add(hash);
    }
    this.#endStays(() => true, now);
    return new Set([...this.#due].flatMap((hash) => this.#files.get(hash) ?? []));
  }

  /** A watcher runs and has looked at everything. */
  watched(): void {
    this.#isWatched = true;
    for (const stay of this.#stays.values()) stay.since = performance.now();
  }

  /** The watcher is about to end or to be stopped. */
  unwatched(): void {
    this.#endStays(() => true, performance.now());
    this.#isWatched = false;
  }

  /** The file is about to change, to move or to go. Also for a folder with files. */
  leaves(path: string): void {
    const isAt = (each: string) => each === path || each.startsWith(`${path}/`);
    this.#endStays(isAt, performance.now());
    for (const each of [...this.#stays.keys()].filter(isAt)) this.#stays.delete(each);
  }

  /** Takes in what lies at a path now, if it is a recording that has to be sent. */
  arrived(path: string): void {
    const hash = isWanted(path.slice(this.dir.length)) ? hashOf(path) : undefined;
    if (hash === undefined || !this.#files.has(hash)) return;
    if (this.#stays.get(path)?.hash === hash) return;
    this.#stays.set(path, { hash, since: performance.now() });
  }

  /**
   * Takes in many recordings that came at once. On a busy machine, two hundred take longer than
   * {@link DUE_MS}: while the watcher has not named all that lie there, no stay counts.
   */
  arrivedAtOnce(paths: readonly string[]): void {
    for (const path of paths) {
      this.arrived(path);
      const hash = this.#stays.get(path)?.hash;
      if (hash !== undefined) this.#batch.add(hash);
    }
  }

  /** Begins every stay anew while the watcher is behind. Called every second. @param named by its lines */
  waitForBatch(named: () => ReadonlySet<string>): void {
    if (this.#batch.size === 0) return;
    const known = named();
    const stays = [...this.#stays.values()];
    if (!stays.some(({ hash }) => this.#batch.has(hash) && !known.has(hash))) return;
    for (const stay of stays) stay.since = performance.now();
  }

  /** Takes in all files of the folder, after another one has taken its place. */
  look(): void {
    for (const path of filesBelow(this.dir)) this.arrived(path);
  }

  #endStays(isAt: (path: string) => boolean, now: number): void {
    for (const [path, stay] of this.#stays) {
      if (!isAt(path)) continue;
      if (this.#isWatched && now - stay.since >= DUE_MS) this.#due.add(stay.hash);
      stay.since = now;
    }
  }
}

/** The names that docs/watch.md promises to send, below a watched folder. */
function isWanted(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.pop() ?? '';
  const isSkipped = (part: string) => part.startsWith('.') || /^(tempfit|newfiles)$/i.test(part);
  return /\.(fit|gpx|tcx)(\.gz)?$/i.test(name) && !isSkipped(name) && !parts.some(isSkipped);
}

/** Returns the hash of a file, unpacked; undefined if there is no file that can be read. */
function hashOf(path: string): string | undefined {
  try {
    if (!lstatSync(path).isFile()) return undefined;
    const bytes = readFileSync(path);
    return sha256(/\.gz$/i.test(path) ? gunzipSync(bytes) : bytes);
  } catch {
    return undefined;
  }
}

function filesBelow(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
