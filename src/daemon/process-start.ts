import { readFileSync } from 'node:fs';
import { SYSTEM_PATH, childEnv } from '../system/environment.ts';
import { loadExecFileSync } from '../system/this-process.ts';

/**
 * Returns when a process started, in the system's own format. Together with the pid this identifies one
 * process. Undefined if there is no such process, or on Windows.
 */
export function processStart(pid: number, platform: NodeJS.Platform): string | undefined {
  try {
    switch (platform) {
      case 'linux': {
        // proc(5): field 22 is the start, in ticks since boot; field 2 may hold blanks and brackets.
        const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
        const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // It has ended, and its parent has not read its exit code yet.
        if ('ZX'.includes(state)) return undefined;
        const ticks = fields[18];
        const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
        return ticks === undefined ? undefined : `${boot}:${ticks}`;
      }
      case 'win32':
        return undefined;
      default: {
        // The output must not depend on the caller's language and zone.
        const execFileSync = loadExecFileSync();
        const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
          encoding: 'utf8',
          env: childEnv({ LC_ALL: 'C', TZ: 'UTC', PATH: SYSTEM_PATH }, 'session'),
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
        return started === '' ? undefined : started;
      }
    }
  } catch {
    return undefined;
  }
}
