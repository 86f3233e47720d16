import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { type RecordingOptions, makeRecording } from '../support/fit-maker.ts';
import type { RunningHere } from '../support/in-process.ts';
import { type Run, type Running, ndjson } from '../support/program.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { until } from '../support/until.ts';
import {
  type World,
  loginWithToken,
  openLoggedInWorld,
  openWorld as openEmptyWorld,
} from '../support/world.ts';

export { until };

/** The world of the test that runs. */
export let world: World;

/** Opens {@link world} with a login, unless `isLoggedIn` is false. Its platform keeps its data when it stops. */
export async function openWorld(isLoggedIn = true): Promise<World> {
  const sandbox = { data: join(scratchDir(), 'platform') };
  world = await (isLoggedIn ? openLoggedInWorld : openEmptyWorld)({ sandbox });
  mkdirSync(dirname(world.folder));
  return world;
}

/** Logs in again, also on a platform that does not name the athlete. */
export async function loginAgain(): Promise<void> {
  await loginWithToken(world, {}, ['--same-athlete']);
}

/** Opens {@link world} with its folder before each test. */
export function useWorld(): void {
  beforeEach(async () => {
    await openWorld();
    mkdirSync(world.folder);
  });
}

let lastSeed = 1_000;

/** A recording like no other in this run. */
export function anotherRecording(options: RecordingOptions = {}): Uint8Array {
  lastSeed += 1;
  return makeRecording({ durationSecs: 60, seed: lastSeed, ...options });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes a file and the folders that it needs. */
export function put(path: string, bytes: Uint8Array | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** Waits until the watcher has looked at everything and hears what happens. */
export async function ready<T extends Run>(starting: T | Promise<T>): Promise<T> {
  const running = await starting;
  await running.waitFor(/"event":"ready"/);
  return running;
}

/** On a busy machine, the thread for signals may start after the first request. */
export function handlesSigterm({ child }: Running): boolean {
  if (process.platform !== 'linux' || child.exitCode !== null || child.signalCode !== null) {
    return true;
  }
  const status = readFileSync(`/proc/${String(child.pid)}/status`, 'latin1');
  // A zombie handles nothing: its end was not read yet.
  if (/^State:\s+Z/m.test(status)) return true;
  const [, caught = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return (BigInt(`0x${caught}`) & (1n << 14n)) !== 0n;
}

/** Ends a watcher as a service manager does. */
export async function stop(running: Running | RunningHere): Promise<number | null> {
  if ('child' in running) {
    await until(() => handlesSigterm(running));
    running.child.kill('SIGTERM');
  } else running.interrupt();
  return (await running.finished).code;
}

/** Returns the events of one kind that a watcher reported. */
export function events(running: Run, name: string): Record<string, unknown>[] {
  return ndjson(running.stdout()).filter(({ event, type }) => event === name || type === name);
}
