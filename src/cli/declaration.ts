import { type Command, Option } from 'commander';
import type { ExitCode } from '../errors.ts';
import type { Invocation } from './invocation.ts';

/** A command as the tree knows it: its name and a line for the list; the rest when it is meant. */
export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Adds arguments and flags. */
  readonly declare?: (command: Command) => void;
  /** Loads what the command starts. */
  readonly start?: () => Promise<Start>;
  readonly subcommands?: readonly CommandDeclaration[];
}

/** Runs a command with its arguments and flags, as commander hands them over. */
export type Start = (invocation: Invocation, ...given: readonly unknown[]) => Promise<ExitCode>;

/**
 * A loaded command, given the shape of its arguments back: commander passes the positional
 * arguments in the order of their declaration, then an object with the flags.
 */
export function start(
  run: (invocation: Invocation, ...given: never[]) => Promise<ExitCode>,
): Start {
  return run as Start;
}

/** Gathers a flag that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function dryRun(): Option {
  return new Option('--dry-run', 'show the exact requests, send nothing').default(false);
}

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}

/** The flags that every command takes. */
export function globalFlags(command: Command): Command {
  return command
    .option('--profile <name>', 'the account to act for (default: "default")')
    .option('--json', 'results as NDJSON on stdout', false)
    .option('--quiet', 'no progress, no remarks', false)
    .option('--verbose', 'a line for each request', false);
}
