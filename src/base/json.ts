/** Parses JSON that another program or a person wrote: answers, files, stdin. */

/** Deeper JSON is refused, since later steps walk and write values recursively. Records have five levels. */
export const MAX_DEPTH = 200;

/** JSON that is nested more than {@link MAX_DEPTH} deep. */
export class JsonTooDeep extends SyntaxError {
  /** Index in the text of the first bracket that is too deep. */
  readonly offset: number;

  constructor(offset: number) {
    super(`the JSON is nested more than ${MAX_DEPTH} deep`);
    this.offset = offset;
  }
}

/**
 * Parses JSON. Use this instead of `JSON.parse` for every text from outside this program.
 *
 * @throws SyntaxError if the text is not JSON; JsonTooDeep
 */
export function parseJson(text: string): unknown {
  const offset = tooDeepAt(text);
  if (offset !== undefined) throw new JsonTooDeep(offset);
  return JSON.parse(text) as unknown;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts brackets outside of strings; takes far less time and memory than parsing. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = closingQuote(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return at;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends a string, or the end of the text. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
