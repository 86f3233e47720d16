import { sha256 } from './random.ts';

/** One part of a multipart/form-data body (RFC 7578). */
export interface Part {
  readonly name: string;
  /** null for a plain field. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** The header that names the part, as it was sent. */
  readonly disposition: string;
  /** A view on the request's body, not a copy. */
  readonly bytes: Buffer;
  /** Of the bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The body is not multipart/form-data as RFC 7578 and RFC 2046 define it. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError';
}

const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

/** The boundary that a Content-Type names, or null where there is none. */
export function boundaryOf(contentType: string): string | null {
  const match = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i.exec(
    contentType,
  );
  return match?.[1] ?? match?.[2] ?? null;
}

/**
 * Cuts a whole body into its parts without copying their bytes: a platform's own parser costs more
 * than everything else that an upload does here.
 * @throws MultipartError
 */
export function parseMultipart(body: Buffer, boundary: string): Part[] {
  const opening = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  let at = startOf(body, opening, delimiter);
  for (;;) {
    const after = body.toString('latin1', at, at + 2);
    if (after === '--') return parts;
    const headersStart = skipLineEnd(body, at);
    // A part without headers begins with the empty line itself.
    const headersEnd = body.indexOf(HEADERS_END, headersStart - CRLF.length);
    if (headersEnd < 0) throw new MultipartError('a part has no end of headers');
    const start = headersEnd + HEADERS_END.length;
    const end = nextDelimiter(body, delimiter, start);
    const headers = body.toString('utf8', headersStart, Math.max(headersStart, headersEnd));
    parts.push(toPart(headers, body.subarray(start, end), parts.length));
    at = end + delimiter.length;
  }
}

/** Where the first delimiter line ends; what stands before it is a preamble without meaning. */
function startOf(body: Buffer, opening: Buffer, delimiter: Buffer): number {
  if (body.subarray(0, opening.length).equals(opening)) return opening.length;
  const at = body.indexOf(delimiter);
  if (at < 0) throw new MultipartError('the boundary of Content-Type does not occur in the body');
  return at + delimiter.length;
}

/** A delimiter may be followed by blanks before its line ends (RFC 2046 section 5.1.1). */
function skipLineEnd(body: Buffer, at: number): number {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (!body.subarray(end, end + 2).equals(CRLF)) {
    throw new MultipartError('a boundary is not followed by a line end');
  }
  return end + CRLF.length;
}

/** The next delimiter that is one: not a longer word that begins like the boundary. */
function nextDelimiter(body: Buffer, delimiter: Buffer, from: number): number {
  // An empty part: the empty line after its headers is the delimiter's own line end.
  let at = body.indexOf(delimiter, from - CRLF.length);
  while (at >= 0) {
    if (
      /^(?:--|[ \t]*\r\n)/.test(
        body.toString('latin1', at + delimiter.length, at + delimiter.length + 80),
      )
    ) {
      return Math.max(at, from);
    }
    at = body.indexOf(delimiter, at + 1);
  }
  throw new MultipartError('the body ends without its closing boundary');
}

function toPart(headers: string, bytes: Buffer, index: number): Part {
  const values = new Map<string, string>();
  for (const line of headers.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0)
      values.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = values.get('content-disposition') ?? '';
  const name = parameter(disposition, 'name');
  if (!/^form-data\b/i.test(disposition) || name === null) {
    throw new MultipartError(`part ${index + 1} has no Content-Disposition: form-data with a name`);
  }
  return {
    name,
    fileName: parameter(disposition, 'filename'),
    contentType: values.get('content-type') ?? null,
    disposition,
    bytes,
    sha256: sha256(bytes),
  };
}

/** Browsers write `"` as %22 and line ends as %0D %0A (WHATWG HTML), curl escapes by backslash. */
function parameter(disposition: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(
    disposition,
  );
  const text = match?.[1] ?? match?.[2];
  if (text === undefined) return null;
  return text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%22/g, '"')
    .replace(/%0D/gi, '\r')
    .replace(/%0A/gi, '\n');
}
