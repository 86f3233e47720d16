import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import type zlib from 'node:zlib';
import type { FileStamp } from '../ledger/known-files.ts';
import { describeFileError } from './find-files.ts';

/** Larger than any recording there is: a 24-hour ride has about 10 MB. In bytes. */
export const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

/**
 * Room before and after the recording, in bytes: the multipart framing is written around it in
 * place, so that what is sent is the very buffer that was read, hashed and checked.
 */
export const HEAD_ROOM = 4 * 1024;
export const TAIL_ROOM = 256;

/** A recording, in a buffer with room around it. */
export interface RecordingContents {
  /** The whole buffer; the recording begins at {@link HEAD_ROOM}. */
  readonly buffer: Buffer;
  /** The recording's bytes: a view into `buffer`. */
  readonly bytes: Buffer;
}

export interface FileContents extends RecordingContents {
  /** The file's, as it was when it was read. */
  readonly stamp: FileStamp;
}

/** Gives a buffer of at least so many bytes; it is the reader's until it reads the next file. */
export type BufferSource = (size: number) => Buffer;

/**
 * Reads a file once, as a whole. A gzip file is unpacked: the recording is what is inside.
 *
 * @returns the contents, or in a sentence why there are none; `changing` when the file was written
 *   to while it was read.
 */
export function readFile(
  path: string,
  buffers: BufferSource,
): FileContents | { readonly problem: string; readonly changing?: true } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const before = fstatSync(descriptor);
    if (before.isDirectory()) return { problem: 'It is a folder.' };
    if (before.size > MAX_RECORDING_BYTES) return { problem: tooLarge() };
    const buffer = buffers(HEAD_ROOM + before.size + TAIL_ROOM);
    const size = fill(descriptor, buffer, before.size);
    const after = fstatSync(descriptor);
    if (size !== after.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
      return {
        problem: 'It changed while it was read: it is still being written.',
        changing: true,
      };
    }
    const { mtimeMs, ctimeMs } = after;
    const stamp = { size, mtimeMs, ctimeMs };
    const bytes = buffer.subarray(HEAD_ROOM, HEAD_ROOM + size);
    return isGzip(bytes) ? unpack(bytes, stamp) : { buffer, bytes, stamp };
  } catch (error) {
    return { problem: describeFileError(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function fill(descriptor: number, buffer: Buffer, size: number): number {
  let have = 0;
  while (have < size) {
    const read = readSync(descriptor, buffer, HEAD_ROOM + have, size - have, have);
    if (read === 0) break;
    have += read;
  }
  return have;
}

/** RFC 1952 section 2.3.1, with the one compression method there is. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

function unpack(packed: Buffer, stamp: FileStamp): FileContents | { problem: string } {
  // Loaded when the first packed file is met.
  const { gunzipSync } = createRequire(import.meta.url)('node:zlib') as typeof zlib;
  let unpacked: Buffer;
  try {
    unpacked = gunzipSync(packed, { maxOutputLength: MAX_RECORDING_BYTES });
  } catch (error) {
    const broken =
      error instanceof RangeError ? tooLarge() : 'The gzip file is damaged or cut off.';
    return { problem: broken };
  }
  return { ...contentsOf(unpacked), stamp };
}

/** A recording that is in memory already, with room around it. */
export function contentsOf(recording: Uint8Array): RecordingContents {
  const buffer = Buffer.allocUnsafe(HEAD_ROOM + recording.length + TAIL_ROOM);
  buffer.set(recording, HEAD_ROOM);
  return { buffer, bytes: buffer.subarray(HEAD_ROOM, HEAD_ROOM + recording.length) };
}

function tooLarge(): string {
  return `It is larger than any recording (${MAX_RECORDING_BYTES / 1024 / 1024} MB).`;
}
