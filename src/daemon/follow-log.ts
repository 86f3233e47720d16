import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { systemCode } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { LOG_LIMITS, agedLog } from './rotating-log.ts';

/** Reads a log that another process writes and puts aside meanwhile (`rotating-log.ts`). */
export interface LogReader {
  /** The last lines written so far, at most `count`; older logs are looked into where needed. */
  last(count: number): string[];
  /**
   * Hands on every line that follows on the last ones, across any number of changes of the log,
   * until the signal is aborted. A log that does not exist yet is waited for.
   */
  follow(onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** May be called twice. */
  close(): void;
}

/** How often a log that is followed is looked at, in ms. */
const LOOK_MS = 100;
const CHUNK = 64 * 1024;

/** A log that is open, and how far it has been read. */
interface OpenLog {
  readonly fd: number;
  readonly inode: bigint;
}

/** @param files as many logs as the writer keeps */
export function openLogReader(path: string, clock: Clock, files = LOG_LIMITS.files): LogReader {
  let current: OpenLog | undefined;
  const decoder = new StringDecoder('utf8');
  let unfinished = '';
  const buffer = Buffer.allocUnsafe(CHUNK);

  const close = () => {
    if (current !== undefined) closeSync(current.fd);
    current = undefined;
  };
  /** Whole lines from where the last reading ended to the end of the open log. */
  const readOn = (onLine: (line: string) => void) => {
    if (current === undefined) return;
    for (let read; (read = readSync(current.fd, buffer, 0, CHUNK, null)) > 0;) {
      const lines = (unfinished + decoder.write(buffer.subarray(0, read))).split('\n');
      unfinished = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
  const ages = Array.from({ length: files }, (_, age) => age);
  /** How many logs back the open one is by now; undefined: it is gone, or none was ever open. */
  const ageOfCurrent = () =>
    current && ages.find((age) => inodeOf(agedLog(path, age)) === current?.inode);
  /** Opens the log that comes after the open one, if there is one. */
  const advance = (): boolean => {
    for (;;) {
      const age = ageOfCurrent();
      if (age === 0) return false;
      // No longer there, or not yet: what is oldest comes next.
      const next =
        age === undefined
          ? ages.findLast((older) => inodeOf(agedLog(path, older)) !== undefined)
          : age - 1;
      if (next === undefined) return false;
      const opened = open(agedLog(path, next));
      if (opened === undefined) return false;
      // Logs may have moved on while this one was being opened: then look again.
      if (age === ageOfCurrent() && inodeOf(agedLog(path, next)) === opened.inode) {
        close();
        current = opened;
        return true;
      }
      closeSync(opened.fd);
    }
  };

  return {
    last(count) {
      for (;;) {
        close();
        let lines: string[] = [];
        unfinished = '';
        // Between two logs there is none for a moment, or for ever if the writer died just then.
        const newest = ages.find((age) => (current = open(agedLog(path, age))) !== undefined);
        if (newest === undefined) return [];
        readOn((line) => lines.push(line));
        for (let age = newest + 1; age < files && lines.length < count; age++) {
          lines = [...wholeLines(agedLog(path, age)), ...lines];
        }
        // Moved on while the older ones were read: some lines would be there twice.
        if (ageOfCurrent() === newest) return count === 0 ? [] : lines.slice(-count);
      }
    },
    async follow(onLine, signal) {
      while (!signal.aborted) {
        readOn(onLine);
        if (current === undefined || inodeOf(path) !== current.inode) {
          // What was written between the last reading and the change.
          readOn(onLine);
          if (advance()) continue;
        }
        await clock.sleep(LOOK_MS, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      }
    },
    close,
  };
}

function open(path: string): OpenLog | undefined {
  try {
    const fd = openSync(path, 'r');
    return { fd, inode: fstatSync(fd, { bigint: true }).ino };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function wholeLines(path: string): string[] {
  const log = open(path);
  if (log === undefined) return [];
  try {
    const { size } = fstatSync(log.fd);
    const bytes = Buffer.alloc(size);
    const read = readSync(log.fd, bytes, 0, size, 0);
    return bytes.toString('utf8', 0, read).split('\n').slice(0, -1);
  } finally {
    closeSync(log.fd);
  }
}
