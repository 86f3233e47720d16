import { type Command, CommanderError } from 'commander';
import { COMMANDS } from './commands.ts';
import { createRoot, declareCommand, leadingWords } from './tree.ts';
import type { CommandModule } from '../app/command.ts';
import { createContext, type System } from '../app/context.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import type { Io } from '../terminal/io.ts';
import type { GlobalFlags, Output } from '../terminal/output.ts';
import { DEFAULT_WIDTH } from './help.ts';

export const COMMAND_NAMES: readonly string[] = [...COMMANDS.map(({ name }) => name), 'help'];

/** Called before a command runs, so that its error is printed according to its flags. */
type OnFlags = (flags: GlobalFlags, output: Output) => void;

/**
 * Runs a command line. It loads and declares only the command that the line names: declaring all of them
 * takes longer than most commands run.
 */
export async function runCommandLine(
  args: readonly string[],
  system: System,
  onFlags: OnFlags,
): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  const { leading, words } = split(args);
  const root = rootOf(words, system.io);
  /** Returns a commander action that passes the context before the parsed arguments and flags. */
  const actionOf =
    (module: CommandModule) =>
    async (...passed: unknown[]): Promise<void> => {
      // commander passes the arguments, the flags, and the command.
      const command = passed.at(-1) as Command;
      const flags = flagsOf(root, command, system);
      const context = createContext(system, flags);
      onFlags(flags, context.output);
      // The shell's completion passes the word under the cursor.
      if (words[0] !== 'complete') {
        const given = passed.slice(0, -2);
        refuseEmpty(given, command);
        refuseDashes(given, command);
      }
      exitCode = await module.run(context, ...(passed.slice(0, -1) as never[]));
    };
  try {
    // `sync push help wellness` names a command, too.
    const named = words.filter((word) => word !== 'help');
    await declareNamed(root, named, (command, module) => command.action(actionOf(module)));
    await root.parseAsync([...leading, ...words], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A help text was printed.
    if (error.exitCode === 0) return ExitCode.ok;
    const { usageError } = await import('./usage-error.ts');
    throw usageError(error, words, root, system.cwd);
  }
}

/**
 * Splits off the common options before a command, and between a command and its subcommand. `help push wellness` becomes
 * `push wellness --help`: commander's `help` takes one word.
 */
function split(args: readonly string[]): Record<'leading' | 'words', readonly string[]> {
  const before = leadingWords(args);
  const [first, ...rest] = args.slice(before);
  if (first === undefined) return { leading: args, words: [] };
  if (first === 'help') {
    const { leading, words } = split(rest);
    return { leading: [...args.slice(0, before), ...leading], words: [...words, '--help'] };
  }
  const isGroup = COMMANDS.some(({ name, subcommands }) => name === first && subcommands);
  const between = isGroup ? leadingWords(rest) : 0;
  return {
    leading: [...args.slice(0, before), ...rest.slice(0, between)],
    words: [first, ...rest.slice(between)],
  };
}

/** Creates the program with the named command alone, which takes less time; with all for the help. */
function rootOf([first]: readonly string[], io: Io): Command {
  const named = COMMANDS.filter(({ name }) => name === first);
  return createRoot(named.length > 0 ? named : COMMANDS)
    .configureOutput({
      writeOut: (text) => io.out(text.replace(/\n$/, '')),
      writeErr: () => undefined,
      // Otherwise commander asks `process.stdout`, which takes 2 ms to load.
      getOutHelpWidth: () => io.stdoutColumns || DEFAULT_WIDTH,
      getOutHasColors: () => false,
    })
    .exitOverride();
}

/**
 * Declares the named command, and the subcommands of its parents.
 *
 * @throws CommanderError for a word that names none, also before `--help`
 */
async function declareNamed(
  root: Command,
  words: readonly string[],
  onModule: (command: Command, module: CommandModule) => void,
): Promise<void> {
  let command = root;
  let declarations = COMMANDS;
  for (const word of words) {
    const declaration = declarations.find(({ name }) => name === word);
    const named = command.commands.find((known) => known.name() === word);
    if (declaration === undefined || named === undefined) {
      if (declarations.length === 0 || word.startsWith('-')) return;
      throw new CommanderError(2, 'commander.unknownCommand', `error: unknown command '${word}'`);
    }
    named.copyInheritedSettings(root);
    const module = await declareCommand(named, declaration);
    if (module !== undefined) onModule(named, module);
    [command, declarations] = [named, declaration.subcommands ?? []];
  }
}

/** @throws SyncError `USAGE` for an argument, or the value of a flag, that is empty */
function refuseEmpty(given: readonly unknown[], command: Command): void {
  const values: Readonly<Record<string, unknown>> = command.opts();
  const flag = command.options.find((each) => [values[each.attributeName()]].flat().includes(''));
  const isMissing = given.flat().includes('');
  if (flag === undefined && !isMissing) return;
  const what = isMissing ? 'An argument' : `The value of ${flag?.long ?? 'a flag'}`;
  throw new SyncError('USAGE', `${what} is empty.`, {
    hint: 'In a script, the variable in its place may not be set.',
  });
}

/** @throws SyncError `USAGE` for a flag whose hyphens became a dash in another program: as a file, it would have no effect */
function refuseDashes(given: readonly unknown[], { options }: Command): void {
  for (const word of given.flat().filter((each) => typeof each === 'string')) {
    const flag = word.replace(/^[\u2010-\u2015\u2212][-\u2010-\u2015\u2212]*/, '--');
    if (flag === word || !options.some(({ long }) => long === flag.split('=', 1)[0])) continue;
    throw new SyncError('USAGE', `${word} begins with a dash, a flag with two hyphens.`, {
      hint: `Write ${flag}, or ./${word} for a file.`,
    });
  }
}

/** Returns the common flags, before or after the command. */
function flagsOf(root: Command, command: Command, { env }: System): GlobalFlags {
  const { profile, json, quiet, verbose } = {
    ...root.opts<Partial<GlobalFlags>>(),
    ...command.opts<Partial<GlobalFlags>>(),
  };
  return {
    profile: profile ?? (env['SYNC_PROFILE'] || undefined),
    json: json ?? false,
    quiet: quiet ?? false,
    verbose: verbose ?? false,
  };
}
