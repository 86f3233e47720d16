import type { Command } from 'commander';
import type { CommandModule } from '../app/command.ts';
import type { Invocation } from '../app/invocation.ts';
import type { ExitCode } from '../base/errors.ts';

export { choice, collect, dryRun } from '../app/command.ts';

/** A command in the tree: its name and its line in the help. */
export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Loads the command. Called only if the command line names it. */
  readonly load?: () => Promise<CommandModule>;
  readonly subcommands?: readonly CommandDeclaration[];
  /** Transitional: flags and start of a command that is not yet one file. */
  readonly declare?: (command: Command) => void;
  readonly start?: () => Promise<Start>;
}

/** Runs a command with its arguments and flags, as commander hands them over. */
export type Start = (invocation: Invocation, ...given: readonly unknown[]) => Promise<ExitCode>;

/** Gives a command's function the type that the tree expects. */
export function start(
  run: (invocation: Invocation, ...given: never[]) => Promise<ExitCode>,
): Start {
  return run as Start;
}

/** Adds the flags that every command takes. */
export function globalFlags(command: Command): Command {
  return command
    .option('--profile <name>', 'the account to use (default: "default")')
    .option('--json', 'print results as NDJSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--verbose', 'print a line for each request');
}
