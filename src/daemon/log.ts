import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { systemCode } from '../base/errors.ts';
import { printableLines } from '../base/printable.ts';
import type { Clock } from '../base/time.ts';
import { makeStateFolder, storageError } from '../system/storage.ts';
import type { Io } from '../terminal/io.ts';
import { wallTime } from '../terminal/words.ts';

/** Largest size of a log (bytes). A log that would exceed it is renamed to `.1`. */
const MAX_BYTES = 5_000_000;
/** How often `sync daemon logs -f` checks a log (ms). */
const FOLLOW_MS = 100;

export type Log = Readonly<ReturnType<typeof openLog>>;

/** Opens the log at `path`; one older file is kept beside it. @throws SyncError `STORAGE` */
export function openLog(path: string, maxBytes = MAX_BYTES) {
  const append = (text: string) => appendFileSync(path, text, { mode: 0o600 });
  makeStateFolder(dirname(path));
  try {
    append('');
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
  let lost = 0;
  return {
    /**
     * Appends lines, without control sequences. Never throws: a full disk costs lines, and the log says
     * later how many.
     */
    write(lines: string): void {
      const note = lost === 0 ? '' : `(${lost} entries could not be written here)\n`;
      const text = printableLines(`${note}${lines}\n`);
      try {
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (size > 0 && size + Buffer.byteLength(text) > maxBytes) putAside(path);
        append(text);
        lost = 0;
      } catch {
        lost++;
      }
    },
  };
}

function putAside(path: string): void {
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // Another program has it open (Windows): the log grows until that ends.
  }
}

/** Reads a log that another process appends to. */
export class LogReader {
  readonly #path: string;
  readonly #clock: Clock;
  #inode: bigint | undefined;
  /** Bytes of the file that were read: whole lines. */
  #offset = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Returns the last lines, at most `count`. */
  last(count: number): string[] {
    const lines: string[] = [];
    const take = (line: string) => lines.push(line);
    this.#read(`${this.#path}.1`, take);
    this.#read(this.#path, take);
    return count === 0 ? [] : lines.slice(-count);
  }

  /** Passes on every further line until the signal is aborted. Waits for a log that does not exist. */
  async follow(onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino;
      // Lines that were appended before the log was put aside.
      if (this.#inode !== undefined && now !== this.#inode)
        this.#read(`${this.#path}.1`, onLine, true);
      this.#read(this.#path, onLine);
      await this.#clock.sleep(FOLLOW_MS, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** Reads whole lines from the last position, or from the start of another file. */
  #read(path: string, onLine: (line: string) => void, onlySame = false): void {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      throw error;
    }
    try {
      const { ino, size } = fstatSync(descriptor, { bigint: true });
      if (onlySame && ino !== this.#inode) return;
      if (ino !== this.#inode || Number(size) < this.#offset) {
        this.#inode = ino;
        this.#offset = 0;
      }
      const bytes = Buffer.alloc(Number(size) - this.#offset);
      const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, this.#offset));
      const whole = read.subarray(0, read.lastIndexOf('\n') + 1);
      this.#offset += whole.length;
      whole.toString().split('\n').slice(0, -1).forEach(onLine);
    } finally {
      closeSync(descriptor);
    }
  }
}

/**
 * Returns the terminal of a program in the background: output goes to the log, each entry with the
 * local time.
 *
 * @param also receives the entries as well: a journal that adds its own time
 */
export function logIo(log: Log, clock: Clock, also?: (entry: string) => void): Io {
  const write = (entry: string) => {
    log.write(logEntry(clock.now(), entry));
    also?.(entry);
  };
  return {
    interactive: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    unicode: true,
    redraws: false,
    stdoutColumns: 0,
    stderrColumns: 0,
    unread: new AbortController().signal,
    out: write,
    err: write,
    spin: () => () => undefined,
    readStdin: () => Readable.from([]),
    ask: () => Promise.reject(new Error('a background process cannot ask')),
  };
}

/**
 * Formats a log entry: the time, unless the entry begins with one, and further lines indented, so
 * that none looks like an entry.
 */
export function logEntry(now: number, entry: string): string {
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/.test(entry)
    ? ''
    : `${wallTime(new Date(now))}  `;
  return `${time}${entry.replace(/\r?\n/g, '\n    ')}`;
}
