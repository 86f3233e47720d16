import { Command } from 'commander';
import type { CommandModule } from '../app/command.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type CommandDeclaration, globalFlags } from './declaration.ts';

/** Returns `sync completion` for a tree of commands. */
export function completionOf(tree: readonly CommandDeclaration[]): CommandModule {
  return {
    declare: (command) => command.argument('<shell>', [...GENERATORS.keys()].join(', ')),
    examples: [
      'eval "$(sync completion bash)"    # in ~/.bashrc',
      'sync completion fish > ~/.config/fish/completions/sync.fish',
    ],

    async run({ output }, shell: string) {
      const generator = GENERATORS.get(shell);
      if (generator === undefined) {
        const supported = [...GENERATORS.keys()].join(', ');
        throw new SyncError('USAGE', `Unsupported shell "${shell}". Supported: ${supported}.`);
      }
      const script = generator(await shapesOf([], tree));
      output.result({ type: 'completion', shell, script }, script, { verbatim: true });
      return ExitCode.ok;
    },
  };
}

/** A command as a completion script needs it. */
interface CommandShape {
  /** Its words: `['push', 'wellness']`; none for the program itself. */
  readonly path: readonly string[];
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly string[];
}

/** Returns a command and all its subcommands. */
async function shapesOf(
  path: readonly string[],
  subcommands: readonly CommandDeclaration[],
  declaration?: CommandDeclaration,
): Promise<CommandShape[]> {
  const command = new Command();
  (await declaration?.load?.())?.declare?.(command);
  if (declaration?.load !== undefined) globalFlags(command);
  const visible = command.options.filter(({ hidden }) => !hidden);
  const flags = [...visible.flatMap(({ long }) => long ?? []), '--help'];
  const below = subcommands.map(
    async (sub) => await shapesOf([...path, sub.name], sub.subcommands ?? [], sub),
  );
  return [{ path, subcommands, flags }, ...(await Promise.all(below)).flat()];
}

const GENERATORS = new Map<string, (commands: readonly CommandShape[]) => string>([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
  ['powershell', powershell],
]);

const NAMES = ['sync', 'athlete-sync'] as const;

function wordsOf({ subcommands, flags }: CommandShape): string {
  return [...subcommands.map(({ name }) => name), ...flags].join(' ');
}

function bash(commands: readonly CommandShape[]): string {
  return [
    '# In ~/.bashrc: eval "$(sync completion bash)"',
    '_athlete_sync() {',
    '  local word path=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$path $word" in',
    ...commands
      .filter(({ path }) => path.length > 0)
      .map(({ path }) => `      " ${path.join(' ')}") path=" ${path.join(' ')}" ;;`),
    '    esac',
    '  done',
    '  local words=""',
    '  case "$path" in',
    ...commands.map(
      (shape) =>
        `    "${shape.path.map((word) => ` ${word}`).join('')}") words="${wordsOf(shape)}" ;;`,
    ),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    `complete -o default -o bashdefault -F _athlete_sync ${NAMES.join(' ')}`,
  ].join('\n');
}

function zsh(commands: readonly CommandShape[]): string {
  return [
    '# In ~/.zshrc, after compinit: eval "$(sync completion zsh)"',
    '_athlete_sync() {',
    '  local word where=""',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "$where $word" in',
    ...commands
      .filter(({ path }) => path.length > 0)
      .map(({ path }) => `      " ${path.join(' ')}") where=" ${path.join(' ')}" ;;`),
    '    esac',
    '  done',
    '  case "$where" in',
    ...commands.map(
      (shape) =>
        `    "${shape.path.map((word) => ` ${word}`).join('')}") compadd -- ${wordsOf(shape)} ;;`,
    ),
    '  esac',
    '  _files',
    '}',
    `compdef _athlete_sync ${NAMES.join(' ')}`,
  ].join('\n');
}

function fish(commands: readonly CommandShape[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ path, subcommands, flags }) => {
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const unseen =
      subcommands.length === 0
        ? ''
        : `not __fish_seen_subcommand_from ${subcommands.map(({ name }) => name).join(' ')}`;
    const when = [seen, unseen].filter((part) => part !== '').join('; and ');
    const condition = when === '' ? '' : ` -n ${quote(when)}`;
    return NAMES.flatMap((program) => [
      ...subcommands.map(
        ({ name, summary }) =>
          `complete -c ${program}${condition} -f -a ${name} -d ${quote(summary)}`,
      ),
      ...flags
        .filter((flag) => flag.startsWith('--'))
        .map((flag) => `complete -c ${program}${condition} -l ${flag.slice(2)}`),
    ]);
  });
  return ['# sync completion fish > ~/.config/fish/completions/sync.fish', ...lines].join('\n');
}

function powershell(commands: readonly CommandShape[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return [
    '# In $PROFILE: sync completion powershell | Out-String | Invoke-Expression',
    `Register-ArgumentCompleter -Native -CommandName ${NAMES.join(', ')} -ScriptBlock {`,
    '  param($wordToComplete, $commandAst, $cursorPosition)',
    '  $known = @{',
    ...commands.map(
      (shape) =>
        `    ${quote(shape.path.join(' '))} = @(${wordsOf(shape)
          .split(' ')
          .filter((word) => word !== '')
          .map(quote)
          .join(', ')})`,
    ),
    '  }',
    "  $path = ''",
    '  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {',
    '    $next = "$path $element".Trim()',
    '    if ($known.ContainsKey($next)) { $path = $next }',
    '  }',
    '  $known[$path] | Where-Object { $_ -like "$wordToComplete*" } |',
    '    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }',
    '}',
  ].join('\n');
}
