import { closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { makeFolder } from '../system/storage.ts';

/** How much of the past is kept. */
export interface LogLimits {
  /** A log that would grow beyond this many bytes is put aside, and a new one begun. */
  readonly maxBytes: number;
  /** Logs in all, the one being written among them. */
  readonly files: number;
}

export const LOG_LIMITS: LogLimits = { maxBytes: 1_000_000, files: 5 };

/** A log that never takes more room than its limits. */
export interface RotatingLog {
  /** Writes whole lines; they are in the file when this returns. Never throws. */
  write(lines: string): void;
  /** May be called twice. */
  close(): void;
}

/** The log's path, `age` logs back; 0 is the one being written. */
export function agedLog(path: string, age: number): string {
  return age === 0 ? path : `${path}.${String(age)}`;
}

/**
 * Opens the log at `path` to write on at its end. One process at a time: whoever holds the
 * daemon's lock.
 *
 * Old logs are renamed, never copied or cut: a reader that has one open loses nothing
 * (`follow-log.ts`). A disk that is full costs lines, which are counted and owned up to later; it
 * never stops the daemon.
 *
 * @throws what the file system says when it cannot be opened
 */
export function openRotatingLog(path: string, limits: LogLimits = LOG_LIMITS): RotatingLog {
  makeFolder(dirname(path), 0o700);
  let fd: number | undefined = openSync(path, 'a', 0o600);
  let lost = 0;

  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  /** The open log's size; nothing if somebody moved it away, or deleted it. */
  const sizeInPlace = (open: number) => {
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    const ours = fstatSync(open, { bigint: true });
    return there !== undefined && there.ino === ours.ino ? Number(ours.size) : undefined;
  };
  const append = (text: Buffer) => {
    fd ??= openSync(path, 'a', 0o600);
    let size = sizeInPlace(fd);
    if (size !== undefined && size > 0 && size + text.length > limits.maxBytes) {
      close();
      try {
        rotate(path, limits.files);
      } catch {
        // Another program has it open and does not let go (Windows): the log grows until it does.
      }
      size = undefined;
    }
    if (size === undefined) {
      close();
      fd = openSync(path, 'a', 0o600);
    }
    let written = 0;
    while (written < text.length) written += writeSync(fd, text, written);
  };

  return {
    write(lines) {
      const owned = lost === 0 ? '' : `(${String(lost)} entries could not be written here)\n`;
      try {
        append(Buffer.from(`${owned}${lines}\n`));
        lost = 0;
      } catch {
        lost++;
      }
    },
    close,
  };
}

/** Moves every log one place back; the oldest is gone. */
function rotate(path: string, files: number): void {
  rmSync(agedLog(path, files - 1), { force: true });
  for (let age = files - 2; age >= 0; age--) {
    try {
      renameSync(agedLog(path, age), agedLog(path, age + 1));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
}
