import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import { type PlatformName, PLATFORM_NAMES } from '../../src/sandbox/settings.ts';
import { type SandboxServer, type ServerOptions, startSandbox } from '../../src/sandbox/server.ts';
import {
  type Finished,
  type Home,
  type RunOptions,
  type Running,
  ndjson,
  openHome,
  runSync,
  startSync,
} from './program.ts';
import type { Control, RecordingState } from '../../src/sandbox/types.ts';
import type { RunHereOptions, RunningHere } from './in-process.ts';

export { openHome };

/** A home in which the program runs. */
interface HomeRuns {
  readonly home: Home;
  /** A folder to watch, in a parent of its own; not created yet. */
  readonly folder: string;
  /**
   * Runs a command line to its end in the process of the test, from source: ten times faster than the
   * built program. The usual way.
   */
  readonly sync: (args: readonly string[], options?: Partial<RunHereOptions>) => Promise<Finished>;
  /**
   * Runs a command line with `--json` as {@link World.sync} does. @returns its lines
   *
   * @throws Error if it does not end with `code`; default: 0
   */
  readonly lines: (
    args: readonly string[],
    options?: Partial<RunHereOptions> & { readonly code?: number },
  ) => Promise<Record<string, unknown>[]>;
  /**
   * Runs the built program to its end: for tests of processes, signals, streams, file modes or the
   * bundle, and once for each command.
   */
  readonly program: (args: readonly string[], options?: Partial<RunOptions>) => Promise<Finished>;
  /** Starts the built program, and kills it at the end of the test if it still runs. */
  readonly start: (args: readonly string[], options?: Partial<RunOptions>) => Running;
  /**
   * Starts `sync watch --json` of {@link folder} in the process of the test, as {@link sync} does, and ends it
   * with the test. The usual way: see {@link program}.
   */
  readonly watch: (args?: readonly string[], env?: NodeJS.ProcessEnv) => Promise<RunningHere>;
  /** Starts any command line as {@link watch} does. */
  readonly startHere: (
    args: readonly string[],
    options?: Partial<RunHereOptions>,
  ) => Promise<RunningHere>;
  /** Starts `sync watch --json` of {@link folder} as {@link start} does. */
  readonly watchProgram: (args?: readonly string[], env?: NodeJS.ProcessEnv) => Running;
  /** Writes a file below the home, with the folders to it. @returns its absolute path */
  readonly write: (path: string, contents: Uint8Array | string) => string;
}

/** A sandbox and a home that is configured for it. Both end with the test. */
export interface World extends HomeRuns {
  readonly sandbox: SandboxServer;
  /** Closes the port of the platform. */
  stopService(): Promise<void>;
  /** Opens the same port again, with the same data if the sandbox keeps them in a folder. */
  startService(): Promise<void>;
  /** Returns the recordings that the platform holds, of all athletes. */
  recordings(): readonly RecordingState[];
  /** Returns the SHA-256 of each of them, sorted. */
  hashes(): readonly string[];
  /** Returns the number of uploads that reached the platform, with any outcome. */
  requests(): number;
}

/** The kinds of platform that tests of the platform run on: `describe.each(KINDS)`. */
export const KINDS = PLATFORM_NAMES;

let played: PlatformName | undefined;

/** Lets the sandboxes of a block's tests play this kind, unless they name one. */
export function play(platform: PlatformName): void {
  beforeEach(() => {
    played = platform;
  });
  afterEach(() => {
    played = undefined;
  });
}

