import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from './processes.ts';
import { scratchDir } from './scratch-dir.ts';

const PROGRAM = join(import.meta.dirname, 'survivors.mjs');
const LIVE = ['-e', 'setInterval(() => {}, 1000)'];

/** Runs the end of a run of this process: stdin is closed. */
function endRun(folder: string) {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, folder, '0'], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

/** The temporary folder of a run, with a file. */
function runFolder(): string {
  const folder = mkdtempSync(join(scratchDir(), 'run-'));
  writeFileSync(join(folder, 'file'), '');
  return folder;
}

it.skipIf(process.platform !== 'linux')(
  'a run of the tests ends with its processes and its folder, and fails if one outlived its test',
  async () => {
    const [folder, other] = [runFolder(), runFolder()];
    const start = (options: object) => {
      const child = spawn(process.execPath, LIVE, { detached: true, stdio: 'ignore', ...options });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid ?? 0;
    };
    const left = [start({ env: { HOME: join(folder, 'home') } }), start({ env: {}, cwd: folder })];
    const beside = start({ env: { HOME: other } });
    const { status, stderr } = endRun(folder);
    expect(status).toBe(1);
    for (const pid of left) expect(stderr).toContain(`was killed: ${String(pid)} `);
    await expect.poll(() => left.filter(isAlive)).toEqual([]);
    expect(isAlive(beside)).toBe(true);
    expect([folder, other].map((path) => existsSync(path))).toEqual([false, true]);
    expect(endRun(runFolder())).toEqual({ status: 0, stderr: '' });
  },
);
