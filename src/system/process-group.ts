import { spawn } from 'node:child_process';
import type { Env } from '../base/env.ts';
import { childEnv } from './environment.ts';
import { inSystemFolder } from './executables.ts';

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
