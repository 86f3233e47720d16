import fc from 'fast-check';

/**
 * Matches characters that no output may hold besides its line feeds: control characters, and characters
 * without a picture. Stated by code points, apart from the program's own list. A joiner and a variation
 * selector may stand after a letter, a mark or a symbol.
 */
export const FORBIDDEN =
  // eslint-disable-next-line no-control-regex -- matches them on purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}|(?<![\p{L}\p{M}\p{S}])[\u200c\u200d]/u;

/** Texts that do harm if they reach a terminal as they are. */
export const PAYLOADS = [
  '\u001b]52;c;b3duZWQ=\u0007',
  '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\',
  '\u001b]0;PWNED\u0007',
  '\u001b[2J\u001b[H',
  '\u009b2J',
  '\u009d52;c;b3duZWQ=\u009c',
  '\r\nError: forged\r\n',
  '\nride.fit: uploaded\n',
  '\u0085forged\u2028forged\u2029',
  '\u202egpj.tif\u202c',
  '\u2066a\u2069\u200e\u200f\u061c',
  '\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad',
  '\u{e0001}\u{e0041}\u{e007f}',
  '\ufff9a\ufffab\ufffb',
  '\u0000\u0008\u007f',
  '\ud83d',
  '`$(id)`"\'\\;&|<a href="http://evil.example">',
] as const;

/** Begins each line that a text tries to forge. */
const FORGED = /^\s*FORGED/m;

/** One text with every kind of harm, short enough for a file's name. */
export const HOSTILE = [
  'x\u001b]52;c;eA==\u0007\u001b]0;P\u0007\u001b]8;;u\u001b\\\u001b[2J',
  '\u009b2J\u009d0;P\u009c\b\u007f\t',
  '\nFORGED\r\nFORGED\rFORGED\u0085FORGED\u2028FORGED',
  '\u202e\u2066\u2069\u202c\u200e\u061c\u200b\u200d\u2060\ufeff\u{e0041}\ufff9',
  '`$(id)`"\'\\;&|<a>',
].join('');

/** Returns a hostile name of a file. */
export function hostileName(begin: string, end = ''): string {
  return `${begin}${HOSTILE}${end}`;
}

/**
 * What this program itself may write to a terminal: its red, the spinner, the cursor, line ends, and the
 * tab between a word to complete and its meaning.
 */
const OWN_SEQUENCES =
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  /\u001b\[(?:3[169]m|\?(?:25|2026)[hl]|[0-9]*[GKJA])|[\t\r\n]/g;

/** Returns what is wrong with an output; undefined if it holds nothing hostile. */
export function harmIn(output: string): string | undefined {
  const forged = FORGED.exec(output.replaceAll(/\r(?!\n)|[\u0085\u2028\u2029]/g, '\n'))?.[0];
  if (forged !== undefined) return 'a forged line';
  const found = FORBIDDEN.exec(output.replaceAll(OWN_SEQUENCES, ''));
  if (found === null) return undefined;
  return `U+${found[0].codePointAt(0)?.toString(16) ?? ''} at ${found.index}`;
}

/** Any text: harmless ones, harmful ones, and mixtures. */
export function hostileText(): fc.Arbitrary<string> {
  const part = fc.oneof(
    fc.constantFrom(...PAYLOADS),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc
      .oneof(
        fc.integer({ min: 0, max: 0xff }),
        fc.integer({ min: 0x2000, max: 0x206f }),
        fc.integer({ min: 0xd800, max: 0xdfff }),
        fc.integer({ min: 0xfe00, max: 0xffff }),
        fc.integer({ min: 0xe0000, max: 0xe01ef }),
      )
      .map((code) => String.fromCodePoint(code)),
  );
  return fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
}
