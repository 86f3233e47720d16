import { Argument } from 'commander';
import { ChoiceOption, type CommandModule } from '../../app/command.ts';
import { ExitCode } from '../../base/errors.ts';
import { programName } from '../../base/phrase.ts';
import { type CommandDeclaration, createTree } from '../tree.ts';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { powershell } from './powershell.ts';
import { type Generator, type ProgramNames, shapesOf } from './shape.ts';
import { zsh } from './zsh.ts';

const GENERATORS = { bash, zsh, fish, powershell } satisfies Record<string, Generator>;
type Shell = keyof typeof GENERATORS;

interface CompletionFlags {
  readonly only?: string;
}

const NAMES = {
  sync: 'the short name',
  'athlete-sync': 'the long name, beside the sync of coreutils',
};

/** Returns `sync completion` for a tree of commands. */
export function completionOf(commands: readonly CommandDeclaration[]): CommandModule {
  return {
    declare: (command) =>
      command
        .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(GENERATORS)))
        .addOption(
          new ChoiceOption('--only <name>', 'complete one name of this program', NAMES).default(
            undefined,
            'both',
          ),
        ),
    examples: [
      'eval "$(sync completion bash)"  # in ~/.bashrc',
      'eval "$(sync completion zsh)"  # in ~/.zshrc, after compinit',
      `sync completion fish > ~/.config/fish/completions/${programName()}.fish`,
      'sync completion powershell | Out-String | Invoke-Expression  # in $PROFILE',
    ],

    async run({ output, version }, shell: Shell, { only }: CompletionFlags) {
      const names: ProgramNames = only === undefined ? ['sync', 'athlete-sync'] : [only];
      const script = GENERATORS[shell](shapesOf(await createTree(commands, version)), names);
      output.script({ type: 'completion', shell, script }, script);
      return ExitCode.ok;
    },
  };
}
