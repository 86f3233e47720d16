import { basename, dirname, join } from 'node:path';
import type { RemoteStat } from '../../devices/remote/protocol.ts';
import type { RemoteReader } from '../../devices/remote/reader.ts';
import { PEEK_BYTES } from '../../fit/envelope.ts';
import { type WalkResult, stampOf } from '../../inputs/find-files.ts';
import { ODD_NAME, isActivityName, isSearchedFolder } from '../../inputs/recording-names.ts';
import { sameStamp } from '../../ledger/known-files.ts';
import { ChildError } from '../../system/child-call.ts';
import { isOnMtp, mtpMountOf } from '../../system/mtp-path.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { capital } from '../../terminal/words.ts';
import { MAX_RECORDING_BYTES, STILL_WRITTEN } from '../../upload/read-recording.ts';
import type { Observation } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import type { FoundFile } from '../send/intake.ts';
import { type FileProblem, problemOfFile } from './classify.ts';
import { BATCH, type FolderReader } from './folder-reader.ts';

/** Shortest interval between two probes (ms). */
const PROBE_MS = 5_000;
/** First pause after a device failed, and the longest (ms). */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Largest share of the time that listing takes: other programs use the device, too. */
const LISTING_SHARE = 1 / 10;
/** Interval at which the sizes of all files are read again (ms). */
const SIZES_MS = 10 * 60_000;

export type RemoteFolderParts = Pick<WatchParts, 'clock' | 'names' | 'readers' | 'signal'>;

/**
 * A folder on a device, a network or a FUSE mount. A child process for each mount makes every call, since any call
 * may hang. Times are in ms of the monotonic clock.
 */
export class RemoteFolder implements FolderReader {
  readonly reported = new Set<string>();
  /** A device over MTP tells no times, and each status costs a call on it: only new names are asked for. */
  readonly isOnMtp: boolean;
  /** Files without a stated size that were read and are not whole; the ledger does not know them. */
  readonly tried = new Set<string>();
  /** It is rescanned, which shows more than a probe. */
  isBusy = false;
  /** How long listing took, the last time and the one before (ms). A single slow listing was a file system that hung. */
  #listingMs: readonly [number, number] = [0, 0];
  #stats = new Map<string, RemoteStat>();
  #sizesReadAt = -Infinity;
  #wasThere = false;
  #identity = 'mtp';
  /** Probes and rescans in a row that failed. */
  #failures = 0;
  /** Probes before this time get the last observation. */
  #probeAgainAt = -Infinity;
  #last: Observation | undefined;
  readonly #path: string;
  readonly #parts: RemoteFolderParts;
  readonly #reader: RemoteReader;

  constructor(path: string, parts: RemoteFolderParts) {
    this.#path = path;
    this.#parts = parts;
    this.#reader = parts.readers.of(path);
    this.isOnMtp = isOnMtp(path);
  }

