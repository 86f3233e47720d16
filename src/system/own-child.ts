import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Env } from '../base/env.ts';
import { childEnv } from './environment.ts';
import { thisProcess } from './this-process.ts';
import { inSystemFolder } from './executables.ts';

/**
 * Starts a child process of the program that answers on stdout. It is in another process group: Ctrl-C at the
 * terminal reaches only the program, which decides.
 *
 * @param file the built file that the child runs
 */
export function startOwnChild(file: string, env: Env): ChildProcessWithoutNullStreams {
  return spawn(thisProcess.nodePath, [file], {
    env: childEnv(env, 'no-passwords'),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
}

/** Longest complaint that is kept (characters). */
const COMPLAINT = 2_000;

/** Returns a function for what the child wrote to stderr so far, as far as it is kept. */
export function complaintOf({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let complaint = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(0, COMPLAINT);
  });
  return () => complaint;
}

/**
 * Sends a signal to a process that was started as the leader of a group (`detached`), and to all that it
 * started. Windows has no such signals: there, these processes end at once.
 */
export function endProcessGroup(
  pid: number,
  signal: NodeJS.Signals,
  env: Env,
  platform: NodeJS.Platform,
): void {
  if (platform === 'win32') {
    spawn(inSystemFolder('taskkill', env), ['/pid', String(pid), '/t', '/f'], {
      env: childEnv(env, 'session'),
      stdio: 'ignore',
      windowsHide: true,
    }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // All of its processes have ended.
  }
}
