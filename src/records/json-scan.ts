/**
 * A scanner for JSON text (RFC 8259) in UTF-8 bytes. It accepts what `JSON.parse` accepts and
 * adds what that does not tell: where a document breaks, and where the elements of an array are.
 * It builds nothing, so a document need not be in memory as values as well.
 */

/** Deeper documents are refused: what walks them later may recurse. */
export const MAX_DEPTH = 200;

/** Where and why a text is not JSON. */
export class JsonFault extends Error {
  /** Byte offset in the scanned buffer. */
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** What the scanner saw on its way over a value. */
export interface Sights {
  /** Members of objects, at any depth. */
  members: number;
  /** Is there a number that a double may not hold exactly? */
  longNumber: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
export const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;

/** Doubles hold every decimal number of this many digits. */
const SAFE_DIGITS = 15;

export class JsonScanner {
  readonly #bytes: Buffer;
  readonly #end: number;
  position: number;
  readonly sights: Sights = { members: 0, longNumber: false };

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.position = start;
    this.#end = end;
  }

  /** The next byte that is no white space, or `undefined` at the end; it is not consumed. */
  peek(): number | undefined {
    this.skipSpace();
    return this.#bytes[this.position < this.#end ? this.position : this.#bytes.length];
  }

  skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.position;
    for (; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    }
    this.position = at;
  }

  /** Refuses anything but white space up to the end. */
  finish(): void {
    if (this.peek() !== undefined) {
      throw new JsonFault(this.position, 'there is more text after the end of the JSON value');
    }
  }

  /** Goes over one value. */
  value(depth = 0): void {
    const byte = this.peek();
    if (byte === OPEN_BRACE) {
      this.#all(this.members(depth), depth);
    } else if (byte === OPEN_BRACKET) {
      this.#all(this.elements(depth), depth);
    } else if (byte === QUOTE) {
      this.#string();
    } else if (byte === MINUS || isDigit(byte)) {
      this.#number();
    } else {
      this.#literal(byte);
    }
  }

  /**
   * Goes over an object: yields the byte range of each name, quotes included, and expects the
   * caller to go over the value before it asks for the next.
   */
  *members(depth = 0): Generator<readonly [start: number, end: number]> {
    this.#deeper(depth);
    this.position++;
    if (this.peek() === CLOSE_BRACE) {
      this.position++;
      return;
    }
    for (;;) {
      if (this.peek() !== QUOTE) throw this.#unexpected('a name in double quotes');
      const start = this.position;
      this.#string();
      const name = [start, this.position] as const;
      if (this.peek() !== COLON) throw this.#unexpected('a colon after the name');
      this.position++;
      this.sights.members++;
      yield name;
      const next = this.peek();
      if (next !== COMMA && next !== CLOSE_BRACE) {
        throw this.#unexpected('a comma or } after the value');
      }
      this.position++;
      if (next === CLOSE_BRACE) return;
    }
  }

  /** Goes over an array: yields each index, and expects the caller to go over the value. */
  *elements(depth = 0): Generator<number> {
    this.#deeper(depth);
    this.position++;
    if (this.peek() === CLOSE_BRACKET) {
      this.position++;
      return;
    }
    for (let index = 0; ; index++) {
      yield index;
      const next = this.peek();
      if (next !== COMMA && next !== CLOSE_BRACKET) {
        throw this.#unexpected('a comma or ] after the value');
      }
      this.position++;
      if (next === CLOSE_BRACKET) return;
    }
  }

  #all(children: Generator, depth: number): void {
    while (children.next().done !== true) this.value(depth + 1);
  }

  #deeper(depth: number): void {
    if (depth >= MAX_DEPTH) {
      throw new JsonFault(this.position, `the JSON is nested more than ${MAX_DEPTH} deep`);
    }
  }

  #string(): void {
    const bytes = this.#bytes;
    const start = this.position;
    let at = start + 1;
    for (; at < this.#end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.position = at + 1;
        return;
      }
      if (byte < 0x20) {
        throw new JsonFault(at, `a string holds ${nameOfByte(byte)}, which must be escaped`);
      }
      if (byte === BACKSLASH) at += this.#escape(at);
    }
    throw new JsonFault(start, 'the text ends inside this string');
  }

  /** The length of the escape at this backslash, less one. */
  #escape(at: number): number {
    const kind = this.#bytes[at + 1] ?? 0;
    if (at + 1 >= this.#end) return 1;
    if ('"\\/bfnrt'.includes(String.fromCharCode(kind))) return 1;
    const hex = this.#bytes.toString('latin1', at + 2, Math.min(at + 6, this.#end));
    if (kind === 0x75 && /^[\da-fA-F]{4}$/.test(hex)) return 5;
    throw new JsonFault(at, 'a string holds a backslash that begins no escape');
  }

  #number(): void {
    const bytes = this.#bytes;
    const start = this.position;
    let at = bytes[start] === MINUS ? start + 1 : start;
    const digits = (): number => {
      const from = at;
      while (at < this.#end && isDigit(bytes[at])) at++;
      if (at === from) {
        this.position = at;
        throw this.#unexpected('a digit');
      }
      return at - from;
    };
    const leadingZero = bytes[at] === ZERO;
    let count = digits();
    if (leadingZero && count > 1) throw new JsonFault(start, 'a number begins with a zero');
    if (at < this.#end && bytes[at] === DOT) {
      at++;
      count += digits();
    }
    if (at < this.#end && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
      at++;
      if (at < this.#end && (bytes[at] === PLUS || bytes[at] === MINUS)) at++;
      digits();
      count = Infinity;
    }
    if (count > SAFE_DIGITS) this.sights.longNumber = true;
    this.position = at;
  }

  #literal(byte: number | undefined): void {
    for (const word of ['true', 'false', 'null']) {
      if (byte !== word.charCodeAt(0)) continue;
      const end = this.position + word.length;
      if (end <= this.#end && this.#bytes.toString('latin1', this.position, end) === word) {
        this.position = end;
        return;
      }
    }
    throw this.#unexpected('a value');
  }

  #unexpected(wanted: string): JsonFault {
    if (this.position >= this.#end) {
      return new JsonFault(this.position, `the text ends where ${wanted} is expected`);
    }
    const end = Math.min(this.position + 40, this.#end);
    const text = this.#bytes.toString('utf8', this.position, end);
    const word = /^(?:[\w$+.-]+|.)/su.exec(text)?.[0] ?? '';
    const found = `found ${JSON.stringify(word)} where ${wanted} is expected`;
    return new JsonFault(this.position, found + habitOf(word, wanted));
  }
}

/** Names the habit from other languages behind a wrong character. */
function habitOf(word: string, wanted: string): string {
  if (word === "'") return ' (JSON has double quotes only)';
  if (word === '/' || word === '#') return ' (JSON has no comments)';
  if ((word === '}' || word === ']') && /^a (?:name|value)/.test(wanted)) {
    return ' (is there a comma too many before it?)';
  }
  if (/^[-+]?(?:NaN|Infinity|nan|inf)$/.test(word)) return ' (write null for a missing number)';
  if (/^(?:undefined|None|nil|NULL|Null)$/.test(word)) return ' (write null)';
  if (/^(?:True|False|TRUE|FALSE)$/.test(word)) return ' (write true or false in lower case)';
  return '';
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function nameOfByte(byte: number): string {
  if (byte === 0x0a || byte === 0x0d) return 'a line break';
  if (byte === 0x09) return 'a tab';
  return `the control character ${byte}`;
}
