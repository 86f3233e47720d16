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
  '(?<=[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]';

/** Characters that have no picture: marks of direction, of width zero, tags, annotations. */
const IGNORABLE = '\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb';
const CONTROL = '\\p{Cc}\\p{Zl}\\p{Zp}';

/** Most texts match one of these, and need none of {@link patterns}. */
const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_LINES = /^[\n\t\x20-\x7e]*$/;
/** Begins only where a run of white space begins: searching inside of a long run takes quadratic time. */
const LINE_BREAK = /(?<!\s)\s*[\n\v\f\r\u0085\u2028\u2029]+\s*/g;

let compiled: ReturnType<typeof compile> | undefined;

/** Returns the patterns for a text that is not plain. Compiling them takes 4 ms. */
function patterns(): ReturnType<typeof compile> {
  return (compiled ??= compile());
}

function compile() {
  const kept = [WORD_JOINER, EMOJI_JOINER, SELECTOR].join('|');
  return {
    controls: new RegExp(`[${CONTROL}]`, 'gu'),
    controlsInLines: new RegExp(`(?![\\n\\t])[${CONTROL}]`, 'gu'),
    invisible: new RegExp(`(?!${kept})[${IGNORABLE}]`, 'gu'),
    unsafeInJson: new RegExp(`[${CONTROL}${IGNORABLE}]`, 'gu'),
  };
}

/**
 * Sanitizes untrusted text for one line of output. The result cannot control a terminal, or look like
 * another line. Control characters and line breaks become spaces. Invisible characters are removed, and
 * lone surrogates replaced. A joiner stays in the scripts and emoji that need it, and a single variation
 * selector stays after its character. A flag made of tag characters loses its tags.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  const { controls, invisible } = patterns();
  return text.toWellFormed().replace(LINE_BREAK, ' ').replace(controls, ' ').replace(invisible, '');
}

/** Sanitizes a text as {@link printable} does, but keeps the line breaks and tabs of this program. */
export function printableLines(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  const { controlsInLines, invisible } = patterns();
  return text.toWellFormed().replace(controlsInLines, ' ').replace(invisible, '');
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
  const json = (JSON.stringify(value, replacer, indent) as string | undefined) ?? 'null';
  // JSON.stringify escapes the tabs in a text.
  if (PLAIN_LINES.test(json)) return json;
  return json.replace(patterns().unsafeInJson, (found) =>
    indent > 0 && found === '\n' ? found : escapeUnits(found),
  );
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

let isPowerShell = false;

/** Sets the shell of the commands to type, once, before this program prints. */
export function setShell(platform: NodeJS.Platform): void {
  isPowerShell = platform === 'win32';
}

/**
 * Quotes a word for every POSIX shell, or for PowerShell, if it needs that: nothing in it is expanded, and
 * what the command line shows is visible. `...` and `~` stay readable. In a POSIX shell, line breaks at the
 * end of a word that has invisible characters are lost.
 */
export function shellWord(word: string): string {
  if (isPowerShell) return powerShellWord(word);
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  // `$'...'` would be shorter, but dash does not know it.
  if (printable(word) !== word) return `"$(printf '${[...toBytes(word)].map(octal).join('')}')"`;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}

/** In `cmd`, the result is one word too, but that of another file if it has a backtick. */
function powerShellWord(word: string): string {
  if (/^[\w+=:./\\~-]+$/.test(word)) return word;
  const quoted = word
    .toWellFormed()
    .replaceAll('"', '""')
    // PowerShell takes curly quotes for straight ones.
    .replace(/[`$\u201c-\u201e]/g, '`$&')
    .replace(patterns().unsafeInJson, (found) =>
      found.replace(/[^]/g, (unit) => `$([char]${unit.charCodeAt(0)})`),
    );
  return `"${quoted}"`;
}

function toBytes(word: string): Uint8Array {
  return new TextEncoder().encode(word.toWellFormed());
}

/** Writes a byte for the format of `printf`, which takes a leading `-` for an option. */
function octal(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === '%') return '%%';
  return /[\w @+=:,./~]/.test(char) ? char : `\\${byte.toString(8).padStart(3, '0')}`;
}

/**
 * Returns text from a file on one line and without invisible characters; undefined if nothing is left. A
 * device cuts a text at the size of its field, perhaps within a character.
 */
export function printableText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const clean = printable(text)
    .replace(/[\p{Co}\ufffd]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  return clean === '' ? undefined : clean;
}

/** Returns {@link printableText} if it has a letter. */
export function printableWord(text: string | undefined): string | undefined {
  const clean = printableText(text);
  return clean !== undefined && /\p{L}/u.test(clean) ? clean : undefined;
}

/** Default length limit (characters). */
const MAX_LENGTH = 400;

/**
 * Makes a text of the service safe to show and store: short, on one line, without bearer tokens.
 *
 * @param value any JSON value; the result is empty unless it is a string.
 */
export function sanitize(value: unknown, length = MAX_LENGTH): string {
  if (typeof value !== 'string') return '';
  // Redacts any bearer token (RFC 6750 section 2.1), but not prose such as "bearer token expired".
  const redacted = value.replace(
    /\b(bearer)\s+(?!tokens?(?:[\s.,;:]|$))[A-Za-z0-9\-._~+/]+=*/gi,
    '$1 [redacted]',
  );
  const clean = printable(redacted).replace(/\s+/g, ' ').trim();
  if (clean.length <= length) return clean;
  // Does not cut a surrogate pair.
  return `${clean.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
