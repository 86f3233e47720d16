import { Command } from 'commander';
import type { CommandModule } from '../../src/app/command.ts';
import { createContext, type System } from '../../src/app/context.ts';
import type { ExitCode } from '../../src/base/errors.ts';
import { globalFlags } from '../../src/cli/tree.ts';
import type { GlobalFlags } from '../../src/terminal/output.ts';
import { testSystem } from '../auth/support.ts';
import { ndjson } from './program.ts';

type OnLine = (line: string) => void;

/** A command that runs in this process, and the lines that it printed so far. */
export interface CommandRun {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly done: Promise<ExitCode>;
}

/** A command that runs in this process with `--json`. */
export interface JsonCommandRun {
  /** Returns the lines on stdout so far. */
  readonly lines: () => Record<string, unknown>[];
  /** Rejects with what the command throws. */
  readonly finished: Promise<ExitCode>;
}

/**
 * Runs a command with the given arguments and flags, as the program does.
 *
 * @param onLine called for each line on stderr
 */
export function startCommand(
  module: CommandModule,
  system: System,
  args: readonly string[],
  onLine?: OnLine,
): CommandRun {
  const { recorded, stdout, stderr } = recordOutput(system, { err: onLine });
  const run = async () => {
    let exitCode: Promise<ExitCode> | undefined;
    const command = new Command().exitOverride();
    module.declare?.(command);
    globalFlags(command).action((...passed: unknown[]) => {
      const context = createContext(recorded, command.opts<GlobalFlags>());
      // commander passes the command itself last.
      exitCode = module.run(context, ...(passed.slice(0, -1) as never[]));
    });
    command.parse(args, { from: 'user' });
    if (exitCode === undefined) throw new Error('commander did not run the command');
    return await exitCode;
  };
  return { stdout, stderr, done: run() };
}

/**
 * Runs a command with `--json`, without commander: flags are given as the command declares their types.
 *
 * @param given the positional arguments, then the flags, as commander passes them
 * @param onLine called for each line on stdout
 */
export function startJsonCommand(
  { run }: CommandModule,
  given: readonly unknown[],
  over: Parameters<typeof testSystem>[0],
  onLine?: OnLine,
): JsonCommandRun {
  const { recorded, stdout } = recordOutput(testSystem(over), { out: onLine });
  const context = createContext(recorded, { json: true, quiet: false, verbose: false });
  return { lines: () => ndjson(stdout.join('\n')), finished: run(context, ...(given as never[])) };
}

/** Returns the system with its output replaced by lists of lines. */
function recordOutput(
  system: System,
  onLine: { readonly out?: OnLine | undefined; readonly err?: OnLine | undefined },
) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const io = {
    ...system.io,
    out: (line: string) => {
      stdout.push(line);
      onLine.out?.(line);
    },
    err: (line: string) => {
      stderr.push(line);
      onLine.err?.(line);
    },
  };
  return { recorded: { ...system, io }, stdout, stderr };
}
