import { printable, shellWord } from './printable.ts';

/**
 * Text for people. A string is one line: it may hold a file's name or a service's message, so its line
 * breaks are shown as spaces ({@link printable}). Only a {@link Phrase} has several lines.
 */
export type Text = string | Phrase;

/** A command line of this program, in backticks when it is shown. */
export class CommandLine {
  readonly #args: readonly string[];
  readonly #input: string;

  /** @param input how the command gets its stdin, e.g. `< tokens.json` */
  constructor(args: readonly string[], input = '') {
    this.#args = args;
    this.#input = input;
  }

  /** Returns the same command with this on its stdin, e.g. `< tokens.json`. */
  withInput(input: string): CommandLine {
    return new CommandLine(this.#args, input);
  }

  /** @param profile the profile in use; undefined or `default`: the command needs no `--profile` */
  render(profile: string | undefined): string {
    const flag =
      profile === undefined || this.#needsNoProfile(profile) ? [] : ['--profile', profile];
    const words = [programName(), ...this.#args.map(fileOrFlag), ...flag].map(shellWord);
    return `\`${[...words, ...(this.#input === '' ? [] : [this.#input])].join(' ')}\``;
  }

  #needsNoProfile(profile: string): boolean {
    return (
      profile === 'default' || this.#args.some((arg) => /^--(?:profile|help)(?:=|$)/.test(arg))
    );
  }
}

/** Puts `./` before the name of a file that would be read as a flag. */
function fileOrFlag(arg: string): string {
  return arg.replace(/^-(?!$|-[a-z-]+(?:=|$))/, './-');
}

/** Returns a command to type: `sync('login', '--no-browser')`. */
export function sync(...args: readonly string[]): CommandLine {
  return new CommandLine(args);
}

const LINE_BREAK = Symbol('line break');

type Part = string | CommandLine | typeof LINE_BREAK;

/**
 * Text with commands or line breaks in it, made by the tag {@link phrase}, {@link joinTexts} or
 * {@link linesOf}. The terminal adds the profile in use to each command: `sync login` without it would
 * replace the login of another profile.
 */
export class Phrase {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  render(profile?: string): string {
    return this.#parts
      .map((part) => {
        if (part === LINE_BREAK) return '\n';
        return typeof part === 'string' ? printable(part) : part.render(profile);
      })
      .join('');
  }

  /** Shows the commands without a profile, for logs and tests. */
  toString(): string {
    return this.render();
  }

  toJSON(): string {
    return this.render();
  }
}

/**
 * Template tag for text with commands or line breaks: ``phrase`Run ${sync('login')}.` ``. Phrases may be
 * nested. Line breaks of the template are kept, those of its strings are not.
 */
export function phrase(
  strings: TemplateStringsArray,
  ...values: readonly (Text | number | CommandLine)[]
): Phrase {
  const parts = strings.flatMap((text, index) => {
    const value = values[index] ?? '';
    return [...ownParts(text), ...(value instanceof CommandLine ? [value] : partsOf(value))];
  });
  return new Phrase(parts);
}

/** Joins texts, by default as lines. Line breaks of the separator are kept. */
export function joinTexts(texts: readonly Text[], separator = '\n'): Phrase {
  return new Phrase(
    texts.flatMap((text, index) => [...(index === 0 ? [] : ownParts(separator)), ...partsOf(text)]),
  );
}

/** Returns a message, and its hint if there is one. */
export function withHint(said: {
  readonly message: Text;
  readonly hint?: Text | undefined;
}): Text[] {
  return said.hint === undefined ? [said.message] : [said.message, said.hint];
}

/** Returns a message, followed by its hint if there is one. */
export function hinted(message: Text, hint: Text | undefined): Text {
  if (hint === undefined) return message;
  const isSentence = /[.!?:]\W?$/.test(String(message));
  return phrase`${message}${isSentence ? '' : '.'} ${hint}`;
}

/** Keeps the lines of a text that this program laid out, such as indented JSON. */
export function linesOf(text: string): Phrase {
  return new Phrase(ownParts(text));
}

export function renderText(text: Text, profile: string | undefined): string {
  return typeof text === 'string' ? printable(text) : text.render(profile);
}

function partsOf(value: Text | number): readonly Part[] {
  return value instanceof Phrase ? value.parts : [String(value)];
}

function ownParts(text: string): Part[] {
  return text
    .split('\n')
    .flatMap((line, index) => [...(index === 0 ? [] : ([LINE_BREAK] as const)), line])
    .filter((part) => part !== '');
}

/** The names under which this program is installed. A Debian package has the long one only. */
const PROGRAM_NAMES = ['sync', 'athlete-sync'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

/**
 * Environment variable with the name that was typed: the launchers of standalone archives set it, and
 * this program sets it for its daemons and services.
 */
export const NAME_VARIABLE = 'ATHLETE_SYNC_NAME';

let current: ProgramName = 'sync';

/** Returns the name that the user typed, for hints and help. */
export function programName(): ProgramName {
  return current;
}

/** Sets the name for this process, once, before it prints. */
export function setProgramName(name: ProgramName): void {
  current = name;
}

/**
 * Returns the first candidate that is a name of this program, or else `sync`.
 *
 * @param candidates the name of the running script, then {@link NAME_VARIABLE}: a process that another
 *   copy of this program started inherits the variable
 */
export function chooseProgramName(...candidates: readonly (string | undefined)[]): ProgramName {
  return candidates.find(isProgramName) ?? 'sync';
}

function isProgramName(word: string | undefined): word is ProgramName {
  return PROGRAM_NAMES.some((name) => name === word);
}

/** Puts the typed name into the command lines of a text: examples, and commands in backticks. */
export function withProgramName(text: string): string {
  return text.replace(/(?<=^|`|\||\()( ?)sync (?=[a-z-])/g, `$1${current} `);
}
