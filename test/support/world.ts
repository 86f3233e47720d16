import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/time.ts';
import { type PlatformName, PLATFORM_NAMES } from '../../src/sandbox/settings.ts';
import { type SandboxServer, type ServerOptions, startSandbox } from '../../src/sandbox/server.ts';
import {
  type Finished,
  type Home,
  type RunOptions,
  type Running,
  makeHome,
  ndjson,
  runSync,
  startSync,
} from './program.ts';
import type { Control } from '../../src/sandbox/types.ts';

/** `clock`: default: that of the system. */
type RunHereOptions = RunOptions & { readonly clock?: Clock };

/** A sandbox and a home that is configured for it. Both end with the test. */
export interface World {
  readonly sandbox: SandboxServer;
  readonly home: Home;
  /**
   * Runs a command line to its end in the process of the test, from source: ten times faster than the
   * built program. The usual way.
   */
  sync(args: readonly string[], options?: Partial<RunHereOptions>): Promise<Finished>;
  /**
   * Runs a command line with `--json` as {@link World.sync} does. @returns its lines
   *
   * @throws Error if it does not end with `code`; default: 0
   */
  lines(
    args: readonly string[],
    options?: Partial<RunHereOptions> & { readonly code?: number },
  ): Promise<Record<string, unknown>[]>;
  /**
   * Runs the built program to its end: for tests of processes, signals, streams, file modes or the
   * bundle, and once for each command.
   */
  program(args: readonly string[], options?: Partial<RunOptions>): Promise<Finished>;
  /** Starts the built program, and kills it at the end of the test if it still runs. */
  start(args: readonly string[], options?: Partial<RunOptions>): Running;
  /** Writes a file below the home, with the folders to it. @returns its absolute path */
  write(path: string, contents: Uint8Array | string): string;
}

/** The kinds of platform that tests of the platform run on: `describe.each(KINDS)`. */
export const KINDS = PLATFORM_NAMES;

let played: PlatformName | undefined;

/** Returns the kind that {@link play} chose. */
export function playedPlatform(): PlatformName | undefined {
  return played;
}

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
  return worldOf(sandbox, home);
}

/** Another home beside the first, or the same sandbox seen from elsewhere. */
export function worldOf(sandbox: SandboxServer, home: Home): World {
  return { sandbox, ...runsIn(home) };
}

/** Runs the program in a home, whatever platform that is configured for. */
export function runsIn(home: Home): Omit<World, 'sandbox'> {
  const start: World['start'] = (args, more = {}) => {
    const running = startSync(args, { home, ...more });
    onTestFinished(() => void running.child.kill('SIGKILL'));
    return running;
  };
  return {
    home,
    sync: (args, more) => runHere(args, { home, ...more }),
    async lines(args, { code = 0, ...more } = {}) {
      const run = await runHere([...args, '--json'], { home, ...more });
      if (run.code === code) return ndjson(run.stdout);
      const output = `${run.stdout}${run.stderr}`;
      throw new Error(`sync ${args.join(' ')} ended with ${String(run.code)}: ${output}`);
    },
    program: (args, more) => start(args, more).finished,
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
 */
export async function loginWithToken(
  world: World,
  request: Parameters<Control['mint']>[0] = {},
): Promise<void> {
  const input = JSON.stringify(world.sandbox.control.mint(request));
  const { home } = world;
  const run = isAbsolute(home.env['SYNC_STATE_DIR'] ?? '') ? runHere : runSync;
  const { code, stderr } = await run(['login', '--with-token'], { home, input });
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

export function openHome(env: NodeJS.ProcessEnv = {}): Home {
  const home = makeHome(env);
  onTestFinished(() => home.remove());
  return home;
}

/** Runs the program from source, which is loaded with the first run. */
async function runHere(args: readonly string[], options: RunHereOptions): Promise<Finished> {
  const { runInProcess } = await import('./in-process.ts');
  return await runInProcess(args, options);
}
