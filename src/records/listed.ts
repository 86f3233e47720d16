/** Names that are listed in a message. */
const MAX_LISTED = 5;

/** Longest listed name (UTF-16 code units). */
const MAX_NAME = 60;

/** Lists the first names of the input in quotes, and gives the number of the others. */
export function listNames(names: readonly string[], listed = MAX_LISTED): string {
  const shown = names.slice(0, listed).map((name) => JSON.stringify(shorten(name, MAX_NAME)));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en-US')} more` : ''}`;
}

/** Cuts a text of the input to at most `length` UTF-16 code units, for a message. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}

/** Longest name in a pointer (UTF-16 code units). */
const MAX_TOKEN = 100;

/**
 * Appends a token to a JSON pointer (RFC 6901) for a message, written without its first slash. Shortens
 * a long name.
 */
export function joinPointer(path: string, token: string | number): string {
  const text = shorten(String(token), MAX_TOKEN);
  const escaped = /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
  return path === '' ? escaped : `${path}/${escaped}`;
}