export interface WorldOptions {
  readonly sandbox?: ServerOptions;
  /** The kind of platform that the sandbox plays; default: Coach Watts. */
  readonly platform?: PlatformName;
  /** Variables for every run, in place of the usual ones; `undefined` removes one. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Opens a world without a login. Its sandbox approves every login; the file store keeps it. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const sandbox = await openSandbox(options.sandbox, options.platform);
  const home = openHome({
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TOKEN_STORE: 'file',
    ...options.env,
  });
  return worldOf(sandbox, home, options);
}

/**
 * Another home beside the first, or the same sandbox seen from elsewhere.
 * @param options those with which the sandbox starts again
 */
export function worldOf(first: SandboxServer, home: Home, options: WorldOptions = {}): World {
  let sandbox = first;
  const recordings = () =>
    sandbox.control.state().athletes.flatMap((athlete) => athlete.recordings);
  return {
    get sandbox() {
      return sandbox;
    },
    stopService: () => sandbox.close(),
    async startService() {
      sandbox = await openSandbox({ ...options.sandbox, port: first.port }, options.platform);
    },
    recordings,
    hashes: () =>
      recordings()
        .map(({ sha256 }) => sha256)
        .sort(),
    requests: () => sandbox.control.requests({ route: 'upload-fit' }).length,
    ...runsIn(home),
  };
}

/** Runs the program in a home, whatever platform that is configured for. */
export function runsIn(home: Home): HomeRuns {
  const folder = join(home.dir, 'device', 'Garmin');
  const start: World['start'] = (args, more) => startSync(args, { home, ...more });
  const startHere: World['startHere'] = async (args, more) => {
    const { startInProcess } = await import('./in-process.ts');
    return startInProcess(args, { home, ...more });
  };
  return {
    home,
    folder,
    sync: (args, more) => runHere(args, { home, ...more }),
    async lines(args, { code = 0, ...more } = {}) {
      const run = await runHere([...args, '--json'], { home, ...more });
      if (run.code === code) return ndjson(run.stdout);
      const output = `${run.stdout}${run.stderr}`;
      throw new Error(`sync ${args.join(' ')} ended with ${String(run.code)}: ${output}`);
    },
    program: (args, more) => start(args, more).finished,
    watch: (args = [], env = {}) => startHere(['watch', folder, '--json', ...args], { env }),
    startHere,
    watchProgram: (args = [], env = {}) => start(['watch', folder, '--json', ...args], { env }),
    start,
    write(path, contents) {
      const absolute = join(home.dir, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, contents);
      return absolute;
    },
  };
}

/** Opens a world with a login of the first athlete, with every scope unless `login` names others. */
export async function openLoggedInWorld(
  options: WorldOptions & { readonly login?: Parameters<Control['mint']>[0] } = {},
): Promise<World> {
  const world = await openWorld(options);
  await loginWithToken(world, options.login);
  world.sandbox.control.clearRequests();
  return world;
}

/**
 * Logs in by `--with-token`: the quickest way to a login in the store. This process does it, unless the
 * state folder is relative to the home folder.
 *
 * @param flags of `sync login`, besides
 */
export async function loginWithToken(
  world: World,
  request: Parameters<Control['mint']>[0] = {},
  flags: readonly string[] = [],
): Promise<void> {
  const input = JSON.stringify(world.sandbox.control.mint(request));
  const { home } = world;
  const run = isAbsolute(home.env['SYNC_STATE_DIR'] ?? '') ? runHere : runSync;
  const { code, stderr } = await run(['login', '--with-token', ...flags], { home, input });
  if (code !== 0) throw new Error(`login --with-token ended with ${String(code)}: ${stderr}`);
}

export async function openSandbox(
  options: ServerOptions = {},
  platform = played,
): Promise<SandboxServer> {
  const sandbox = await startSandbox({
    port: 0,
    ...options,
    // Logins here listen on any free port, so that tests may run side by side.
    settings: {
      autoApprove: true,
      exactRedirectUris: false,
      ...(platform === undefined ? {} : { platform }),
      ...options.settings,
    },
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Runs the program from source, which is loaded with the first run. */
async function runHere(args: readonly string[], options: RunHereOptions): Promise<Finished> {
  const { runInProcess } = await import('./in-process.ts');
  return await runInProcess(args, options);
}
