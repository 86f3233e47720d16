import { Argument } from 'commander';
import { type CommandModule } from '../../app/command.ts';
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

/** Returns `sync completion` for a tree of commands. */
export function completionOf(commands: readonly CommandDeclaration[]): CommandModule {
  return {
    declare: (command) =>
      command.addArgument(
        new Argument('<shell>', 'name of the shell').choices(Object.keys(GENERATORS)),
      ),
    examples: [
      'eval "$(sync completion bash)"  # in ~/.bashrc',
      'eval "$(sync completion zsh)"  # in ~/.zshrc, after compinit',
      `sync completion fish > ~/.config/fish/completions/${programName()}.fish`,
      'sync completion powershell | Out-String | Invoke-Expression  # in $PROFILE',
    ],

    async run({ output }, shell: Shell) {
      // Typed with the long name, it leaves `sync` to another program.
      const names: ProgramNames =
        programName() === 'sync' ? ['sync', 'athlete-sync'] : ['athlete-sync'];
      const script = GENERATORS[shell](shapesOf(await createTree(commands)), names);
      output.script({ type: 'completion', shell, script }, script);
      return ExitCode.ok;
    },
  };
}
