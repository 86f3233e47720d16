import { Argument } from 'commander';
import { type CommandModule } from '../../app/command.ts';
import { ExitCode } from '../../base/errors.ts';
import { programName } from '../../base/phrase.ts';

/*
 * The script of each shell. It only asks `sync complete`, with the words up to the cursor: the first line of
 * the answer says which paths fit (`files`, `folders` or none), each other line is a word, perhaps with a tab
 * and its meaning.
 */

type ProgramNames = readonly [string, ...string[]];

/**
 * Returns a script for bash 4.4 or newer. It needs neither the package bash-completion nor another
 * program, works under `set -u`, and defines `_athlete_sync` alone.
 */
function bash(names: ProgramNames): string {
  return `\
# In ~/.bashrc: eval "$(sync completion bash)"
_athlete_sync() {
  local answer word paths='' cur=\${COMP_WORDS[COMP_CWORD]} program=\${COMP_WORDS[0]/#~/"$HOME"}
  # An alias is no program.
  type -P "$program" >/dev/null || program=${names[0]}
  answer=$("$program" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash splits --flag=value into three words.
  [[ $cur == '=' ]] && cur=''
  COMPREPLY=()
  {
    IFS= read -r paths
    while IFS=$'\\t' read -r word _; do
      [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
  } <<<"$answer"
  # Without words of its own, readline completes paths, with quotes and ~.
  if [[ $paths == folders ]]; then
    compopt -o dirnames 2>/dev/null
  elif [[ $paths == files && \${#COMPREPLY[@]} -eq 0 ]]; then
    compopt -o default 2>/dev/null
  elif [[ $paths == files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      [[ -n $word ]] && COMPREPLY+=("$word")
    done <<<"$(compgen -f -- "$cur")"
  fi
  return 0
}
complete -F _athlete_sync ${names.join(' ')}`;
}

/** Returns a script for zsh, to evaluate or to install as `_athlete-sync` on the `fpath`. */
function zsh(names: ProgramNames): string {
  return `\
#compdef ${names.join(' ')}
# In ~/.zshrc, after compinit: eval "$(sync completion zsh)"
_athlete_sync() {
  local paths none=1
  local -a lines
  lines=("\${(@f)$(\${~words[1]} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  paths=$lines[1]
  lines=("\${(@)lines[2,-1]//:/\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  (( $#lines )) && _describe -t words word lines && none=0
  [[ $PREFIX == --*=* ]] && compset -P '*='
  case $paths in
    files) _files && none=0 ;;
    folders) _files -/ && none=0 ;;
  esac
  return none
}
# Loaded from the fpath, the file is the function itself.
if [[ $funcstack[1] == _athlete-sync ]]; then
  _athlete_sync "$@"
else
  compdef _athlete_sync ${names.join(' ')}
fi`;
}

/** Returns a script for fish 3.0 or newer. */
function fish([name, ...others]: ProgramNames): string {
  return `\
# sync completion fish > ~/.config/fish/completions/sync.fish
function __athlete_sync
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    type -q $program; or return
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines ($program complete -- $words "$current" 2>/dev/null)
    set -l paths "$lines[1]"
    set -e lines[1]
    set -q lines[1]; and printf '%s\\n' $lines
    test -n "$paths"; or return
    # A command that does not exist takes files. Of --flag=path, fish completes the path.
    set -l flag (string match -r '^--[^=]*=' -- "$current")
    set -l path (string replace -r '^--[^=]*=' '' -- "$current")
    test $paths = folders; and set -l found (__fish_complete_directories "$path")
    test $paths = files; and set -l found (complete -C "__athlete_sync_none $path")
    set -q found[1]; and printf '%s\\n' "$flag"$found
end
complete -c ${name} -f -a '(__athlete_sync)'
${others.map((other) => `complete -c ${other} -w ${name}`).join('\n')}`;
}

/** Returns a script for PowerShell 5 or newer, which itself completes paths. No test runs it. */
function powershell(names: ProgramNames): string {
  return `\
# In $PROFILE: sync completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${names.join(', ')} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $program = "$($commandAst.CommandElements[0])"
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  # PowerShell 5 passes no empty word.
  if ($wordToComplete -eq '') { $words += '=' }
  & $program complete '--' @words 2>$null | Select-Object -Skip 1 |
    Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
      $word, $about = $_ -split "\`t"
      if (-not $about) { $about = $word }
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}`;
}

const SCRIPTS = { bash, zsh, fish, powershell };

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
