import { fstatSync, statSync, writeSync } from 'node:fs';
import type { IoStreams, LineStream } from './io.ts';

/**
 * Returns the streams of the process, each created at its first use. A file at stdout is written without
 * Node's streams, which take 2 ms to load.
 */
export function standardStreams(): IoStreams {
  let stdout: LineStream | undefined;
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= isFile(1) ? new FileStream(1) : process.stdout);
    },
    get stderr() {
      return process.stderr;
    },
  };
}

/** Returns whether a descriptor is a terminal. Only a device may be one: `node:tty` takes 3 ms to load. */
export function isTerminal(fd: number): boolean {
  const stats = statsOf(fd);
  if (stats !== undefined && (!stats.isCharacterDevice() || isNullDevice(stats))) return false;
  return process.getBuiltinModule('node:tty').isatty(fd);
}

function isFile(fd: number): boolean {
  const stats = statsOf(fd);
  return stats !== undefined && (stats.isFile() || isNullDevice(stats));
}

type Stats = ReturnType<typeof fstatSync>;

function statsOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd);
  } catch {
    // It is closed.
    return undefined;
  }
}

function isNullDevice(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null', NOT_ON_WINDOWS)?.rdev;
}

const NOT_ON_WINDOWS = { throwIfNoEntry: false } as const;

/** A descriptor that never lets its writer wait. After an error, nothing more is written. */
class FileStream implements LineStream {
  readonly columns = undefined;
  readonly #fd: number;
  #onError: (error: NodeJS.ErrnoException) => void = () => undefined;
  #failed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  on(_event: 'error', listener: (error: NodeJS.ErrnoException) => void): void {
    this.#onError = listener;
  }

  write(text: string): void {
    try {
      for (let rest = Buffer.from(text); rest.length > 0 && !this.#failed;) {
        rest = rest.subarray(writeSync(this.#fd, rest));
      }
    } catch (error) {
      this.#failed = true;
      this.#onError(error as NodeJS.ErrnoException);
    }
  }
}
