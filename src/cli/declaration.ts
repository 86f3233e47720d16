import type { Command } from 'commander';
import type { CommandModule } from '../app/command.ts';

/** Headings of the commands in `sync --help`. */
export type CommandGroup =
  'Every day' | 'In the background' | 'Account' | 'Look into' | 'For developers';

/** A command in the tree: its name and its line in the help. */
export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Heading in the help of the program; subcommands have none. */
  readonly group?: CommandGroup;
  /** Called by the build and by completion scripts: no help lists it. */
  readonly hidden?: true;
  /** Loads the command. Called only if the command line names it. */
  readonly load?: () => Promise<CommandModule>;
  readonly subcommands?: readonly CommandDeclaration[];
}

/** Heading of the flags that every command takes. */
export const COMMON_OPTIONS = 'Common options:';

/** Adds the flags that every command takes. */
export function globalFlags(command: Command): Command {
  return command
    .optionsGroup(COMMON_OPTIONS)
    .option('--profile <profile>', 'account to use (default: default)')
    .option('--json', 'print results as NDJSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--verbose', 'print a line for each request');
}
