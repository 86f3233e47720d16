import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';
import { type SandboxServer, startSandbox } from '../../src/sandbox/server.ts';
import { type RecordingOptions, makeRecording } from '../support/fit-maker.ts';
import { runInProcess } from '../support/in-process.ts';
import { playedPlatform } from '../support/world.ts';
import {
  type Finished,
  type Home,
  type RunOptions,
  type Running,
  makeHome,
  ndjson,
  startSync,
} from '../support/program.ts';
import { until } from '../support/until.ts';
import type { RecordingState } from '../../src/sandbox/types.ts';

export { until };

/** A platform, a home and a folder, for watchers of the built program. */
export interface WatchWorld {
  readonly sandbox: SandboxServer;
  /** Closes the port of the service and keeps its data. */
  stopService(): Promise<void>;
  startService(): Promise<void>;
  /** Logs in as `sync login --with-token` does, into the file store. */
  login(athlete?: string): Promise<void>;
  readonly home: Home;
  /** The path of the watched folder, which is not created yet, in a separate parent. */
  readonly folder: string;
  /** Starts `sync watch --json` on the folder, unless `args` name others. */
  watch(args?: readonly string[], env?: NodeJS.ProcessEnv): Running;
  run(args: readonly string[], options?: Partial<RunOptions>): Running;
  /** Runs a command to its end in this process. */
  sync(args: readonly string[], options?: Partial<RunOptions>): Promise<Finished>;
  /** What the platform holds. */
  recordings(): readonly RecordingState[];
  /** SHA-256 of each recording there, sorted. */
  hashes(): readonly string[];
  /** Returns the number of uploads that reached the platform, with any outcome. */
  requests(): number;
  readonly close: () => Promise<void>;
}

interface WatchWorldOptions {
  /** No token in the environment; {@link WatchWorld.login} puts one in a file. */
  readonly stored?: boolean;
}

/** Outside of tests; the caller closes it. */
export async function makeWorld(options: WatchWorldOptions = {}): Promise<WatchWorld> {
  const around = mkdtempSync(join(tmpdir(), 'sync-watch-'));
  const data = join(around, 'platform');
  const settings = { platform: playedPlatform() };
  let sandbox = await startSandbox({ port: 0, data, settings });
  const { port } = sandbox;
  const token = sandbox.control.mint().access_token;
  const home = makeHome({
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    ...(options.stored === true ? { SYNC_TOKEN_STORE: 'file' } : { SYNC_ACCESS_TOKEN: token }),
  });
  const folder = join(around, 'Garmin');
  const started: Running[] = [];
  const run = (args: readonly string[], given: Partial<RunOptions> = {}) => {
    const running = startSync(args, { home, ...given });
    started.push(running);
    return running;
  };
  const sync: WatchWorld['sync'] = (args, given) => runInProcess(args, { home, ...given });
  const recordings = () =>
    sandbox.control.state().athletes.flatMap((athlete) => athlete.recordings);
  return {
    get sandbox() {
      return sandbox;
    },
    stopService: () => sandbox.close(),
    async startService() {
      sandbox = await startSandbox({ port, data, settings });
    },
    async login(athlete) {
      const tokens = sandbox.control.mint(athlete === undefined ? {} : { athlete });
      // The interface kind does not name the athlete.
      const who = athlete === undefined ? ['--same-athlete'] : [];
      const args = ['login', '--with-token', '--store', 'file', ...who];
      const { code, stderr } = await sync(args, { input: JSON.stringify(tokens) });
      if (code !== 0) throw new Error(`sync login ended with ${String(code)}: ${stderr}`);
    },
    home,
    folder,
    run,
    sync,
    watch: (args = [], env = {}) => run(['watch', folder, '--json', ...args], { env }),
    recordings,
    hashes: () =>
      recordings()
        .map(({ sha256 }) => sha256)
        .sort(),
    requests: () => sandbox.control.requests({ route: 'upload-fit' }).length,
    close: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ finished }) => finished));
      await sandbox.close();
      home.remove();
      rmSync(around, { recursive: true, force: true });
    },
  };
}

/** The world of the test that runs. */
export let world: WatchWorld;

/** Opens {@link world}, which closes with the test. */
export async function openWorld(options: WatchWorldOptions = {}): Promise<void> {
  world = await makeWorld(options);
  onTestFinished(world.close);
}

/** Opens {@link world} with its folder before each test. */
export function useWorld(options: WatchWorldOptions = {}): void {
  beforeEach(async () => {
    await openWorld(options);
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
export async function ready(running: Running): Promise<Running> {
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
export async function stop(running: Running): Promise<number | null> {
  await until(() => handlesSigterm(running));
  running.child.kill('SIGTERM');
  return (await running.finished).code;
}

/** Returns the events of one kind that a watcher reported. */
export function events(running: Running, name: string): Record<string, unknown>[] {
  return ndjson(running.stdout()).filter(({ event, type }) => event === name || type === name);
}
