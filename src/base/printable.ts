/*
 * What may be shown of a text that this program did not write: names of files, texts of a service or a
 * device, arguments, settings, variables. Every text for people passes through here on its way out.
 */

/**
 * Scripts in which a joiner changes how a word looks: Persian writes می‌خواهم with one, Sinhala and
 * Malayalam join letters with one.
 */
const JOINING_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Tibetan', 'Myanmar', 'Khmer'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Matches behind a letter of such a script, one joiner. */
const WORD_JOINER = `(?<=(?=[\\p{L}\\p{M}])[${JOINING_SCRIPTS}])[\\u200c\\u200d]`;
/** Matches between two pictures, such as those of a family, the joiner that makes one of them. */
const EMOJI_JOINER =
  '(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})';
/** Matches behind a visible character, one variation selector. */
const SELECTOR =
  '(?<=[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]';

/** Characters that have no picture: marks of direction, of width zero, tags, annotations. */
const IGNORABLE = '\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb';
const CONTROL = '\\p{Cc}\\p{Zl}\\p{Zp}';

/** Begins only where a run of white space begins: searching inside of a long run takes quadratic time. */
const LINE_BREAK = /(?<!\s)\s*[\n\v\f\r\u0085\u2028\u2029]+\s*/g;
const CONTROLS = new RegExp(`[${CONTROL}]`, 'gu');
const CONTROLS_IN_LINES = new RegExp(`(?![\\n\\t])[${CONTROL}]`, 'gu');
const INVISIBLE = new RegExp(`(?!${WORD_JOINER}|${EMOJI_JOINER}|${SELECTOR})[${IGNORABLE}]`, 'gu');
const UNSAFE_IN_JSON = new RegExp(`[${CONTROL}${IGNORABLE}]`, 'gu');
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Sanitizes untrusted text for one line of output. The result cannot control a terminal, or look like
 * another line. Control characters and line breaks become spaces. Invisible characters are removed, and
 * lone surrogates replaced. A joiner stays in the scripts and emoji that need it, and a single variation
 * selector stays after its character. A flag made of tag characters loses its tags.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replace(LINE_BREAK, ' ').replace(CONTROLS, ' ').replace(INVISIBLE, '');
}

/** Sanitizes a text as {@link printable} does, but keeps the line breaks and tabs of this program. */
export function printableLines(text: string): string {
  return text.toWellFormed().replace(CONTROLS_IN_LINES, ' ').replace(INVISIBLE, '');
}

/**
 * Returns a value as JSON of visible characters. The others are escaped as `\uXXXX`: a reader finds the
 * same value.
 *
 * @param indent spaces of each level; 0: one line
 */
export function toJson(
  value: unknown,
  {
    indent = 0,
    replacer,
  }: { indent?: number; replacer?: (key: string, value: unknown) => unknown } = {},
): string {
  const json = JSON.stringify(value, replacer, indent) as string | undefined;
  return (json ?? 'null').replace(UNSAFE_IN_JSON, (found) =>
    indent > 0 && found === '\n' ? found : escapeUnits(found),
  );
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Quotes a word for a shell, if it needs that: nothing in it is expanded. `...` and `~` stay readable. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  if (printable(word) !== word) {
    return `$'${word.toWellFormed().replace(UNSAFE_IN_SHELL, escapeForShell)}'`;
  }
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}

const UNSAFE_IN_SHELL = new RegExp(`[\\\\'${CONTROL}${IGNORABLE}]`, 'gu');

/** Escapes a character as bash, zsh and POSIX.1-2024 read it between `$'` and `'`. */
function escapeForShell(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (found === '\\' || found === "'") return `\\${found}`;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
