import { setMaxListeners } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { thisSystem } from '../../src/app/context.ts';
import { toSyncError } from '../../src/app/fault.ts';
import { type ExitCode, SyncError, exitCodeOf } from '../../src/base/errors.ts';
import type { Clock } from '../../src/base/time.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { findMachineZone } from '../../src/system/machine-zone.ts';
import {
  errorReport,
  errorText,
  type GlobalFlags,
  type Output,
  createOutput,
} from '../../src/terminal/output.ts';
import type { Io } from '../../src/terminal/io.ts';
import { briskClock } from './delivery.ts';
import { plainIo } from './io.ts';
import {
  type Finished,
  type Home,
  PROGRAM,
  type Run,
  type RunOptions,
  observe,
  withRightLines,
} from './program.ts';

/** `clock`: default: that of the system. */
export type RunHereOptions = RunOptions & { readonly clock?: Clock };

/**
 * Runs a command line in this process, from source: the quick way for tests about what a command
 * does. Tests about processes (signals, locks, streams) start the built program instead.
 */
export async function runInProcess(
  args: readonly string[],
  options: RunHereOptions,
): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  const print = (name: keyof typeof output, text: string) => void (output[name] += text);
  const code = await run(args, options, print, new AbortController().signal);
  return withRightLines(args, { code, ...output });
}

/** A command line that runs in this process. */
export interface RunningHere extends Run {
  /** Interrupts it as Ctrl-C and SIGTERM do. */
  interrupt(): void;
}

/**
 * Starts a watcher in this process, from source, and interrupts it at the end of the test if it still runs.
 *
 * @param options its clock is {@link briskClock} by default
 */
export function startInProcess(args: readonly string[], options: RunHereOptions): RunningHere {
  const interruption = new AbortController();
  const { signal } = interruption;
  // As the program does.
  setMaxListeners(0, signal);
  const interrupt = () => interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
  const observed = observe(args, (onText) => {
    const output = { stdout: '', stderr: '' };
    const print = (name: keyof typeof output, text: string) => {
      output[name] += text;
      onText();
    };
    const programDir = watcherFiles(options.home);
    const ended = run(args, { clock: briskClock, ...options, programDir }, print, signal);
    onTestFinished(async () => {
      interrupt();
      await ended;
    });
    return { output, ended };
  });
  return { ...observed, interrupt };
}

/** Returns a folder like that of the program, but for the parts that a watcher loads ahead: here, they are source. */
function watcherFiles({ dir }: Home): string {
  const folder = join(dir, 'program');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const name of readdirSync(dirname(PROGRAM))) {
    if (name !== AHEAD) symlinkSync(join(dirname(PROGRAM), name), join(folder, name));
  }
  writeFileSync(join(folder, 'none.cjs'), '');
  writeFileSync(join(folder, AHEAD), 'none.cjs');
  return folder;
}

/** Lists the parts that a watcher loads ahead. */
const AHEAD = 'watcher-chunks.txt';

// A watcher sets up the heap of its process for weeks: this one runs tests.
const v8 = process.getBuiltinModule('node:v8');
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  if (flag === '--expose-gc') setFlagsFromString(flag);
};

/** Runs a command line. @returns its exit code */
async function run(
  args: readonly string[],
  {
    home,
    env = {},
    cwd = home.dir,
    input = '',
    clock,
    programDir = dirname(PROGRAM),
  }: RunHereOptions & { readonly programDir?: string },
  print: (name: 'stdout' | 'stderr', text: string) => void,
  signal: AbortSignal,
): Promise<ExitCode> {
  const leave = enter(cwd);
  const io = pipes(input, print);
  const variables = { ...home.env, ...env };
  const system = {
    ...thisSystem(signal, () => undefined),
    ...(clock === undefined ? {} : { clock }),
    env: variables,
    homeDir: home.dir,
    cwd,
    io,
    machineZone: () =>
      findMachineZone({ tz: variables['TZ'], resolved: () => 'UTC', localtime: () => undefined }),
    systemConfigFile: join(home.dir, 'system', 'config.json'),
    programDir,
  };
  let flags: GlobalFlags = { json: args.includes('--json'), quiet: false, verbose: false };
  let output = createOutput(io, flags, system.clock);
  const onFlags = (given: GlobalFlags, made: Output) => ([flags, output] = [given, made]);
  try {
    const code = await runCommandLine(args, system, onFlags);
    output.end(false);
    return code;
  } catch (error) {
    const failure = toSyncError(error, system);
    output.error(errorReport(failure), errorText(failure, flags));
    output.end(failure.code !== 'INTERRUPTED');
    return exitCodeOf(failure.code);
  } finally {
    leave();
  }
}

const outside = process.cwd();
let running = 0;

/** Changes to the working folder of a run; parallel runs share one. @returns a function that leaves it */
function enter(cwd: string): () => void {
  process.chdir(cwd);
  running++;
  return () => {
    running--;
    if (running === 0) process.chdir(outside);
  };
}

/** Streams of a program that no person is at. */
function pipes(
  input: string | Uint8Array,
  print: (name: 'stdout' | 'stderr', text: string) => void,
): Io {
  return {
    ...plainIo(),
    out: (line) => print('stdout', `${line}\n`),
    err: (line) => print('stderr', `${line}\n`),
    async *readStdin() {
      await Promise.resolve();
      if (input.length > 0) yield Buffer.from(input);
    },
  };
}
