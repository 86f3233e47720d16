import { readFileSync } from 'node:fs';
import { attempt } from '../base/errors.ts';
import { SYSTEM_PATH, childEnv } from '../system/environment.ts';
import { loadExecFileSync } from '../system/this-process.ts';

/**
 * Returns when a process started, in the system's own format. Together with the pid this identifies one
 * process. Undefined if there is no such process, or on Windows.
 */
export function processStart(pid: number, platform: NodeJS.Platform): string | undefined {
  return attempt(() => {
    switch (platform) {
      case 'linux': {
        // proc(5): field 20 is the number of threads, field 22 the start in ticks since boot. Field 2 may hold blanks and brackets.
        const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
        const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const [threads, ticks] = [fields[16], fields[18]];
        // Z: its first thread has ended, and its parent has not read an exit code. Other threads may still run.
        if ('ZX'.includes(state) && Number(threads) <= 1) return undefined;
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
  });
}
