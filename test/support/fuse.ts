import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

/** A real file system in user space, that answers or does not. */
export interface FuseMount {
  readonly hang: () => void;
  readonly answer: () => void;
}

/** Why no such file system can be mounted here; undefined if one can. */
export function whyNoFuse(): string | undefined {
  if (process.platform !== 'linux') return 'FUSE needs Linux';
  const [source, at] = [mkdtempSync(join(tmpdir(), 'fuse-')), mkdtempSync(join(tmpdir(), 'fuse-'))];
  try {
    execFileSync('bindfs', ['--no-allow-other', source, at], { stdio: 'ignore' });
    execFileSync('fusermount3', ['-u', at]);
    return undefined;
  } catch {
    return 'no FUSE mount can be made here: bindfs, /dev/fuse';
  } finally {
    rmSync(source, { recursive: true });
    rmSync(at, { recursive: true });
  }
}

/** Shows the folder `source` at `at`, until the test ends. @param flags of bindfs */
export async function mountFuse(
  source: string,
  at: string,
  flags: readonly string[] = [],
): Promise<FuseMount> {
  mkdirSync(at, { recursive: true });
  const server: ChildProcess = spawn('bindfs', ['-f', '--no-allow-other', ...flags, source, at]);
  onTestFinished(() => {
    server.kill('SIGCONT');
    spawnSync('fusermount3', ['-u', '-z', at]);
    server.kill('SIGKILL');
  });
  await until(() => spawnSync('mountpoint', ['-q', at]).status === 0);
  return { hang: () => void server.kill('SIGSTOP'), answer: () => void server.kill('SIGCONT') };
}
