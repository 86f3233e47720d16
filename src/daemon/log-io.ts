import type { Io } from '../terminal/io.ts';
import type { Clock } from '../base/time.ts';
import type { RotatingLog } from './rotating-log.ts';

/**
 * The terminal of a program that has none: what it says goes into its log, each entry with the
 * local time.
 *
 * @param also where the entries go as well: a journal that keeps its own time
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
    unread: new AbortController().signal,
    out: write,
    err: write,
    // Nobody is there to type anything.
    // eslint-disable-next-line @typescript-eslint/require-await
    readStdin: async function* () {
      yield* [];
    },
    ask: () => Promise.reject(new Error('nobody can be asked: this runs in the background')),
  };
}

/**
 * An entry as the log has it, with the time before it unless it begins with one itself. Further
 * lines are indented, so that none looks like an entry.
 */
export function logEntry(now: number, entry: string): string {
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/.test(entry) ? '' : `${localTime(now)}  `;
  return `${time}${entry.replace(/\r?\n/g, '\n    ')}`;
}

/** `2026-02-15 18:30:05`, on the clocks of this machine. */
function localTime(now: number): string {
  const offset = new Date(now).getTimezoneOffset();
  return new Date(now - offset * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}
