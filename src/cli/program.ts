import { type Command, CommanderError } from 'commander';
import { COMMANDS } from './commands.ts';
import { type CommandDeclaration, createRoot, declareCommand, leadingWords } from './tree.ts';
import type { CommandModule } from '../app/command.ts';
import { createContext, type System } from '../app/context.ts';
import { ExitCode } from '../base/errors.ts';
import type { GlobalFlags, Output } from '../terminal/output.ts';
import { DEFAULT_WIDTH } from './help.ts';

/** The command line: a tree of commands, each loaded on demand. */
export interface Program {
  readonly commandNames: readonly string[];
  run(): Promise<ExitCode>;
}

export interface ProgramOptions {
  readonly version: string;
  readonly system: System;
  /** Called before a command runs, so that its error is printed according to its flags. */
  readonly onFlags: (flags: GlobalFlags, output: Output) => void;
}

/**
 * Builds the tree for one command line. It loads and declares only the command that the line names:
 * declaring all of them takes longer than most commands run.
 */
export function buildProgram(options: ProgramOptions, args: readonly string[]): Program {
  let exitCode: ExitCode = ExitCode.ok;
  // Each command takes time to create, and one alone runs. The help names all.
  const words = args.slice(leadingWords(args));
  const named = COMMANDS.filter(({ name }) => name === words[0]);
  const root = createRoot(named.length > 0 ? named : COMMANDS, options.version)
    .configureOutput({
      writeOut: (text) => options.system.io.out(text.replace(/\n$/, '')),
      writeErr: () => undefined,
      // Otherwise commander asks `process.stdout`, which takes 2 ms to load.
      getOutHelpWidth: () => options.system.io.stdoutColumns || DEFAULT_WIDTH,
      getOutHasColors: () => false,
    })
    .exitOverride();

  /** Declares the named command, and the subcommands of its parents. */
  async function declareNamed(words: readonly string[]): Promise<void> {
    let command = root;
    let declarations: readonly CommandDeclaration[] = COMMANDS;
    for (const word of words) {
      const declaration = declarations.find(({ name }) => name === word);
      const named = command.commands.find((known) => known.name() === word);
      if (declaration === undefined || named === undefined) return;
      named.copyInheritedSettings(root);
      const module = await declareCommand(named, declaration);
      if (module !== undefined) named.action(actionOf(module));
      [command, declarations] = [named, declaration.subcommands ?? []];
    }
  }

  /** Returns a commander action that passes the context before the parsed arguments and flags. */
  function actionOf(module: CommandModule) {
    return async (...passed: unknown[]): Promise<void> => {
      // commander passes the arguments, the flags, and the command.
      const command = passed.at(-1) as Command;
      const { system, version } = options;
      const { profile, json, quiet, verbose } = {
        ...root.opts<Partial<GlobalFlags>>(),
        ...command.opts<Partial<GlobalFlags>>(),
      };
      const flags = {
        profile: profile ?? (system.env['SYNC_PROFILE'] || undefined),
        json: json ?? false,
        quiet: quiet ?? false,
        verbose: verbose ?? false,
      };
      const context = createContext(system, version, flags);
      options.onFlags(flags, context.output);
      exitCode = await module.run(context, ...(passed.slice(0, -1) as never[]));
    };
  }

  return {
    commandNames: [...COMMANDS.map(({ name }) => name), 'help'],
    async run() {
      try {
        // `sync help upload` and `sync push help wellness` name a command, too.
        await declareNamed(words.filter((word) => word !== 'help'));
        const leading = args.slice(0, args.length - words.length);
        await root.parseAsync([...leading, ...withHelpFlag(words)], { from: 'user' });
        return exitCode;
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error;
        // A help text was printed.
        if (error.exitCode === 0) return ExitCode.ok;
        const { usageError } = await import('./usage-error.ts');
        throw usageError(error, words, root);
      }
    },
  };
}

/** Returns `push wellness --help` for `help push wellness`: commander's `help` takes one word. */
function withHelpFlag(args: readonly string[]): readonly string[] {
  const [first, ...words] = args;
  return first === 'help' && words.length > 1 ? [...words, '--help'] : args;
}
