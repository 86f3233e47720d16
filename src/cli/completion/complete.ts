import type { Argument, Command, Option } from 'commander';
import { ChoiceOption, type CommandModule } from '../../app/command.ts';
import type { AppContext } from '../../app/context.ts';
import { ExitCode } from '../../base/errors.ts';
import { type CommandDeclaration, createRoot, declareCommand } from '../tree.ts';
import { type Values, type Word, valuesOf } from './values.ts';

/**
 * Returns `sync complete` for a tree of commands: the hidden command that the scripts of the shells call. It only
 * reads, and loads the command that is typed alone.
 */
export function completeOf(commands: readonly CommandDeclaration[]): CommandModule {
  return {
    declare: (command) =>
      command.argument('[word...]', 'what is typed after the program, up to the cursor'),

    async run(context, typed: readonly string[]) {
      // bash splits --flag=value into three words.
      const words = typed.filter((word) => word !== '=');
      const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
      const { words: offered, paths = '' } = await offersAt(commands, context, words, current);
      context.io.out(paths);
      for (const { word, about = '' } of offered) {
        context.io.out(about === '' ? word : `${word}\t${about}`);
      }
      return ExitCode.ok;
    },
  };
}

/** Returns what fits after some words: the values of a flag, flags, subcommands, or values of an argument. */
async function offersAt(
  commands: readonly CommandDeclaration[],
  context: AppContext,
  words: readonly string[],
  current: string,
): Promise<Values> {
  let command = createRoot(commands);
  let subcommands = commands;
  let flag: Option | undefined;
  const args: string[] = [];
  for (const word of words) {
    const named = subcommands.find(({ name }) => name === word);
    if (flag !== undefined) flag = undefined;
    else if (word.startsWith('-')) flag = flagOf(command, word);
    else if (word === 'help' && subcommands.length > 0) continue;
    else if (named === undefined) args.push(word);
    else {
      command = command.commands.find((each) => each.name() === word) ?? command;
      await declareCommand(command, named);
      subcommands = named.subcommands ?? [];
    }
  }
  const before = args.at(-1) ?? '';
  if (flag !== undefined) return flagValues(flag, context, before);
  const [given] = /^--[^=]+(?==)/.exec(current) ?? [];
  const option = given === undefined ? undefined : flagOf(command, given);
  if (option !== undefined) {
    const { words: values, ...paths } = flagValues(option, context, before);
    return {
      ...paths,
      words: values.map((value) => ({ ...value, word: `${given}=${value.word}` })),
    };
  }
  if (current.startsWith('-')) return { words: flagWords(command, words) };
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const argument = declared[args.length] ?? (last?.variadic === true ? last : undefined);
  if (argument !== undefined) return argumentValues(argument, context, before);
  if (declared.length + args.length > 0) return { words: [] };
  const shown = subcommands.filter(({ hidden }) => hidden !== true);
  if (shown.length === 0) return { words: flagWords(command, words) };
  return { words: shown.map(({ name }) => summaryOf(command, name)) };
}

function visibleOptions(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Returns a flag that takes the next word as its value. */
function flagOf(command: Command, name: string): Option | undefined {
  return visibleOptions(command).find(
    ({ required, short, long }) => required && [short, long].includes(name),
  );
}

/** Returns the names of the flags that may be given now: each once, unless it may be repeated. */
function flagWords(command: Command, given: readonly string[]): Word[] {
  return visibleOptions(command).flatMap(({ short, long, description: about, parseArg }) => {
    const names = [short, long].filter((name) => name !== undefined);
    const isGiven = names.some((name) => given.some((word) => word.replace(/=.*/s, '') === name));
    return isGiven && parseArg === undefined ? [] : names.map((word) => ({ word, about }));
  });
}

function summaryOf(parent: Command, name: string): Word {
  return { word: name, about: parent.commands.find((each) => each.name() === name)?.summary() };
}

function flagValues(option: Option, context: AppContext, before: string): Values {
  if (option instanceof ChoiceOption) {
    return { words: Object.entries(option.meanings).map(([word, about]) => ({ word, about })) };
  }
  const [, placeholder = ''] = /<(.+)>/.exec(option.flags) ?? [];
  return valuesOf(placeholder, context, before);
}

function argumentValues(argument: Argument, context: AppContext, before: string): Values {
  const { argChoices } = argument;
  if (argChoices !== undefined) return { words: argChoices.map((word) => ({ word })) };
  return valuesOf(argument.name(), context, before);
}
