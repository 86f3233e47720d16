import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs once, around all test files: gives the run a temporary folder of its own. `survivors.mjs` kills the
 * processes that name it when vitest ends, also by Ctrl-C or a signal.
 */
export default function setup(): (() => Promise<void>) | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'sync-'));
  // As /tmp is: some tests run programs as other users.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  const program = join(import.meta.dirname, 'survivors.mjs');
  // In its own session, which Ctrl-C does not reach.
  const child = spawn(process.execPath, [program, folder, String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  return async () => {
    child.stdin.end();
    const [code] = (await ended) as [number | null];
    if (code !== 0) process.exitCode = 1;
  };
}

const MEMORY = '/dev/shm';
/** More than the tests of large files write at once (bytes). */
const ENOUGH = 4 * 1024 ** 3;

/**
 * Returns a folder in memory: a disk would take a fifth of the system's time to keep files that no test reads again.
 * Undefined if the user chose a folder, or if this one is small or runs no programs (as in Docker).
 */
function memoryFolder(): string | undefined {
  if (process.env['TMPDIR'] !== undefined) return undefined;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options = ''] =
    mounts.map((line) => line.split(' ')).findLast(([, path]) => path === MEMORY) ?? [];
  if (type !== 'tmpfs' || /(?:^|,)(?:ro|noexec)(?:,|$)/.test(options)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH ? undefined : MEMORY;
}
