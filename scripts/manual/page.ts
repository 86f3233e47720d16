import type { Command, Option } from 'commander';
import { documentUrl } from '../../src/base/version.ts';
import { programName, withProgramName } from '../../src/base/phrase.ts';
import { describeOption, parseExample } from '../../src/cli/help.ts';
import { COMMON_OPTIONS, globalFlags, type CommandNode, firstSteps } from '../../src/cli/tree.ts';
import { findPaths, systemConfigFile } from '../../src/config/paths.ts';
import { presetKeys } from '../../src/config/system-file.ts';
import { EXIT_MEANINGS, VARIABLES } from './facts.ts';

/** Returns the manual page athlete-sync(1) as roff. */
export function manualPage(root: CommandNode, version: string): string {
  const runnable = root.subcommands.flatMap((node) => [node, ...node.subcommands]);
  return [
    `.TH ATHLETE\\-SYNC 1 "" "athlete\\-sync ${version}" "User Commands"`,
    '.SH NAME',
    "athlete\\-sync, sync \\- move an athlete's data into their training platform",
    '.SH SYNOPSIS',
    `\\fBathlete\\-sync\\fR \\fIcommand\\fR [\\fIoptions\\fR]`,
    '.br',
    `\\fBsync\\fR \\fIcommand\\fR [\\fIoptions\\fR]`,
    '.SH DESCRIPTION',
    text(root.command.description()),
    ...paragraph(
      'Both names start the same program, unless only athlete-sync is installed. `sync` alone, `sync FILE`, `sync -d` and `sync -f` run the sync(1) of the system.',
    ),
    ...paragraph(firstSteps()),
    '.SH COMMANDS',
    ...runnable.filter(({ module }) => module !== undefined).flatMap(commandSection),
    '.SH COMMON OPTIONS',
    ...commonOptions(root.command).flatMap(optionEntry),
    '.SH ENVIRONMENT',
    text(
      'Flags override the environment, the environment overrides the configuration file of the user, and that one the file for all users.',
    ),
    ...VARIABLES.flatMap(({ name, about }) => entry(bold(name), about)),
    '.SH FILES',
    ...files(),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => entry(bold(code), meaning)),
    ...paragraph('If several apply, the precedence is 4, 5, 6, 3.'),
    '.SH SEE ALSO',
    text(documentUrl('')),
  ].join('\n');
}

function commandSection({ path, command, module }: CommandNode): string[] {
  const examples = (module?.examples ?? []).map(parseExample);
  const own = command.options.filter(
    ({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading !== COMMON_OPTIONS,
  );
  const usage = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [
    `.SS "${escape([programName(), ...path, ...(own.length === 0 ? [] : ['[options]']), ...usage].join(' '))}"`,
    text(command.description()),
    ...command.registeredArguments.flatMap((argument) =>
      entry(`\\fI${escape(argument.name())}\\fR`, describeOption(argument)),
    ),
    ...own.flatMap(optionEntry),
    ...(module?.sections ?? []).flatMap(({ heading, terms }) => [
      ...paragraph(heading),
      ...Object.entries(terms).flatMap(([term, about]) =>
        entry(bold(term), withProgramName(about)),
      ),
    ]),
    ...(examples.length === 0 ? [] : ['.PP', 'Examples:', '.PP', '.RS 4', '.EX']),
    ...examples.flatMap(({ command: line, remark }) => [
      ...(remark === undefined ? [] : [text(`# ${remark}`)]),
      text(line),
    ]),
    ...(examples.length === 0 ? [] : ['.EE', '.RE']),
  ];
}

function commonOptions(root: Command): readonly Option[] {
  const options = globalFlags(root.createCommand()).options;
  return [...options, ...root.createHelp().visibleOptions(root)];
}

function optionEntry(option: Option): string[] {
  // "-n, --lines <n>": flags are bold, the placeholders of values italic.
  const flags = escape(option.flags)
    .replace(/\\-[\w\\-]+/g, (flag) => `\\fB${flag}\\fR`)
    .replace(/<([^>]+)>/g, '\\fI$1\\fR')
    .replace(/\[([^\]]+)\]/g, '[\\fI$1\\fR]');
  return entry(flags, describeOption(option));
}

function files(): string[] {
  const { configFile, stateDir } = findPaths({}, 'linux', HOME);
  const shown = (path: string) => bold(path.replace(HOME, '~'));
  return [
    ...entry(shown(configFile), 'the settings of each profile, without secrets'),
    ...entry(shown(stateDir), 'record of sent data, locks and logs'),
    ...entry(
      shown(systemConfigFile({}, 'linux')),
      `settings for all users of this machine: ${presetKeys().join(', ')}`,
    ),
  ];
}

/** Stands for the home folder until the path is shown. */
const HOME = '/HOME';

function entry(term: string, description: string): string[] {
  return ['.TP', term, text(description)];
}

function paragraph(content: string): string[] {
  return ['.PP', text(content)];
}

/** Returns a line of text: commands in backticks are bold. */
function text(content: string): string {
  const line = escape(content).replace(/`([^`]+)`/g, '\\fB$1\\fR');
  // A dot or an apostrophe at the beginning would be a request.
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

function bold(word: string): string {
  return `\\fB${escape(word)}\\fR`;
}

/** Escapes what roff reads as its own: backslashes, quotation marks, hyphens that are typed. */
function escape(content: string): string {
  return content
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
