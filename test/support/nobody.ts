import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type Finished, PROGRAM, collectOutput } from './program.ts';
import type { World } from './world.ts';

/** User and group that own nothing. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Runs the program as another user than root, who would be allowed everything. */
export async function syncAsNobody(world: World, args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: world.home.env,
    cwd: world.home.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const output = collectOutput(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Makes one folder of a home unwritable for {@link syncAsNobody}, until the test ends. */
export function makeUnwritable(world: World, folder: string): { undo(): void } {
  if (isRoot) {
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, world.home.dir]);
    chownSync(folder, 0, 0);
  }
  chmodSync(folder, isRoot ? 0o755 : 0o500);
  const undo = () => {
    chmodSync(folder, 0o700);
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
  };
  onTestFinished(undo);
  return { undo };
}
