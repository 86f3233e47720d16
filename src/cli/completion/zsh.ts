import {
  type ArgumentShape,
  type CommandShape,
  type FlagShape,
  type Generator,
  type ValueShape,
  pathOf,
  quote,
} from './shape.ts';
import type { Word } from './values.ts';

/** Prints a script for zsh, to evaluate or to install as `_athlete-sync` on the `fpath`. */
export const zsh: Generator = (commands, names) => `\
#compdef ${names.join(' ')}
# In ~/.zshrc, after compinit: eval "$(sync completion zsh)"
_athlete_sync() {
  local curcontext=$curcontext context state line program=$words[1] at=''
  typeset -A opt_args
  integer i=2 last=1
  while (( i < CURRENT )); do
    case "$at $words[i]" in
      ${commands
        .filter(({ path }) => path.length > 0)
        .map((shape) => quote(pathOf(shape)))
        .join(' | ')}) at+=" $words[i]" last=i ;;
      ' --profile') (( i++ )) ;;
      ' --'*) ;;
      *) break ;;
    esac
    (( i++ ))
  done
  # _arguments counts from the last word of the command.
  words=("\${(@)words[last,-1]}")
  (( CURRENT -= last - 1 ))
  case $at in
${commands.map(branch).join('\n')}
  esac
}
# Offers a list that the program knows: each line is a word, a tab and its meaning.
_athlete_sync_list() {
  local -a lines
  lines=("\${(@f)$($program complete $1 -- \${words[CURRENT-1]} 2>/dev/null)}")
  lines=("\${(@)lines//:/\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  _describe -t $1 $1 lines
}
# Loaded from the fpath, the file is the function itself.
if [[ $funcstack[1] == _athlete-sync ]]; then
  _athlete_sync "$@"
else
  compdef _athlete_sync ${names.join(' ')}
fi`;

function branch(shape: CommandShape): string {
  const { subcommands, flags, args } = shape;
  const specs = [
    ...flags.flatMap(flagSpecs),
    ...args.map((argument, index) => argumentSpec(argument, index)),
    ...(subcommands.length === 0 ? [] : [quote(`1:command:${wordList(subcommands)}`)]),
  ];
  return [`    ${quote(pathOf(shape))})`, '      _arguments \\', ...indent(specs), '      ;;'].join(
    '\n',
  );
}

function indent(specs: readonly string[]): string[] {
  return specs.map((spec, index) => `        ${spec}${index === specs.length - 1 ? '' : ' \\'}`);
}

/** Returns `'--tz=[time zone]:zone:...'` for each name of the flag. */
function flagSpecs({ names, about, repeatable, value }: FlagShape): string[] {
  return names.map((name) => {
    const many = repeatable ? '*' : '';
    const sign = value === undefined ? '' : name.startsWith('--') ? '=' : '+';
    const meaning = `[${about.replace(/[[\]\\]/g, '\\$&')}]`;
    return quote(`${many}${name}${sign}${meaning}${value === undefined ? '' : action(value)}`);
  });
}

function argumentSpec(argument: ArgumentShape, index: number): string {
  return quote(`${argument.variadic ? '*' : index + 1}${action(argument)}`);
}

/**
 * Returns what zsh offers: `:dir:_files -/`. A space before a function's name keeps `_arguments` from
 * adding options to the call.
 */
function action({ name, values }: ValueShape): string {
  const { words, paths, list } = values;
  const label = `:${name.replaceAll(':', '\\:')}:`;
  if (list !== undefined) return `${label} _athlete_sync_list ${list}`;
  const files = paths === 'folders' ? '_files -/' : '_files';
  if (words.length === 0) return paths === undefined ? `${label} ` : `${label}${files}`;
  const offered = wordList(words);
  if (paths === undefined) return `${label}${offered}`;
  return `${label} _alternative "words\\:${name}\\:${offered.replace(/[\\:"]/g, '\\$&')}" "files\\:file\\:${files}"`;
}

/** Returns `((today\:"this day" ...))`, in which `_arguments` shows meanings. */
function wordList(words: readonly Word[]): string {
  const items = words.map(({ word, about }) => {
    const meaning = about.replace(/[\\"$`:]/g, '\\$&');
    return about === '' ? word : `${word}\\:"${meaning}"`;
  });
  return `((${items.join(' ')}))`;
}
