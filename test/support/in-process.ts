import { dirname, join } from 'node:path';
import { thisSystem } from '../../src/app/context.ts';
import { toSyncError } from '../../src/app/fault.ts';
import { type ExitCode, exitCodeOf } from '../../src/base/errors.ts';
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
import { plainIo } from './io.ts';
import { type Finished, PROGRAM, type RunOptions, withRightLines } from './program.ts';

/**
 * Runs a command line in this process, from source: the quick way for tests about what a command
 * does. Tests about processes (signals, locks, streams) start the built program instead.
 */
export async function runInProcess(
  args: readonly string[],
  { home, env = {}, cwd = home.dir, input = '', clock }: RunOptions & { readonly clock?: Clock },
): Promise<Finished> {
  const leave = enter(cwd);
  const stdout: string[] = [];
  const stderr: string[] = [];
  const io = pipes(input, stdout, stderr);
  const variables = { ...home.env, ...env };
  const system = {
    ...thisSystem(new AbortController().signal, () => undefined),
    ...(clock === undefined ? {} : { clock }),
    env: variables,
    homeDir: home.dir,
    cwd,
    io,
    machineZone: () =>
      findMachineZone({ tz: variables['TZ'], resolved: () => 'UTC', localtime: () => undefined }),
    systemConfigFile: join(home.dir, 'system', 'config.json'),
    programDir: dirname(PROGRAM),
  };
  let flags: GlobalFlags = { json: args.includes('--json'), quiet: false, verbose: false };
  let output = createOutput(io, flags, system.clock);
  const onFlags = (given: GlobalFlags, made: Output) => ([flags, output] = [given, made]);
  let code: ExitCode;
  try {
    code = await runCommandLine(args, system, onFlags);
    output.end(false);
  } catch (error) {
    const failure = toSyncError(error, system);
    output.error(errorReport(failure), errorText(failure, flags));
    output.end(failure.code !== 'INTERRUPTED');
    code = exitCodeOf(failure.code);
  } finally {
    leave();
  }
  return withRightLines(args, { code, stdout: stdout.join(''), stderr: stderr.join('') });
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
function pipes(input: string | Uint8Array, stdout: string[], stderr: string[]): Io {
  return {
    ...plainIo(),
    out: (line) => void stdout.push(`${line}\n`),
    err: (line) => void stderr.push(`${line}\n`),
    async *readStdin() {
      await Promise.resolve();
      if (input.length > 0) yield Buffer.from(input);
    },
  };
}
