import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, in whatever form the system tells it: together with the pid it names
 * one process and no later one. Undefined where there is no such process, or where the system does
 * not say (Windows).
 */
export function processStart(pid: number, platform: NodeJS.Platform): string | undefined {
  try {
    switch (platform) {
      case 'linux': {
        // proc(5): field 22 is the start, in ticks since boot; field 2 may hold blanks and brackets.
        const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
        const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // It has ended, and only its parent has not asked for its exit code yet.
        if ('ZX'.includes(state)) return undefined;
        const ticks = fields[18];
        const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
        return ticks === undefined ? undefined : `${boot}:${ticks}`;
      }
      case 'win32':
        return undefined;
      default: {
        // Whatever the language and zone of whoever asks, the answer has to be the same.
        const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
          encoding: 'utf8',
          env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
        return started === '' ? undefined : started;
      }
    }
  } catch {
    return undefined;
  }
}
