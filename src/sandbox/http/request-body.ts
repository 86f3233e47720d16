import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { bufferToFormData } from 'hono/utils/buffer';
import { ApiProblem } from './problem.ts';
import { sha256 } from '../random.ts';

/** Limit on the parts of a multipart body; a client sends a few for each file. */
const MAX_PARTS = 1_000;

/** One part of a multipart/form-data body (RFC 7578). */
export type BodyPart = Readonly<Awaited<ReturnType<typeof toPart>>>;

export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'multipart'; readonly parts: readonly BodyPart[] }
  | { readonly kind: 'form'; readonly fields: URLSearchParams }
  | { readonly kind: 'other'; readonly contentType: string; readonly text: string }
  /** The bytes do not match the Content-Type. */
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Reads the body of a request up to a limit, with or without a Content-Length. Reads it from the socket, if
 * there is one: reading it through the Request copies it twice.
 *
 * @param onBytes called with the number of bytes that arrived; its error ends the request
 * @throws Problem 413, after which the server closes the connection; an Error if the client disconnects before the end
 */
export async function readBytes(
  c: Context,
  maxBytes: number,
  onBytes: (count: number) => void = () => undefined,
): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { incoming } = (c.env as Partial<HttpBindings> | undefined) ?? {};
  if (incoming === undefined) return Buffer.from(await c.req.arrayBuffer());
  const chunks: Buffer[] = [];
  let size = 0;
  // The answer needs the socket, also if the rest is not read.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    onBytes((chunk as Buffer).length);
    chunks.push(chunk as Buffer);
  }
  const [only = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : only;
}

function tooLarge(maxBytes: number): ApiProblem {
  return new ApiProblem(413, `A request may have at most ${maxBytes} bytes`);
}

/** Decodes the bytes. Never throws: a scripted fault or a 401 may apply before the body matters. */
export async function decodeBody(contentType: string, bytes: Buffer): Promise<RequestBody> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') return decodeJson(bytes);
  if (type === 'multipart/form-data') return await decodeMultipart(contentType, bytes);
  if (type === 'application/x-www-form-urlencoded') {
    return { kind: 'form', fields: new URLSearchParams(bytes.toString('utf8')) };
  }
  if (bytes.length === 0) return { kind: 'none' };
  return { kind: 'other', contentType: type, text: bytes.toString('utf8') };
}

function decodeJson(bytes: Buffer): RequestBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'malformed', reason: `The body is not JSON: ${(error as Error).message}` };
  }
}

/**
 * Returns the body as the framework of deployed services reads it: JSON unless the Content-Type is a
 * form or text; undefined if there is none.
 * @throws Problem 400
 */
export function valueOf(body: RequestBody): unknown {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return body.value;
    case 'form':
      return Object.fromEntries(body.fields);
    case 'other':
      return body.contentType.startsWith('text/')
        ? body.text
        : valueOf(decodeJson(Buffer.from(body.text)));
    case 'multipart':
    case 'malformed':
      throw new ApiProblem(400, 'Invalid JSON body', { statusMessage: 'Bad Request' });
  }
}

async function decodeMultipart(contentType: string, bytes: Buffer): Promise<RequestBody> {
  if (hasTooManyParts(contentType, bytes)) {
    return { kind: 'malformed', reason: `A multipart body may have at most ${MAX_PARTS} parts` };
  }
  let form: FormData;
  try {
    form = await bufferToFormData(new Uint8Array(bytes).buffer, contentType);
  } catch {
    return { kind: 'malformed', reason: 'The multipart body is invalid' };
  }
  return { kind: 'multipart', parts: await Promise.all([...form].map(toPart)) };
}

function hasTooManyParts(contentType: string, bytes: Buffer): boolean {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const delimiter = `--${quoted ?? plain ?? ''}`;
  let count = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    // The last one ends the body.
    if (++count > MAX_PARTS + 1) return true;
  }
  return false;
}

async function toPart([name, value]: readonly [string, File | string]) {
  const plain = typeof value === 'string';
  const bytes = plain ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
  return {
    name,
    /** null for a plain field, as its type. */
    fileName: plain ? null : value.name,
    contentType: plain ? null : value.type,
    bytes,
    sha256: sha256(bytes),
  };
}

/**
 * Returns the body as a JSON object.
 * @throws Problem 400 if it is none, 415 if its Content-Type is not JSON
 */
export function objectOf(body: RequestBody): Record<string, unknown> {
  if (body.kind === 'malformed') throw new ApiProblem(400, body.reason);
  if (body.kind !== 'json') {
    throw new ApiProblem(415, 'The body must be sent as Content-Type: application/json');
  }
  if (isObject(body.value)) return body.value;
  throw new ApiProblem(400, 'The body must be a JSON object');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
