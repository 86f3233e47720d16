import type { Argument, Option } from 'commander';
import { ChoiceOption } from '../../app/command.ts';
import type { CommandNode } from '../tree.ts';
import { type Values, type Word, valuesOf } from './values.ts';

/** A command as a completion script needs it. */
export interface CommandShape {
  /** Its words: `['push', 'wellness']`; none for the program itself. */
  readonly path: readonly string[];
  readonly subcommands: readonly Word[];
  readonly flags: readonly FlagShape[];
  readonly args: readonly ArgumentShape[];
}

export interface FlagShape {
  /** `['-f', '--follow']` */
  readonly names: readonly string[];
  readonly about: string;
  readonly repeatable: boolean;
  /** Undefined if the flag takes no value, or none that is required. */
  readonly value: ValueShape | undefined;
}

export interface ValueShape {
  /** `zone` */
  readonly name: string;
  readonly values: Values;
}

export interface ArgumentShape extends ValueShape {
  readonly variadic: boolean;
}

export type ProgramNames = readonly [string, ...string[]];

export type Generator = (commands: readonly CommandShape[], names: ProgramNames) => string;

export function shapesOf(node: CommandNode): CommandShape[] {
  const { path, command, subcommands } = node;
  const options = command.createHelp().visibleOptions(command);
  return [
    {
      path,
      subcommands: subcommands.map((sub) => ({
        word: sub.command.name(),
        about: sub.command.summary(),
      })),
      flags: options.map(flagShape),
      args: command.registeredArguments.map(argumentShape),
    },
    ...subcommands.flatMap(shapesOf),
  ];
}

/** Returns the flags of a command that take a value, by each of their names. */
export function valueFlags({ flags }: CommandShape) {
  return flags.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((at) => ({ at, values: value.values })),
  );
}

/**
 * Returns what a shell offers in a command: at `-` the names of its flags, at each name the values of the
 * flag, at `0` and so on its arguments; `*` is any argument.
 */
export function offersOf(shape: CommandShape): { readonly at: string; readonly values: Values }[] {
  const { subcommands, flags, args } = shape;
  const flagNames = flags.flatMap(({ names, about }) => names.map((word) => ({ word, about })));
  const first = subcommands.length > 0 ? subcommands : flagNames;
  return [
    { at: '-', values: { words: flagNames } },
    ...valueFlags(shape),
    ...args.map(({ values, variadic }, index) => ({ at: variadic ? '*' : String(index), values })),
    ...(args.length === 0 ? [{ at: '0', values: { words: first } }] : []),
  ];
}

/** Returns the words of a command, each after a space: ` push wellness`. */
export function pathOf({ path }: CommandShape): string {
  return path.map((word) => ` ${word}`).join('');
}

/** Quotes a word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function flagShape(option: Option): FlagShape {
  const { short, long, description: about, parseArg } = option;
  return {
    names: [short, long].filter((name) => name !== undefined),
    about,
    repeatable: parseArg !== undefined,
    value: option.required
      ? { name: placeholderOf(option), values: optionValues(option) }
      : undefined,
  };
}

/** Returns `zone` for `--tz <zone>`. */
function placeholderOf({ flags }: Option): string {
  return /<(.+)>/.exec(flags)?.[1] ?? '';
}

function optionValues(option: Option): Values {
  if (option instanceof ChoiceOption) {
    return { words: Object.entries(option.meanings).map(([word, about]) => ({ word, about })) };
  }
  return valuesOf(placeholderOf(option));
}

function argumentShape(argument: Argument): ArgumentShape {
  const { argChoices, variadic } = argument;
  const name = argument.name();
  const words = argChoices?.map((word) => ({ word, about: '' }));
  return { name, variadic, values: words === undefined ? valuesOf(name) : { words } };
}
