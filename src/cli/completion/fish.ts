import type { CommandShape, FlagShape, Generator } from './shape.ts';
import type { Values, Word } from './values.ts';

/** Prints a script for fish 3.0 or newer. */
export const fish: Generator = (commands, names) => `\
# sync completion fish > ~/.config/fish/completions/sync.fish
# Prints the words behind the name of the program, without the common options before the command.
function __athlete_sync_words
    set -l words (commandline -opc)
    set -e words[1]
    while string match -q -- '--*' "$words[1]"
        test "$words[1]" = --profile; and set -q words[2]; and set -e words[2]
        set -e words[1]
    end
    string join -- \\n $words
end
# Is the cursor behind this command?
function __athlete_sync_in
    set -l words (__athlete_sync_words)
    set -l depth (count $argv)
    test (count $words) -ge $depth; or return 1
    test $depth -eq 0; or test "$words[1..$depth]" = "$argv"
end
# Is the cursor at this argument of the command? 0 is the first one.
function __athlete_sync_at
    set -l index $argv[1]
    set -e argv[1]
    __athlete_sync_in $argv; or return 1
    set -l words (__athlete_sync_words | string match --invert -- '-*')
    test (count $words) -eq (math (count $argv) + $index)
end
# Prints a list that the program knows: each line is a word, a tab and its meaning.
function __athlete_sync_list
    set -l words (commandline -opc)
    $words[1] complete $argv[1] -- $words[-1] 2>/dev/null
end
complete -c ${names[0]} -f
${commands.flatMap((shape) => lines(names[0], shape)).join('\n')}
${names
  .slice(1)
  .map((name) => `complete -c ${name} -w ${names[0]}`)
  .join('\n')}`;

function lines(program: string, { path, subcommands, flags, args }: CommandShape): string[] {
  const inside = path.length === 0 ? condition('at', ['0']) : condition('in', path);
  return [
    ...subcommands.map(
      ({ word, about }) =>
        `complete -c ${program} ${condition('at', ['0', ...path])} -a ${word} -d ${quote(about)}`,
    ),
    ...flags.map((flag) => `complete -c ${program} ${inside} ${flagWords(flag)}`),
    ...args.flatMap(({ values, variadic }, index) => {
      const where = variadic ? inside : condition('at', [String(index), ...path]);
      const offered = offer(values);
      return offered === '' ? [] : [`complete -c ${program} ${where} ${offered}`];
    }),
  ];
}

function condition(test: 'in' | 'at', words: readonly string[]): string {
  return `-n ${quote([`__athlete_sync_${test}`, ...words].join(' '))}`;
}

function flagWords({ names, about, value }: FlagShape): string {
  const words = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name[1]}`,
  );
  const taken = value === undefined ? [] : [value.values.paths === undefined ? '-x' : '-r'];
  const offered = value === undefined ? [] : [offer(value.values)];
  return [...words, ...taken, ...offered, `-d ${quote(about)}`]
    .filter((word) => word !== '')
    .join(' ');
}

function offer({ words, paths, list }: Values): string {
  return [
    ...(words.length === 0 ? [] : [`-a ${quote(words.map(described).join(' '))}`]),
    ...(list === undefined ? [] : [`-a '(__athlete_sync_list ${list})'`]),
    ...(paths === 'files' ? ['-F'] : []),
    ...(paths === 'folders' ? ["-a '(__fish_complete_directories)'"] : []),
  ].join(' ');
}

/** Returns a word with its meaning, for fish to evaluate. */
function described({ word, about }: Word): string {
  return about === '' ? word : `${word}\\t${quote(about)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
