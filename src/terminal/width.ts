import { eastAsianWidth } from 'get-east-asian-width';

/**
 * A character as a terminal draws it: a flag, an emoji sequence (Unicode TR 51, section 1.4.9), or a
 * code point with its combining marks. `Intl.Segmenter` would take 20 ms to load.
 */
const CHARACTER =
  /\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\ufe0f\u20e3?|[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{Emoji}(?:\p{EMod}|\ufe0f)?)*|.\p{M}*/gsu;
const INVISIBLE = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const ASCII = /^[\0-\x7f]*$/;

/** Returns the number of columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** Cuts a text to a width (columns), with `ellipsis` at its end. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (widthOf(text) <= width) return text;
  let left = width - ellipsis.length;
  if (left <= 0) return ellipsis.slice(0, width);
  let cut = '';
  for (const character of charactersOf(text)) {
    left -= characterWidth(character);
    if (left < 0) break;
    cut += character;
  }
  return cut.trimEnd() + ellipsis;
}

function charactersOf(text: string): string[] {
  return text.match(CHARACTER) ?? [];
}

function characterWidth(character: string): number {
  if (INVISIBLE.test(character)) return 0;
  const [first = '', ...more] = character;
  const isSequence = more.some((part) => !/\p{M}/u.test(part) || part === '\ufe0f');
  return isSequence ? 2 : eastAsianWidth(first.codePointAt(0) ?? 0);
}
