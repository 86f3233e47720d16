import { type ChildProcess, spawn } from 'node:child_process';
import type { Env } from '../../base/env.ts';
import { childEnv } from '../../system/environment.ts';
import { mtpMountOf } from '../../system/mtp-path.ts';
import { thisProcess } from '../../system/this-process.ts';
import { type MtpAnswer, MtpError, type MtpRequest, type MtpStat } from './protocol.ts';

/** The built file of the child process that makes the calls. */
export const MTP_CHILD = 'mtp-child.cjs';

/**
 * Longest silence of the child (ms), the limit that GVfs has for a call. Listing a folder is one call,
 * for which GVfs asks the device about each file.
 */
const SILENCE_MS = 60_000;
/** The child ends after this time without a request (ms). */
const IDLE_MS = 15_000;
/** Children that hang although they were killed. With this many, no other is started. */
const MAX_ABANDONED = 3;

export interface MtpReaderOptions {
  readonly childPath: string;
  readonly env: Env;
  /** Longest silence of the child (ms); absent: as long as GVfs waits. */
  readonly silenceMs?: number | undefined;
}

/** Reads one device over MTP, through a child process, and one call at a time. */
export class MtpReader {
  readonly #options: MtpReaderOptions;
  #child: ChildProcess | undefined;
  readonly #abandoned = new Set<ChildProcess>();
  /** Resolves when the last request in the queue ends. */
  #lastSlot: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: MtpReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the names in a folder.
   *
   * @throws MtpError; the signal's reason if it is aborted. So do all methods.
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
  ): Promise<readonly (MtpStat | undefined)[]> {
    const stats: (MtpStat | undefined)[] = [];
    await this.#ask({ do: 'stat', paths }, signal, (answer) => {
      if (answer.answer === 'stat') stats.push(answer.stat);
    });
    return stats;
  }

  /** Reads a file once. @param limit upper bound for its size (bytes) */
  async read(path: string, limit: number, signal: AbortSignal): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    await this.#ask({ do: 'read', path, limit }, signal, (answer) => {
      if (answer.answer === 'bytes') chunks.push(answer.bytes);
    });
    return Buffer.concat(chunks);
  }

  /** Ends the child. */
  close(): void {
    clearTimeout(this.#idle);
    if (this.#child !== undefined) this.#abandon(this.#child);
  }

  async #ask(
    request: MtpRequest,
    signal: AbortSignal,
    take: (answer: MtpAnswer) => void,
  ): Promise<void> {
    const slot = this.#lastSlot.then(() => this.#askNow(request, signal, take));
    this.#lastSlot = slot.catch(() => undefined);
    await slot;
  }

  /** Sends a request. If the child does not answer it in full, the child is killed and left behind. */
  async #askNow(
    request: MtpRequest,
    signal: AbortSignal,
    take: (answer: MtpAnswer) => void,
  ): Promise<void> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const child = this.#child ?? this.#start();
    child.ref();
    child.channel?.ref();
    const seen = { done: false };
    const listening = new AbortController();
    let silence: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (code: string, message: string) => reject(new MtpError(code, message));
        const expectAnswer = () => {
          clearTimeout(silence);
          const { silenceMs = SILENCE_MS } = this.#options;
          silence = setTimeout(() => fail('ETIMEDOUT', 'the device does not answer'), silenceMs);
        };
        const onAnswer = (answer: MtpAnswer) => {
          expectAnswer();
          switch (answer.answer) {
            case 'done':
              seen.done = true;
              resolve();
              return;
            case 'failed':
              seen.done = true;
              fail(answer.code ?? 'EIO', answer.message);
              return;
            default:
              take(answer);
          }
        };
        const onExit = () => fail('EIO', 'the child process ended');
        const onError = (error: Error) => fail('EIO', error.message);
        child.on('message', onAnswer).once('exit', onExit).once('error', onError);
        listening.signal.addEventListener('abort', () => {
          child.off('message', onAnswer).off('exit', onExit).off('error', onError);
        });
        const onAbort = () => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { signal: listening.signal });
        expectAnswer();
        child.send(request, (error) => {
          if (error !== null) onError(error);
        });
      });
    } finally {
      clearTimeout(silence);
      listening.abort();
      if (seen.done) this.#rest(child);
      else this.#abandon(child);
    }
  }

  /** @throws MtpError if too many children hang already */
  #start(): ChildProcess {
    if (this.#abandoned.size >= MAX_ABANDONED) {
      throw new MtpError('ETIMEDOUT', 'earlier calls on the device still hang');
    }
    // In another process group: Ctrl-C at the terminal reaches only the program. Not in the user's
    // folder, which may be on the device.
    const child = spawn(thisProcess.nodePath, [this.#options.childPath], {
      env: childEnv(this.#options.env, 'session'),
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      detached: true,
      windowsHide: true,
    });
    // Without a listener, a failure to start between two requests would end the program.
    child.on('error', () => undefined);
    this.#child = child;
    return child;
  }

  /** Keeps the child for the next request, for a while. It does not keep the program from ending. */
  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#idle = setTimeout(() => this.#abandon(child), IDLE_MS);
    this.#idle.unref();
  }

  /** Kills a child without waiting for its end: in the kernel's state D it ends with its call. */
  #abandon(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    this.#abandoned.add(child);
    child.once('exit', () => this.#abandoned.delete(child));
    child.kill('SIGKILL');
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** The readers of all devices over MTP: one for each, since a device serves one reader at a time. */
export class MtpReaders {
  readonly #options: MtpReaderOptions;
  readonly #readers = new Map<string, MtpReader>();

  constructor(options: MtpReaderOptions) {
    this.#options = options;
  }

  /** Returns the reader of the device that a path is on. @param path absolute, on an MTP mount */
  of(path: string): MtpReader {
    const root = mtpMountOf(path)?.root ?? path;
    const reader = this.#readers.get(root) ?? new MtpReader(this.#options);
    this.#readers.set(root, reader);
    return reader;
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }
}
