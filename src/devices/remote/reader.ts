import { ChildCaller, ChildError, type ChildOptions } from '../../system/child-call.ts';
import { placeOf } from '../../system/mounts.ts';
import type { RemoteAnswer, RemoteRequest, RemoteStat } from './protocol.ts';

/** The built file of the child process that makes the calls. */
export const REMOTE_CHILD = 'remote-child.cjs';

/**
 * Longest silence of the child (ms), the limit that GVfs has for a call. Listing a folder is one call,
 * for which GVfs asks the device about each file.
 */
const SILENCE_MS = 60_000;
/** The same for other file systems: a disk may have to spin up first (ms). */
const DISK_SILENCE_MS = 30_000;

export interface RemoteReaderOptions extends ChildOptions {
  /** Longest silence of the child (ms); absent: as long as GVfs waits. */
  readonly silenceMs?: number | undefined;
}

/** Reads one mount that may hang (MTP, FUSE, NAS), through a child process, one call at a time. */
export class RemoteReader {
  readonly #child: ChildCaller<RemoteRequest, RemoteAnswer>;
  readonly #silenceMs: number;

  constructor({ silenceMs = SILENCE_MS, ...child }: RemoteReaderOptions) {
    this.#child = new ChildCaller(child);
    this.#silenceMs = silenceMs;
  }

  /**
   * Returns the names in a folder.
   *
   * @throws ChildError; the signal's reason if it is aborted. So do all methods.
   */
  async list(folder: string, signal: AbortSignal): Promise<readonly string[]> {
    let names: readonly string[] = [];
    await this.#ask({ do: 'list', folder }, signal, (answer) => {
      if (answer.answer === 'names') names = answer.names;
    });
    return names;
  }

  /** Returns the status of each path, links not followed; undefined for a path that does not exist. */
  async stat(
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (RemoteStat | undefined)[]> {
    const stats: (RemoteStat | undefined)[] = [];
    await this.#ask({ do: 'stat', paths }, signal, (answer) => {
      if (answer.answer === 'stats') stats.push(...answer.stats);
    });
    return stats;
  }

  /** Throws if this user may not read a folder. */
  async open(folder: string, signal: AbortSignal): Promise<void> {
    await this.#ask({ do: 'open', folder }, signal, () => undefined);
  }

  /** Returns the beginning of a file. */
  async peek(path: string, bytes: number, signal: AbortSignal): Promise<Buffer> {
    return await this.#bytes({ do: 'peek', path, bytes }, signal);
  }

  /** Reads a file once. @param bytes upper bound for its size */
  async read(path: string, bytes: number, signal: AbortSignal): Promise<Buffer> {
    return await this.#bytes({ do: 'read', path, bytes }, signal);
  }

  /** Ends the child. */
  close(): void {
    this.#child.close();
  }

  async #bytes(request: RemoteRequest, signal: AbortSignal): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    await this.#ask(request, signal, (answer) => {
      if (answer.answer === 'bytes') chunks.push(answer.bytes);
    });
    return Buffer.concat(chunks);
  }

  async #ask(
    request: RemoteRequest,
    signal: AbortSignal,
    onPart: (answer: RemoteAnswer) => void,
  ): Promise<void> {
    const take = (answer: RemoteAnswer) => {
      if (answer.answer === 'failed') return new ChildError(answer.code ?? 'EIO', answer.message);
      onPart(answer);
      return answer.answer === 'done';
    };
    await this.#child.ask({ request, take, silenceMs: () => this.#silenceMs }, signal);
  }
}

/** The readers of all mounts that may hang: one for each, since a device over MTP serves one reader at a time. */
export class RemoteReaders {
  readonly #options: RemoteReaderOptions;
  readonly #readers = new Map<string, RemoteReader>();

  constructor(options: RemoteReaderOptions) {
    this.#options = options;
  }

  /** Returns the reader of the mount that a path is on. @param path absolute */
  of(path: string): RemoteReader {
    const { point, kind } = placeOf(path);
    const limits = kind === 'mtp' ? {} : { silenceMs: DISK_SILENCE_MS };
    const reader = this.#readers.get(point) ?? new RemoteReader({ ...limits, ...this.#options });
    this.#readers.set(point, reader);
    return reader;
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }
}
