import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs once, around all test files: gives the run a temporary folder of its own. `survivors.mjs` kills the
 * processes that name it when vitest ends, also by Ctrl-C or a signal.
 */
export default function setup(): (() => Promise<void>) | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sync-'));
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
