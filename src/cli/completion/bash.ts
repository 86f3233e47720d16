import { type CommandShape, type Generator, offersOf, pathOf, quote, valueFlags } from './shape.ts';
import type { Values } from './values.ts';

/**
 * Prints a script for bash 4.4 or newer. It needs neither the package bash-completion nor another
 * program, works under `set -u`, and defines `_athlete_sync` alone.
 */
export const bash: Generator = (commands, names) => `\
# In ~/.bashrc: eval "$(sync completion bash)"
_athlete_sync() {
  local path='' flag='' last='' words='' paths='' list='' word cur=\${COMP_WORDS[COMP_CWORD]}
  local -i i args=0
  # bash splits --flag=value into three words.
  [[ $cur == '=' ]] && cur=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == '=' ]] && continue
    if [[ -n $flag ]]; then
      flag=''
      continue
    fi
    case "$path $word" in
${cases(commands.filter(({ path }) => path.length > 0).map(pathOf), 'path+=" $word"')}
${cases(
  commands.flatMap((shape) => valueFlags(shape).map(({ at }) => `${pathOf(shape)} ${at}`)),
  'flag=$word',
)}
      *' -'?*) ;;
      *) last=$word args+=1 ;;
    esac
  done
  # The value of a flag, the name of a flag, or an argument by its number.
  local wanted=$args
  if [[ -n $flag ]]; then
    wanted=$flag
  elif [[ $cur == -* ]]; then
    wanted=-
  fi
  case "$path:$wanted" in
${commands.flatMap(offers).join('\n')}
  esac
  COMPREPLY=()
  if [[ -n $list ]]; then
    words=$("\${COMP_WORDS[0]}" complete "$list" -- "$last" 2>/dev/null)
  fi
  while IFS=$'\\t' read -r word _; do
    [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$word")
  done <<<"$words"
  # Without words of its own, readline completes paths, with quotes and ~.
  if [[ $paths == folders ]]; then
    compopt -o dirnames 2>/dev/null
  elif [[ $paths == files && -z $words ]]; then
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

function cases(patterns: readonly string[], action: string): string {
  return `      ${patterns.map(quote).join(' | ')}) ${action} ;;`;
}

/** Returns the branches for a command: the values of its flags, its flags, its arguments. */
function offers(shape: CommandShape): string[] {
  const own = pathOf(shape);
  return offersOf(shape).map(({ at, values }) =>
    branch(at === '*' ? `${quote(`${own}:`)}*` : quote(`${own}:${at}`), values),
  );
}

function branch(pattern: string, { words, paths, list }: Values): string {
  const actions = [
    ...(words.length === 0 ? [] : [`words=$'${words.map(({ word }) => word).join('\\n')}'`]),
    ...(paths === undefined ? [] : [`paths=${paths}`]),
    ...(list === undefined ? [] : [`list=${list}`]),
  ];
  // A flag without anything to offer keeps its branch: its value is no argument.
  return `    ${[`${pattern})`, ...actions, ';;'].join(' ')}`;
}
