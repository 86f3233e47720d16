import { Command, Help, Option } from 'commander';
import type { CommandModule } from '../app/command.ts';
import { phrase, sync, programName, withProgramName } from '../base/phrase.ts';
import { capital, sentence } from '../terminal/words.ts';
import { DEFAULT_WIDTH, describeOption, helpFooter } from './help.ts';
import { VERSION } from '../base/version.ts';

/** Headings of the commands in `sync --help`. */
export type CommandGroup =
  'Every day' | 'In the background' | 'Account' | 'Inspect' | 'For developers';

export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Heading in the help of the program; subcommands have none. */
  readonly group?: CommandGroup;
  /** Called by completion scripts: no help lists it. */
  readonly hidden?: true;
  /** Loads the command. Called only if the command line names it. */
  readonly load?: () => Promise<CommandModule>;
  readonly subcommands?: readonly CommandDeclaration[];
}

export const COMMON_OPTIONS = 'Common options:';

/** Adds the flags that every command takes, and the program itself before a command. */
export function globalFlags(command: Command): Command {
  return command
    .optionsGroup(COMMON_OPTIONS)
    .option('--profile <profile>', 'account to use (default: default)')
    .option('--json', 'print results as NDJSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--verbose', 'print a line for each request');
}

/** Returns how many words of a command line stand before its command: common options, with their values. */
export function leadingWords(args: readonly string[]): number {
  let at = 0;
  while (/^--(?:json|quiet|verbose|profile(?:=.*)?)$/s.test(args[at] ?? '')) {
    at += args[at] === '--profile' ? 2 : 1;
  }
  return Math.min(at, args.length);
}

/** Narrowest column in which commander wraps descriptions (columns). */
const MIN_WRAP_WIDTH = 20;

/** Returns the first steps of a new user. */
export function firstSteps(): string {
  return phrase`Begin with ${sync('login')}, then ${sync('upload', 'ride.fit')}.`.render();
}

export function createRoot(commands: readonly CommandDeclaration[]): Command {
  const root = new Command(programName())
    .description("Moves an athlete's data into their training platform.")
    .enablePositionalOptions();
  globalFlags(root)
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpOption(new Option('-h, --help', 'show help'))
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', `\n${firstSteps()}\n${moreHelp('COMMAND')}`)
    .configureHelp({
      minWidthToWrap: MIN_WRAP_WIDTH,
      optionDescription: describeOption,
      argumentDescription: describeOption,
      visibleCommands: (command) =>
        new Help().visibleCommands(command).filter((sub) => sub.name() !== 'help'),
    });
  addCommands(root, commands);
  return root;
}

/** Adds a command's flags, help and the names of its subcommands. Returns its module, if it runs. */
export async function declareCommand(
  command: Command,
  { load, subcommands = [] }: CommandDeclaration,
): Promise<CommandModule | undefined> {
  addCommands(command, subcommands);
  if (subcommands.length > 0) {
    command.addHelpText('after', `\n${moreHelp(command.name(), 'COMMAND')}`);
  }
  const module = await load?.();
  if (module === undefined) return undefined;
  module.declare?.(command);
  globalFlags(command);
  command.addHelpText('after', () => helpFooter(module, helpOf(command)));
  return module;
}

/** A command with its module and its subcommands, for texts about all commands. */
export interface CommandNode {
  /** Its words: `['push', 'wellness']`; none for the program itself. */
  readonly path: readonly string[];
  readonly command: Command;
  readonly module: CommandModule | undefined;
  readonly subcommands: readonly CommandNode[];
}

/** Declares all commands with all flags, which takes longer than most commands run. */
export async function createTree(commands: readonly CommandDeclaration[]): Promise<CommandNode> {
  const root = createRoot(commands);
  const subcommands = await declareAll(root, [], commands);
  return { path: [], command: root, module: undefined, subcommands };
}

async function declareAll(
  parent: Command,
  parentPath: readonly string[],
  declarations: readonly CommandDeclaration[],
): Promise<CommandNode[]> {
  const nodes: CommandNode[] = [];
  for (const declaration of declarations) {
    const command = parent.commands.find((known) => known.name() === declaration.name);
    if (command === undefined || declaration.hidden === true) continue;
    const module = await declareCommand(command, declaration);
    const path = [...parentPath, declaration.name];
    const subcommands = await declareAll(command, path, declaration.subcommands ?? []);
    nodes.push({ path, command, module, subcommands });
  }
  return nodes;
}

function addCommands(parent: Command, declarations: readonly CommandDeclaration[]): void {
  for (const { name, summary, group, hidden = false } of declarations) {
    const command = parent
      .command(name, { hidden })
      .summary(withProgramName(summary))
      .description(withProgramName(sentence(capital(summary))));
    if (group !== undefined) command.helpGroup(`${group}:`);
  }
}

function moreHelp(...words: readonly string[]): string {
  return phrase`${sync('help', ...words)} shows its options and examples.`.render();
}

/** Returns the formatter of a command's help for the width of the terminal. */
function helpOf(command: Command): Help {
  const help = command.createHelp();
  help.prepareContext({
    helpWidth: command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_WIDTH,
  });
  return help;
}
