import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Env } from '../base/env.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { makeStateFolder } from '../system/storage.ts';
import { asError, readStartMessage } from './messages.ts';
import type { DaemonPlace } from './place.ts';

export interface LaunchOptions {
  readonly place: DaemonPlace;
  /** The program to run, and its arguments: nothing secret, everybody can read them. */
  readonly command: readonly [string, ...string[]];
  /** The daemon's environment, tokens in it included: only the user can read it. */
  readonly env: Env;
  /** Its working directory: one that is never unmounted. */
  readonly cwd: string;
  /** How long it may take until it watches, in ms. */
  readonly limitMs: number;
}

/** A first sweep over a slow disk takes its time. */
export const START_LIMIT_MS = 300_000;
/** How long a daemon that is not wanted any more may take to end, in ms, before it is killed. */
const GRACE_MS = 4_000;

/**
 * Starts a daemon: a process in a session of its own, without a terminal, that outlives this one.
 * Resolves once the daemon says that it watches.
 *
 * The daemon tells over a channel that only it and this process have; nothing is guessed from the
 * time that passes. Where it fails, is not up in time, or the signal is aborted, no process is left.
 *
 * @returns the daemon's pid
 * @throws the failure that the daemon reports; SyncError `STORAGE` if it cannot be started or died
 *   without a word, `SERVICE_UNAVAILABLE` if it is not up in time
 */
export async function launchDaemon(options: LaunchOptions, signal: AbortSignal): Promise<number> {
  const { place, env, cwd, limitMs } = options;
  const [program, ...args] = options.command;
  signal.throwIfAborted();
  makeStateFolder(place.dir);
  // What the runtime says when it falls over; what the daemon says goes to its log.
  const crash = openSync(place.crashFile, 'a', 0o600);
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', crash, crash, 'ipc'],
    windowsHide: true,
  });
  closeSync(crash);
  // Its last words may still be on their way when it is gone: the channel ends after them.
  const silent = new Promise<void>((resolve) => child.once('disconnect', resolve));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => {
      void silent.then(() => resolve(killedBy ?? `exit code ${String(code)}`));
    });
    child.once('error', (error) => resolve(messageOf(error)));
  });

  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise<number>((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      timer = setTimeout(() => reject(tooSlow(place, limitMs)), limitMs);
      child.on('message', (value) => {
        const message = readStartMessage(value);
        if (message?.state === 'watching') resolve(message.pid);
        else if (message !== undefined) reject(asError(message));
      });
      void ended.then((end) => reject(wordlessEnd(place, end)));
    });
  } catch (error) {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const killer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      child.kill('SIGTERM');
      await once(child, 'exit');
      clearTimeout(killer);
    }
    throw error;
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function tooSlow(place: DaemonPlace, limitMs: number): SyncError {
  const seconds = Math.round(limitMs / 1000);
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    `The daemon was not up after ${String(seconds)} s, and was stopped.`,
    { hint: `Its log: ${place.logFile}`, details: { log: place.logFile } },
  );
}

/** It died before it could say why: what the runtime printed is all there is. */
function wordlessEnd(place: DaemonPlace, end: string): SyncError {
  const words = lastWords(place.crashFile);
  return new SyncError(
    'STORAGE',
    `The daemon ended before it was up (${end}).${words === '' ? '' : `\n${words}`}`,
    { hint: `Its log: ${place.logFile}`, details: { log: place.logFile } },
  );
}

/** The end of what the runtime said, at most 2,000 characters. */
export function lastWords(crashFile: string): string {
  try {
    return readFileSync(crashFile, 'utf8').trim().slice(-2_000);
  } catch {
    return '';
  }
}
