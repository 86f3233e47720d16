import { Command } from 'commander';
import type { CommandModule } from '../../src/app/command.ts';
import { createContext } from '../../src/app/context.ts';
import type { System } from '../../src/app/system.ts';
import type { ExitCode } from '../../src/base/errors.ts';
import { globalFlags } from '../../src/cli/declaration.ts';
import type { GlobalFlags } from '../../src/terminal/output.ts';

/** A command that runs in this process, and the lines that it printed so far. */
export interface CommandRun {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly done: Promise<ExitCode>;
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
  onLine: (line: string) => void = () => undefined,
): CommandRun {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const io = {
    ...system.io,
    out: (line: string) => void stdout.push(line),
    err: (line: string) => {
      stderr.push(line);
      onLine(line);
    },
  };
  const run = async () => {
    let exitCode: Promise<ExitCode> | undefined;
    const command = new Command().exitOverride();
    module.declare(command);
    globalFlags(command).action((...passed: unknown[]) => {
      const context = createContext({ ...system, io }, 'test', command.opts<GlobalFlags>());
      // commander passes the command itself last.
      exitCode = module.run(context, ...(passed.slice(0, -1) as never[]));
    });
    command.parse(args, { from: 'user' });
    if (exitCode === undefined) throw new Error('commander did not run the command');
    return await exitCode;
  };
  return { stdout, stderr, done: run() };
}
