import type { Io } from '../../io.ts';
import type { Clock } from '../../time.ts';
import type { RotatingLog } from './rotating-log.ts';

/**
 * The terminal of a program that has none: what it says goes into its log, each entry with the
 * local time and its offset from UTC.
 *
 * @param also where the entries go as well, without the time: a journal that keeps its own
 */
export function logIo(log: RotatingLog, clock: Clock, also?: (entry: string) => void): Io {
  const write = (entry: string) => {
    log.write(logEntry(clock.now(), entry));
    also?.(entry);
  };
  return {
    interactive: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    colour: false,
    columns: 80,
    out: write,
    err: write,
    errRaw: (text) => {
      if (text.trim() !== '') write(text.trim());
    },
    // Nobody is there to type anything.
    // eslint-disable-next-line @typescript-eslint/require-await
    readStdin: async function* () {
      yield* [];
    },
    ask: () => Promise.reject(new Error('nobody can be asked: this runs in the background')),
  };
}

/** An entry as the log has it; further lines of it are indented, so that none looks like another. */
export function logEntry(now: number, entry: string): string {
  return `${localTime(now)} ${entry.replace(/\r?\n/g, '\n    ')}`;
}

/** ISO 8601 in this machine's zone, to the second: `2026-02-15T18:30:00+01:00`. */
function localTime(now: number): string {
  const offset = -new Date(now).getTimezoneOffset();
  const local = new Date(now + offset * 60_000).toISOString().slice(0, 19);
  const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}
