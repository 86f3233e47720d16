import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const peakMemory = {
  measurable: process.platform === 'linux',
  note: process.platform === 'linux' ? '' : ' (skipped: only Linux tells of peak memory)',
} as const;

/**
 * Lets a run of the program write down its own peak memory when it ends: the kernel's high-water
 * mark of that process alone. (What `getrusage` says includes the process that started it.)
 *
 * @returns the variables for the run, and what it wrote, in bytes
 */
export function watchPeakMemory(dir: string): { env: NodeJS.ProcessEnv; peak: () => number } {
  const hook = join(dir, 'peak-memory.cjs');
  const status = join(dir, 'peak-memory.txt');
  writeFileSync(
    hook,
    `const fs = require('node:fs');
process.on('exit', () => fs.writeFileSync(${JSON.stringify(status)}, fs.readFileSync('/proc/self/status')));
`,
  );
  return {
    env: { NODE_OPTIONS: `--require ${hook}` },
    peak: () => {
      const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1];
      if (kilobytes === undefined) throw new Error('the run did not write its status');
      return Number(kilobytes) * 1024;
    },
  };
}
