import { decodeXML } from 'entities/decode';
import type { Parser } from 'htmlparser2';
import { utf16Of } from './utf16.ts';

/** Elements of this many bytes are held at once: more would outlive the collection of young objects. */
const PART = 16 * 1024;

/** Deepest nesting of elements. The parser needs quadratic time; documents have fewer than ten levels. */
const MAX_DEPTH = 100;

/** Longest text, comment or tag (bytes). The parser holds it in memory. */
const MAX_TEXT = 1024 * 1024;

/** Why a document is not read. The message continues a sentence that begins with the file's name. */
export class XmlFault extends Error {
  /** Whether the document ends too early. */
  readonly isCut: boolean;

  constructor(message: string, isCut = false) {
    super(message);
    this.isCut = isCut;
  }
}

/** Gives a document to a parser in parts, within limits. The parser's handlers report every tag. */
export class XmlFeed {
  #depth = 0;
  /** Bytes since the last tag. */
  #pending = 0;

  /** @throws XmlFault */
  opened(): void {
    this.#pending = 0;
    if (++this.#depth > MAX_DEPTH) {
      throw new XmlFault(`nests elements more than ${MAX_DEPTH} deep`);
    }
  }

  closed(): void {
    this.#pending = 0;
    this.#depth--;
  }

  /**
   * Gives a chunk to the parser, and yields after each part. To the parser, each byte is a character (Latin-1):
   * see {@link decodedXml}.
   *
   * @throws XmlFault
   */
  *write(parser: Parser, chunk: Buffer): Generator<void, void> {
    for (let at = 0; at < chunk.length; at += PART) {
      const part = chunk.subarray(at, at + PART);
      this.#pending += part.length;
      if (part.includes(0)) throw new XmlFault('has a zero byte');
      parser.write(part.toString('latin1'));
      if (this.#pending > MAX_TEXT) throw new XmlFault('has a text of more than 1 MB');
      yield;
    }
  }
}

/** Returns a document in UTF-8. Another encoding is that of its byte order mark, or declared; an unknown one is left. */
export function inUtf8(document: Buffer): Buffer {
  const head = document.toString('latin1', 0, 200);
  const [, declared = 'utf-8'] = /^\s*<\?xml[^>]*encoding=["']([^"']+)/.exec(head) ?? [];
  try {
    const decoder = new TextDecoder(utf16Of(document) ?? declared);
    if (decoder.encoding === 'utf-8') return document;
    // Without `stream`, Node.js 20 reads windows-1252 as Latin-1.
    return Buffer.from(decoder.decode(document, { stream: true }) + decoder.decode());
  } catch {
    return document;
  }
}

/** The last value that was decoded: most often, the name of the same device. */
let last = { value: '', text: '' };

/**
 * Returns the text of a value that the parser returned. To the parser, `&` is no entity either: markup is
 * ASCII, and few values are read.
 */
export function decodedXml(value: string): string {
  if (!/[&\x80-\xff]/.test(value)) return value;
  if (value !== last.value) {
    last = { value, text: decodeXML(Buffer.from(value, 'latin1').toString()) };
  }
  return last.text;
}
