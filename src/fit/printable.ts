import { printable } from '../base/printable.ts';

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
