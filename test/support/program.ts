import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { systemConfigFile } from '../../src/config/paths.ts';
import { contractEnvironment } from './contract-environment.ts';
import { wrongJsonLine } from './json-lines.ts';
import { endWatchers } from './processes.ts';

/** The built program, which `bin/sync.js` starts. */
export const PROGRAM = resolve('dist', 'main.cjs');

/** A scratch home: no test reads or writes files of the user who runs it. */
export interface Home {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The programs that {@link startSync} started in it. */
  readonly started: ChildProcess[];
}

/**
 * Makes a home, which the end of the test removes, with its programs and watchers.
 *
 * @param extra variables for every run in this home
 */
export function openHome(extra: NodeJS.ProcessEnv = {}): Home {
  const dir = mkdtempSync(join(tmpdir(), 'sync-home-'));
  const started: ChildProcess[] = [];
  onTestFinished(async () => {
    const running = started.filter((child) => child.exitCode === null && child.signalCode === null);
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(running.map((child) => once(child, 'exit')));
    endWatchers(dir);
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    dir,
    started,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      SYNC_CONFIG_DIR: join(dir, 'config'),
      SYNC_STATE_DIR: join(dir, 'state'),
      TZ: 'Europe/Berlin',
      ...extra,
    },
  };
}

export interface Finished {
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run, with its output so far. */
export interface Run {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when stdout and stderr together match; rejects if the program ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Rejects if the program printed a line of `--json` that docs/json.md does not describe. */
  readonly finished: Promise<Finished>;
}

/** A running program. */
export interface Running extends Run {
  readonly child: ChildProcess;
}

export interface RunOptions {
  readonly home: Home;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Default: {@link PROGRAM}. */
  readonly program?: string;
}

/** Collects what a child process prints. @param onText called after each piece of it */
export function collectOutput(
  { stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>,
  onText: () => void = () => undefined,
) {
  const output = { stdout: '', stderr: '' };
  for (const [name, stream] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      onText();
    });
  }
  return output;
}

let isChecked = false;

/** @throws Error without a built program, or if this machine's own configuration would change it */
function requireBuiltProgram(): void {
  if (isChecked) return;
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Run npm run build first.`);
  const preset = systemConfigFile(process.env, process.platform);
  if (existsSync(preset)) throw new Error(`${preset} applies to every run. Move it away first.`);
  isChecked = true;
}

/** Starts the built program as a child process. Without `input` its stdin is empty. */
export function startSync(args: readonly string[], options: RunOptions): Running {
  requireBuiltProgram();
  const { home, env, cwd, input, program = PROGRAM } = options;
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...home.env, ...(args[0] === 'sandbox' ? contractEnvironment() : {}), ...env },
    cwd: cwd ?? home.dir,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  home.started.push(child);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const run = observe(args, (onText) => {
    const output = collectOutput(child, onText);
    return { output, ended: once(child, 'close').then(([code]) => code as number | null) };
  });
  return { child, ...run };
}

/**
 * Observes a run of a command line.
 *
 * @param start returns the output, which grows, with a call of `onText` after each piece of it, and the exit code
 */
export function observe(
  args: readonly string[],
  start: (onText: () => void) => {
    readonly output: Readonly<Record<'stdout' | 'stderr', string>>;
    readonly ended: Promise<number | null>;
  },
): Run {
  const watchers = new Set<() => void>();
  const { output, ended } = start(() => {
    for (const watcher of watchers) watcher();
  });
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    finished: ended.then((code) => withRightLines(args, { code, ...output })),
    waitFor: (pattern) =>
      new Promise((done, fail) => {
        const look = () => {
          const match = pattern.exec(`${output.stdout}\n${output.stderr}`);
          if (match === null) return;
          watchers.delete(look);
          done(match);
        };
        watchers.add(look);
        void ended.then(() => {
          look();
          fail(new Error(`ended before ${String(pattern)}:\n${output.stdout}\n${output.stderr}`));
        });
        look();
      }),
  };
}

/** Runs the built program to its end. */
export async function runSync(args: readonly string[], options: RunOptions): Promise<Finished> {
  return await startSync(args, options).finished;
}

/** Returns a result. @throws if it has a line of `--json` that docs/json.md does not describe */
export function withRightLines(args: readonly string[], result: Finished): Finished {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  // Help is text, with `--json`, too; so are the words for a shell.
  const isText =
    !flags.includes('--json') ||
    flags.includes('--help') ||
    /^(help|complete)$/.test(args[0] ?? '');
  const wrong = isText ? undefined : wrongJsonLine(result.stdout);
  if (wrong !== undefined) throw new Error(`sync ${args.join(' ')}: ${wrong}`);
  return result;
}

/** A time in a line of `--json`. */
export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The objects of an NDJSON output, without `v`, which every run checks. */
export function ndjson(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const object = JSON.parse(line) as Record<string, unknown>;
      delete object['v'];
      return object;
    });
}
