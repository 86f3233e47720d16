import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Env } from '../base/env.ts';
import { type ErrorCode, SyncError, attempt, messageOf } from '../base/errors.ts';
import { linesOf, phrase, renderText } from '../base/phrase.ts';
import { childEnv } from '../system/environment.ts';
import { readPlainFile } from '../system/plain-file.ts';
import { hearSignals } from '../system/signals.ts';
import { makeStateFolder, storageError } from '../system/storage.ts';
import type { WatcherPaths } from './registry.ts';

export interface LaunchOptions {
  readonly paths: WatcherPaths;
  /** The program and its arguments. No secrets: every user can read them. */
  readonly command: readonly [string, ...string[]];
  /** The daemon's environment, tokens included: only this user can read it. */
  readonly env: Env;
  /** Its working directory, which is never unmounted. */
  readonly cwd: string;
  readonly limitMs: number;
}

/** Grace period for a daemon that failed to start, before it is killed (ms). */
const GRACE_MS = 4_000;

/**
 * Starts a daemon: a process in a new session, without a terminal, that outlives this one.
 * Resolves once the daemon says that it watches.
 *
 * The daemon reports over a channel that only it and this process have. If it fails, is not up in time,
 * or the signal is aborted, no process is left.
 *
 * @returns the daemon's pid
 * @throws the failure that the daemon reports; SyncError `STORAGE` if it cannot be started or died
 *   without a word, `SERVICE_UNAVAILABLE` if it is not up in time
 */
export async function launchDaemon(options: LaunchOptions, signal: AbortSignal): Promise<number> {
  const { paths, env, cwd, limitMs } = options;
  const [program, ...args] = options.command;
  // A signal before that would end this process, and leave the daemon.
  await hearSignals();
  signal.throwIfAborted();
  makeStateFolder(paths.dir);
  // The output of a runtime that crashes; the daemon writes to its log.
  const crash = openCrashFile(paths.crashFile);
  const child = spawn(program, args, {
    cwd,
    env: childEnv(env, 'all'),
    detached: true,
    stdio: ['ignore', crash, crash, 'ipc'],
    windowsHide: true,
  });
  closeSync(crash);
  // Its last message may arrive after its exit; the channel closes after that.
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
      timer = setTimeout(() => reject(tooSlow(paths, limitMs)), limitMs);
      child.on('message', (message: StartMessage) => {
        if (message.state === 'watching') resolve(message.pid);
        else reject(asError(message));
      });
      void ended.then((end) => reject(wordlessEnd(paths, end)));
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

function openCrashFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
}

function tooSlow(paths: WatcherPaths, limitMs: number): SyncError {
  const seconds = Math.round(limitMs / 1000);
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    `The background watcher was not up after ${String(seconds)} s, and was stopped.`,
    { hint: `Its log: ${paths.logFile}`, details: { log: paths.logFile } },
  );
}

/** The failure of a daemon that ended without a message: the runtime's output is all there is. */
function wordlessEnd(paths: WatcherPaths, end: string): SyncError {
  const words = lastWords(paths.crashFile);
  return new SyncError('STORAGE', `The background watcher ended before it was up (${end}).`, {
    hint: phrase`${words === '' ? '' : phrase`${linesOf(words)}\n`}Its log: ${paths.logFile}`,
    details: { log: paths.logFile },
  });
}

/** Returns the end of the runtime's output, at most 2,000 characters. */
export function lastWords(crashFile: string): string {
  return attempt(() => readPlainFile(crashFile).toString().trim().slice(-2_000)) ?? '';
}

/** The one message from a daemon to the process of the same program that started it. */
export type StartMessage =
  | { readonly state: 'watching'; readonly pid: number }
  | {
      readonly state: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

/** @param profile the profile that the hint's commands name */
export function failedToStart(
  { code, message, hint, details }: SyncError,
  profile?: string,
): StartMessage {
  const rendered = hint === undefined ? {} : { hint: renderText(hint, profile) };
  return { state: 'failed', code, message, ...rendered, details };
}

function asError({
  code,
  message,
  hint,
  details,
}: Extract<StartMessage, { state: 'failed' }>): SyncError {
  // The daemon rendered its hint, which may have several lines.
  const lines = hint === undefined ? undefined : linesOf(hint);
  return new SyncError(code, message, { hint: lines, details });
}
