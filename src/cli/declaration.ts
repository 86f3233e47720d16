import type { Command } from 'commander';
import type { CommandModule } from '../app/command.ts';

/** A command in the tree: its name and its line in the help. */
export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Loads the command. Called only if the command line names it. */
  readonly load?: () => Promise<CommandModule>;
  readonly subcommands?: readonly CommandDeclaration[];
}

/** Adds the flags that every command takes. */
export function globalFlags(command: Command): Command {
  return command
    .option('--profile <name>', 'the account to use (default: "default")')
    .option('--json', 'print results as NDJSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--verbose', 'print a line for each request');
}
