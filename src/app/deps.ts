import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { realPath } from '../system/executables.ts';
import { type Io, systemIo } from '../terminal/io.ts';
import { findMachineZone } from '../system/machine-zone.ts';
import type { Env } from '../base/env.ts';
import type { Clock } from '../base/time.ts';
import { systemClock } from '../system/clock.ts';

/**
 * The outside world, as the program sees it. Everything that a test wants to hold in its hand
 * comes in here; nothing else reads `process.env`.
 */
export interface Deps {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly io: Io;
  /** Aborted by Ctrl-C and SIGTERM, with a `SyncError` `INTERRUPTED`. */
  readonly signal: AbortSignal;
  /** The zone of this machine, such as `Europe/Berlin`. Throws a `SyncError` `CONFIG` if it cannot be told. */
  readonly machineZone: () => string;
  /**
   * Shows a page in the user's browser. Rejects when no browser can be started. Every user of this
   * machine can read the address in the list of processes.
   */
  readonly openBrowser: (url: string) => Promise<void>;
  /** The built program's folder: child processes are started from files in it. */
  readonly programDir: string;
}

/** The system's own word where HOME says nothing; '' where there is none. */
function homeOfUser(): string {
  try {
    return homedir() || userInfo().homedir;
  } catch {
    return '';
  }
}

/** @param onLost told when results could not be written to stdout; once */
export function systemDeps(signal: AbortSignal, onLost: (error: Error) => void): Deps {
  const env = process.env;
  return {
    env,
    platform: process.platform,
    homeDir: env['HOME'] || homeOfUser(),
    cwd: process.cwd(),
    clock: systemClock,
    io: systemIo(process, (env['NO_COLOR'] ?? '') !== '', onLost),
    signal,
    machineZone: () =>
      findMachineZone({
        tz: env['TZ'],
        resolved: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
        localtime: () => realPath('/etc/localtime'),
      }),
    openBrowser: async (url) => {
      const { default: open } = await import('open');
      const child = await open(url);
      // `open` reports a missing opener as an event of the child, after it returned.
      child.on('error', () => undefined);
    },
    programDir: join(import.meta.dirname),
  };
}
