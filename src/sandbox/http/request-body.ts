import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { bufferToFormData } from 'hono/utils/buffer';
import { ApiProblem } from './problem.ts';
import { sha256 } from '../random.ts';

/** Limit on the parts of a multipart body; a client sends a few for each file. */
const MAX_PARTS = 1_000;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** One part of a multipart/form-data body (RFC 7578). */
export type BodyPart = Readonly<Awaited<ReturnType<typeof toPart>>>;

/** A body as the framework of deployed services reads it: JSON, unless its type is a form or text. */
export interface RequestBody {
  /** The media type in lower case, without parameters. */
  readonly type: string;
  /** Decoded JSON, the fields of a form, or a text; undefined: there is none. */
  readonly value?: unknown;
  /** Of a multipart body. */
  readonly parts?: readonly BodyPart[];
  /** Why the bytes do not match their type. */
  readonly problem?: string;
}

/**
 * Reads the body of a request up to a limit, with or without a Content-Length. Reads it from the socket, if
 * there is one: reading it through the Request copies it twice.
 *
 * @throws Problem 413, after which the server closes the connection; an Error if the client disconnects before the end
 */
export async function readBytes(c: Context, maxBytes: number): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { incoming } = (c.env as Partial<HttpBindings> | undefined) ?? {};
  if (incoming === undefined) return Buffer.from(await c.req.arrayBuffer());
  const chunks: Buffer[] = [];
  let size = 0;
  // The answer needs the socket, also if the rest is not read.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge(maxBytes);
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
  try {
    if (type === 'multipart/form-data') return { type, parts: await partsOf(contentType, bytes) };
    return { type, value: decodeValue(type, bytes) };
  } catch (error) {
    return { type, problem: (error as Error).message };
  }
}

function decodeValue(type: string, bytes: Buffer): unknown {
  if (type === FORM) return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  if (bytes.length === 0 && type !== JSON_TYPE) return undefined;
  if (type.startsWith('text/')) return bytes.toString('utf8');
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** Returns the value of a body. @throws Problem 400 for a multipart body or invalid JSON */
export function valueOf({ value, parts, problem }: RequestBody): unknown {
  if (parts === undefined && problem === undefined) return value;
  throw new ApiProblem(400, 'Invalid JSON body', { statusMessage: 'Bad Request' });
}

async function partsOf(contentType: string, bytes: Buffer): Promise<BodyPart[]> {
  if (hasTooManyParts(contentType, bytes)) throw new Error('Too many parts');
  const form = await bufferToFormData(new Uint8Array(bytes).buffer, contentType);
  return await Promise.all([...form].map(toPart));
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
export function objectOf({ type, value, problem }: RequestBody): Record<string, unknown> {
  if (type !== JSON_TYPE) {
    throw new ApiProblem(415, 'The body must be sent as Content-Type: application/json');
  }
  if (problem !== undefined) throw new ApiProblem(400, `The body is not JSON: ${problem}`);
  if (isObject(value)) return value;
  throw new ApiProblem(400, 'The body must be a JSON object');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
