import type { Command } from 'commander';
import type { CommandModule } from '../app/command.ts';
import type { Invocation } from '../app/invocation.ts';
import type { ExitCode } from '../base/errors.ts';

export { choice, collect, dryRun } from '../app/command.ts';

/** A command as the tree knows it: its name and a line for the list. */
export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Loads the command; only the one that the command line names is loaded. */
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

/** The flags that every command takes. */
export function globalFlags(command: Command): Command {
  return command
    .option('--profile <name>', 'the account to act for (default: "default")')
    .option('--json', 'results as NDJSON on stdout')
    .option('--quiet', 'no progress, no remarks')
    .option('--verbose', 'a line for each request');
}
