import type { Option } from 'commander';
import type { CommandModule } from '../app/command.ts';
import { documentUrl } from '../base/documents.ts';

/** Returns an option's description with its choices. Its default is part of the description. */
export function describeOption({ description, argChoices }: Option): string {
  return argChoices === undefined ? description : `${description}: ${argChoices.join(', ')}`;
}

/** A command line that the help shows. */
export interface Example {
  readonly command: string;
  readonly remark: string | undefined;
}

/** Splits `sync login --no-browser   # over SSH` into its command and its remark. */
export function parseExample(line: string): Example {
  const [command = '', remark] = line.split(/\s+# /);
  return { command, remark };
}

/** Returns the end of a command's help: its examples, and the documents that say more. */
export function helpFooter(
  { examples = [], documents = [] }: CommandModule,
  width: number,
): string {
  const sections = [
    ...(examples.length === 0 ? [] : [['Examples:', ...exampleLines(examples, width)]]),
    ...(documents.length === 0
      ? []
      : [['Learn more:', ...documents.map((name) => `  ${documentUrl(name)}`)]]),
  ];
  return sections.map((lines) => ['', ...lines].join('\n')).join('\n');
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
