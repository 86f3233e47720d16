import { type Command, Option } from 'commander';
import type { ExitCode } from '../base/errors.ts';
import type { AppContext } from './context.ts';

/** A command: its flags, and its run function. One file in `commands/` exports each. */
export interface CommandModule {
  /**
   * Adds arguments and flags. The placeholder of a value, such as `<dir>`, is its kind, by which
   * completion scripts offer values.
   */
  readonly declare?: (command: Command) => void;
  /** Command lines for the help, perhaps with `# remark`. */
  readonly examples?: readonly string[];
  /** Files of `docs/` that say more, such as `records.md`. */
  readonly documents?: readonly string[];
  /**
   * Runs the command. commander passes the positional arguments in the order of their declaration,
   * then an object with the flags; each command states their types.
   */
  readonly run: (context: AppContext, ...given: never[]) => Promise<ExitCode>;
}

/** Collects the values of a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function dryRun(): Option {
  return new Option('--dry-run', 'show the exact requests, send nothing');
}

export function choice(flags: string, about: string, values: readonly string[]): Option {
  return new Option(flags, about).choices(values);
}
