import type { Argument, Help, Option } from 'commander';
import type { CommandModule } from '../app/command.ts';
import { documentUrl } from '../base/version.ts';
import { withProgramName } from '../base/phrase.ts';

/** Width of the help if stdout is no terminal (columns). */
export const DEFAULT_WIDTH = 80;

/** Returns the description of an option or argument: its meaning, its choices, its default. */
export function describeOption({
  description,
  argChoices,
  defaultValueDescription,
}: Option | Argument): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  const standard =
    defaultValueDescription === undefined ? '' : ` (default: ${defaultValueDescription})`;
  return withProgramName(`${description}${choices}${standard}`);
}

export interface Example {
  readonly command: string;
  readonly remark: string | undefined;
}

/** Splits `sync login --no-browser   # over SSH` into its command and its remark. */
export function parseExample(line: string): Example {
  const [command = '', remark] = withProgramName(line).split(/\s+# /);
  return { command, remark };
}

/** Returns the end of a command's help: its own sections, examples, and documents that say more. */
export function helpFooter(
  { sections = [], examples = [], documents = [] }: CommandModule,
  help: Help,
): string {
  const width = help.helpWidth ?? DEFAULT_WIDTH;
  const blocks = [
    ...sections.map(({ heading, terms }) => [heading, ...termLines(terms, help)]),
    ['Examples:', ...exampleLines(examples, width)],
    ['Learn more:', ...documents.map((name) => `  ${documentUrl(name)}`)],
  ];
  return blocks
    .filter((lines) => lines.length > 1)
    .map((lines) => ['', ...lines].join('\n'))
    .join('\n');
}

function termLines(terms: Readonly<Record<string, string>>, help: Help): string[] {
  const width = Math.max(...Object.keys(terms).map((term) => term.length));
  return Object.entries(terms).map(([term, about]) =>
    help.formatItem(term, width, withProgramName(about), help),
  );
}

/** Puts remarks beside the commands, or above them if the terminal is too narrow. */
function exampleLines(examples: readonly string[], width: number): string[] {
  const parsed = examples.map(parseExample);
  const column = Math.max(
    ...parsed.map(({ command, remark }) => (remark === undefined ? 0 : command.length)),
  );
  const beside = parsed.map(({ command, remark }) =>
    remark === undefined ? `  $ ${command}` : `  $ ${command.padEnd(column)}  # ${remark}`,
  );
  if (beside.every((line) => line.length <= width)) return beside;
  return parsed.flatMap(({ command, remark }) => [
    ...(remark === undefined ? [] : [`  # ${remark}`]),
    `  $ ${command}`,
  ]);
}
