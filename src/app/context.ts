import type { Context } from '../base/context.ts';
import { attempt } from '../base/errors.ts';
import { type GlobalFlags, type Output, createOutput } from '../terminal/output.ts';
import { realPath } from '../system/executables.ts';
import { takeEnvironment } from '../system/environment.ts';
import { terminalFeatures } from '../terminal/features.ts';
import { type Io, standardStreams, systemIo } from '../terminal/io.ts';
import { findMachineZone } from '../system/machine-zone.ts';
import type { Env } from '../base/env.ts';
import type { Clock } from '../base/time.ts';
import { systemConfigFile } from '../config/paths.ts';
import { systemClock, loadOs } from '../system/this-process.ts';

/** The input of every command: the outside world, the common flags, and its output. */
export interface AppContext extends Context, System {
  readonly flags: GlobalFlags;
  readonly output: Output;
}

/** Builds the context of one command, which prints to `system.io`. */
export function createContext(system: System, flags: GlobalFlags): AppContext {
  const output = createOutput(system.io, flags, system.clock);
  return {
    ...system,
    flags,
    output,
    random: Math.random,
    trace: (line) => output.detail(line),
    warn: (text) => output.warn(text),
  };
}

/** The outside world. Tests replace it; no other module reads `process.env`. */
export interface System {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly io: Io;
  /** Aborted by Ctrl-C and SIGTERM, with a `SyncError` `INTERRUPTED`. */
  readonly signal: AbortSignal;
  /** The zone of this machine, such as `Europe/Berlin`. Throws a `SyncError` `CONFIG` if it is unknown. */
  readonly machineZone: () => string;
  /**
   * Opens a page in the user's browser. Rejects if no browser starts. Every user of this machine can
   * read the address in the list of processes.
   */
  readonly openBrowser: (url: string) => Promise<void>;
  readonly systemConfigFile: string;
  /** The built program's folder, with the files that child processes run. */
  readonly programDir: string;
}

/** Returns the system's home folder of the user, for an environment without HOME; '' if none. */
function homeOfUser(): string {
  const { homedir, userInfo } = loadOs();
  return attempt(() => homedir() || userInfo().homedir) ?? '';
}

/** Returns the current folder. If it was deleted, nothing is found at the path, which most shells know. */
function currentFolder({ PWD: path }: Env): string {
  const known = path?.startsWith('/') === true ? path : '/(deleted folder)';
  return attempt(() => process.cwd()) ?? known;
}

/** @param onLost called once, if results cannot be written to stdout */
export function thisSystem(signal: AbortSignal, onLost: (error: Error) => void): System {
  const env = takeEnvironment(process.env, process.platform);
  return {
    env,
    platform: process.platform,
    homeDir: env['HOME'] || homeOfUser(),
    cwd: currentFolder(env),
    clock: systemClock,
    io: systemIo(standardStreams(), terminalFeatures(env, process.platform), onLost),
    signal,
    machineZone: () => machineZone(env),
    openBrowser: async (url) => {
      const { default: open } = await import('open');
      const child = await open(url);
      // `open` reports a missing opener as an event of the child, after it returned.
      child.on('error', () => undefined);
    },
    systemConfigFile: systemConfigFile(env, process.platform),
    programDir: import.meta.dirname,
  };
}

/** Returns the zone of this machine. @throws SyncError `CONFIG` if it is unknown */
export function machineZone(env: Env): string {
  return findMachineZone({
    tz: env['TZ'],
    resolved: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    localtime: () => realPath('/etc/localtime'),
  });
}

/** Returns the environment of a process that is not ours, unchanged. */
export function hostEnvironment(): Env {
  return process.env;
}
