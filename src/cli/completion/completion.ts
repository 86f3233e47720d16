import { Argument } from 'commander';
import { type CommandModule } from '../../app/command.ts';
import { ExitCode } from '../../base/errors.ts';
import { programName } from '../../base/phrase.ts';
import { type ProgramNames, SCRIPTS } from './scripts.ts';

export const completion: CommandModule = {
  declare: (command) =>
    command.addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(SCRIPTS))),
  get examples() {
    return [
      'eval "$(sync completion bash)"  # in ~/.bashrc',
      'eval "$(sync completion zsh)"  # in ~/.zshrc, after compinit',
      `sync completion fish > ~/.config/fish/completions/${programName()}.fish`,
      'sync completion powershell | Out-String | Invoke-Expression  # in $PROFILE',
    ];
  },

  run({ output }, shell: keyof typeof SCRIPTS) {
    // Typed with the long name, it leaves `sync` to another program.
    const names: ProgramNames =
      programName() === 'sync' ? ['sync', 'athlete-sync'] : ['athlete-sync'];
    const script = SCRIPTS[shell](names);
    output.script({ type: 'completion', shell, script }, script);
    return Promise.resolve(ExitCode.ok);
  },
};
