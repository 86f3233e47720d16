import { programName } from './program-name.ts';

/**
 * Text for people that may name commands to type. The terminal adds the profile in use to each
 * command: `sync login` without it would replace the login of another profile.
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
    const words = [programName(), ...this.#args, ...flag].map(quoted);
    return `\`${[...words, ...(this.#input === '' ? [] : [this.#input])].join(' ')}\``;
  }

  #needsNoProfile(profile: string): boolean {
    return (
      profile === 'default' || this.#args.some((arg) => arg === '--profile' || arg === '--help')
    );
  }
}

/** Returns a command to type: `sync('login', '--no-browser')`. */
export function sync(...args: readonly string[]): CommandLine {
  return new CommandLine(args);
}

/** Text with commands in it, made by the tag {@link phrase}. */
export class Phrase {
  readonly #parts: readonly (string | CommandLine)[];

  constructor(parts: readonly (string | CommandLine)[]) {
    this.#parts = parts;
  }

  get parts(): readonly (string | CommandLine)[] {
    return this.#parts;
  }

  render(profile?: string): string {
    return this.#parts
      .map((part) => (typeof part === 'string' ? part : part.render(profile)))
      .join('');
  }

  /** Shows the commands without a profile, for logs and tests. */
  toString(): string {
    return this.render();
  }
}

/** Template tag for text with commands: ``phrase`Run ${sync('login')}.` ``. Phrases may be nested. */
export function phrase(
  strings: TemplateStringsArray,
  ...values: readonly (Text | number | CommandLine)[]
): Phrase {
  const parts = strings.flatMap((text, index) => {
    const value = values[index] ?? '';
    if (value instanceof Phrase) return [text, ...value.parts];
    return [text, value instanceof CommandLine ? value : String(value)];
  });
  return new Phrase(parts);
}

/** Joins texts, e.g. the lines of a report. */
export function joinTexts(texts: readonly Text[], separator: string): Phrase {
  return new Phrase(
    texts.flatMap((text, index) => [
      ...(index === 0 ? [] : [separator]),
      ...(text instanceof Phrase ? text.parts : [text]),
    ]),
  );
}

export function renderText(text: Text, profile: string | undefined): string {
  return typeof text === 'string' ? text : text.render(profile);
}

/** Quotes an argument for a shell, if it needs that. `...` and `~` stay readable. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}