  /** Pause until the next rescan (ms). @param pollMs the shortest */
  pauseMs(pollMs: number): number {
    const pauseMs = Math.min(...this.#listingMs) / LISTING_SHARE;
    return Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, pauseMs));
  }

  async probe(): Promise<Observation | undefined> {
    const { clock, signal } = this.#parts;
    if (this.isBusy) return undefined;
    if (clock.monotonic() < this.#probeAgainAt) return this.#last;
    try {
      // The final part of the path may be a link.
      const [found] = await this.#reader.stat([`${this.#path}/.`], signal);
      if (found === undefined) return this.#missing();
      if (found.kind !== 'folder') return this.#missing('It is a file.');
      if (!this.isOnMtp) {
        await this.#reader.open(this.#path, signal);
        this.#identity = found.identity;
      }
      this.#wasThere = true;
      this.#probeAgainAt = clock.monotonic() + PROBE_MS;
      return (this.#last = { identity: this.#identity });
    } catch (error) {
      if (signal.aborted) return undefined;
      return this.failed(error);
    }
  }

  /** Makes the next probe at once: the folder may be back soon. */
  probeSoon(): void {
    this.#probeAgainAt = -Infinity;
  }

  async *list(again: ReadonlySet<string>, signal: AbortSignal): AsyncGenerator<WalkResult[]> {
    const { clock } = this.#parts;
    const startedAt = clock.monotonic();
    if (startedAt - this.#sizesReadAt >= SIZES_MS) {
      this.#stats.clear();
      this.#sizesReadAt = startedAt;
    }
    const found = await this.#search(again, signal);
    this.#listingMs = [clock.monotonic() - startedAt, this.#listingMs[0]];
    this.#wasThere = true;
    found.sort((a, b) => (a.path < b.path ? -1 : 1));
    for (let from = 0; from < found.length; from += BATCH) yield found.slice(from, from + BATCH);
  }

  async #search(again: ReadonlySet<string>, signal: AbortSignal): Promise<WalkResult[]> {
    const before = this.#stats;
    this.#stats = new Map();
    const owners = this.#parts.names.owners.get(this.#path);
    const results: WalkResult[] = [];
    const folders = [this.#path];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const paths = await this.#names(folder, results, signal);
      const isUnknown = (path: string) => !this.isOnMtp || !before.has(path) || again.has(path);
      const unknown = paths.filter(isUnknown);
      const stats = await this.#reader.stat(unknown, signal);
      const found = new Map(unknown.map((path, index) => [path, stats[index]]));
      let isForeignSaid = false;
      for (const path of paths) {
        const stat = found.has(path) ? found.get(path) : before.get(path);
        if (stat === undefined) {
          // Such a byte became this character, so that no file has this name.
          if (!this.isOnMtp && path.includes('\uFFFD')) results.push(problem(path, ODD_NAME));
          continue;
        }
        this.#stats.set(path, stat);
        if (stat.kind === 'folder') folders.push(path);
        if (stat.kind !== 'file' || !isActivityName(basename(path))) continue;
        if (owners?.includes(stat.owner) === false) {
          if (!isForeignSaid) results.push(problem(folder, foreignFile(path, stat.owner)));
          isForeignSaid = true;
          continue;
        }
        const stamp = this.isOnMtp ? { size: stat.size, mtimeMs: 0, ctimeMs: 0 } : stampOf(stat);
        results.push({ found: 'file', path, stamp });
      }
    }
    return results;
  }

  /** Returns the paths in a folder that may be recordings or folders. A subfolder may vanish. */
  async #names(
    folder: string,
    results: WalkResult[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    try {
      const names = await this.#reader.list(folder, signal);
      return names
        .filter((name) => isActivityName(name) || isSearchedFolder(name))
        .map((name) => join(folder, name));
    } catch (error) {
      if (!(error instanceof ChildError) || folder === this.#path) throw error;
      if (error.code === 'ENOENT') return [];
      if (this.isOnMtp || !['EACCES', 'EPERM'].includes(error.code)) throw error;
      results.push(problem(folder, describeFileError(error)));
      return [];
    }
  }

  /**
   * Reads a whole file, and its beginning before that if the file may still grow.
   *
   * @returns the bytes, or why they are no recording; `failure`: others may fail, too. Undefined if the file is gone
   * @throws ChildError if the device failed
   */
  async read({
    path,
    stamp,
  }: FoundFile): Promise<Buffer | (FileProblem & { readonly failure?: ChildError }) | undefined> {
    const { signal } = this.#parts;
    try {
      // A device over MTP may give out whole files only, which do not grow.
      if (!this.isOnMtp) {
        const head = await this.#reader.peek(path, PEEK_BYTES, signal);
        const wrong = problemOfFile({ path, stamp }, { head });
        if (wrong !== undefined) return wrong;
      }
      const bytes = await this.#reader.read(path, MAX_RECORDING_BYTES, signal);
      if (stamp.size > 0 && bytes.length !== stamp.size) {
        throw new ChildError('EIO', `The device sent ${bytes.length} of ${stamp.size} bytes.`);
      }
      const [after] = this.isOnMtp ? [] : await this.#reader.stat([path], signal);
      const isSame = after === undefined || sameStamp(after, stamp);
      return isSame ? bytes : { reason: 'incomplete', detail: STILL_WRITTEN };
    } catch (error) {
      if (!(error instanceof ChildError) || isAboutDevice(error)) throw error;
      // If the device was unplugged, its folder is gone too.
      const [parent] = await this.#reader.stat([dirname(path)], signal);
      if (parent === undefined) throw new ChildError('ENOENT', error.message);
      if (error.code === 'ENOENT') return undefined;
      return { reason: 'unreadable', detail: describeFileError(error), failure: error };
    }
  }

  /** Records that a rescan succeeded. */
  succeeded(): Observation {
    this.#failures = 0;
    return { identity: this.#identity };
  }

  /** Records a failure of the device. Pauses grow: a call on a device that hangs costs a process. */
  failed(error: unknown): Observation {
    if (!(error instanceof ChildError)) throw error;
    if (isUnplugged(error)) return this.#missing();
    const isSilent = error.code === 'ETIMEDOUT';
    const observation = this.#missing(reasonOf(error, this.#title), isSilent);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#probeAgainAt = this.#parts.clock.monotonic() + pauseMs;
    this.#failures++;
    return observation;
  }

  /** Records that the folder is missing. @param reason absent: the device was unplugged */
  #missing(reason?: string, isSilent = false): Observation {
    this.#probeAgainAt = this.#parts.clock.monotonic() + PROBE_MS;
    this.#stats.clear();
    this.tried.clear();
    const neverThere =
      this.#wasThere || !this.isOnMtp ? undefined : `${this.#title} is not plugged in.`;
    return (this.#last = { missing: reason ?? neverThere, ...(isSilent ? { isSilent } : {}) });
  }

  /** The name of the device, for the start of a sentence. */
  get #title(): string {
    return capital(mtpMountOf(this.#path)?.title ?? 'the file system');
  }
}

function problem(path: string, message: string): WalkResult {
  return { found: 'problem', path, problem: message, isGone: false };
}

function foreignFile(path: string, owner: number): string {
  return `It has files of another user (uid ${owner}), such as ${basename(path)}. On a device that sync found, only files of you and root are sent. If they are yours, name the folder.`;
}

/** Returns whether the device left. */
function isUnplugged({ code }: ChildError): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ECONNABORTED'].includes(code);
}

/** Returns whether every other file would fail in the same way. */
function isAboutDevice(error: ChildError): boolean {
  const others = ['ETIMEDOUT', 'EBUSY', 'ENOTSUP', 'EOPNOTSUPP'];
  return others.includes(error.code) || (isUnplugged(error) && error.code !== 'ENOENT');
}

/** Returns why a device cannot be read, as a sentence. */
function reasonOf(error: ChildError, device: string): string {
  switch (error.code) {
    case 'ETIMEDOUT':
      return `${device} does not answer.`;
    case 'EBUSY':
      return `${device} is busy: another program uses it.`;
    case 'EACCES':
    case 'EPERM':
      return describeFileError(error);
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
      return `${device} gives out whole files only: copy its recordings with the file manager, into a folder that is watched.`;
    default:
      return `${device} cannot be read (${error.message}).`;
  }
}
