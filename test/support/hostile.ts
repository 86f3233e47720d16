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
const PAYLOADS = [
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

/** A name that holds every harmful character that a file's name can hold. */
export const HOSTILE_NAME = PAYLOADS.join('')
  .toWellFormed()
  .replaceAll(/[\0/]/g, '')
  .replaceAll('\ufffd', '');

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
