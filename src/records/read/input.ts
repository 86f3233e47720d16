import { createReadStream, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { utf16Of } from '../../base/utf16.ts';
import type { FitSample } from '../../fit/wellness.ts';
import { NotPlainFile, describeNamedError, openPlainFile } from '../../system/plain-file.ts';
import { keepHeapSmall } from '../../system/this-process.ts';
import { refusedInput } from '../refused-input.ts';

/** Limits an input; records of many years stay far below it. */
export const MAX_INPUT_BYTES = 100 * 1024 * 1024;

/** From here on, garbage is collected early: later, the room for new objects has grown (bytes). */
const LARGE_INPUT = 512 * 1024;

/** The name of stdin as an input. */
export const STDIN = 'stdin';

/** Matches the paths of descriptors, which name another thing in each process. */
const STREAM = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/** A source of records. */
export interface Input {
  /** Its name in messages: the path as the user gave it, or `stdin`. */
  readonly name: string;
  /** Its identity over all runs: an absolute path, or its name. */
  readonly origin?: string;
  /** It is no regular file, so it can be read once, and no later version of it can come. */
  readonly isStream?: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** When it was written (ms since the epoch), if it is a file. */
  readonly modified?: number | undefined;
  /** The wellness of a FIT file that was read before: its `chunks` are not read again. */
  readonly samples?: readonly FitSample[];
}

/** Makes an input of a file or a FIFO, which is opened when it is read. */
export function fileInput(path: string): Input {
  // A path that cannot be reached fails when it is read.
  const stats = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  const [origin, chunks, modified] = [resolve(path), chunksOf(path), stats?.mtimeMs];
  if (STREAM.test(origin)) return { name: path, origin: STDIN, chunks, isStream: true };
  return { name: path, origin, chunks, modified, isStream: stats?.isFile() === false };
}

/** Makes an input of a file that is read more than once, so it cannot be a FIFO. */
export function plainFileInput(path: string): Input {
  const open = () => openPlainFile(path).descriptor;
  return { name: path, origin: resolve(path), chunks: chunksOf(path, open) };
}

/** Makes an input of records, as JSON. @throws SyncError `USAGE` for what JSON cannot hold: a bigint, a circle */
export function recordsInput(records: unknown, name: string): Input {
  // As null they would vanish without a note.
  const asText = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  // Returns nothing for what JSON has no form of.
  const write: (value: unknown, replacer: typeof asText) => string | undefined = JSON.stringify;
  let text: string | undefined;
  try {
    text = write(records, asText);
  } catch (cause) {
    throw new SyncError('USAGE', `The records are no JSON: ${messageOf(cause)}`, { cause });
  }
  if (text === undefined)
    throw new SyncError('USAGE', 'A record, a list of records, or the path of a file is expected.');
  return { name, chunks: Readable.from([Buffer.from(text)]) };
}

async function* chunksOf(
  path: string,
  open?: () => number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const from = open === undefined ? {} : { fd: open() };
  const options = { highWaterMark: 256 * 1024, ...from };
  yield* createReadStream(path, options) as AsyncIterable<Buffer>;
}

/**
 * Opens an input; a text in UTF-16 becomes UTF-8.
 *
 * @param limit may be raised while the input is read
 * @throws SyncError `INPUT_INVALID` if it cannot be read, or is larger than `limit.bytes`
 */
export async function* openInput(
  { name, chunks }: Input,
  limit: { readonly bytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  let utf16: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of chunks) {
      const encoding = size === 0 ? utf16Of(chunk) : undefined;
      if (encoding !== undefined) utf16 = new TextDecoder(encoding);
      size += chunk.length;
      if (size > limit.bytes) {
        const found = `${name} is larger than ${sizeOf(limit.bytes)}`;
        throw refusedInput(name, found, 'Split it, for example by year.');
      }
      if (size > LARGE_INPUT) keepHeapSmall();
      yield utf16 === undefined
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.from(utf16.decode(chunk, { stream: true }));
    }
  } catch (error) {
    if (systemCode(error) === undefined || error instanceof SyncError) throw error;
    // Opening a socket fails.
    const fault = systemCode(error) === 'ENXIO' ? new NotPlainFile() : error;
    const found = `${name}: ${describeNamedError(fault)}`;
    throw refusedInput(name, found, undefined, { cause: error });
  }
}

function sizeOf(bytes: number): string {
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MB` : `${bytes} bytes`;
}

/** Returns the first bytes: all, or more than `limit`. */
export async function joinUpTo(chunks: AsyncIterable<Buffer>, limit = Infinity): Promise<Buffer> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    all.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return Buffer.concat(all);
}
