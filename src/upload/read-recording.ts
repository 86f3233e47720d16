import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { systemCode } from '../base/errors.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import { NO_FILE, describeFileError } from './find-files.ts';

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

/** Why a file's contents cannot be had, in a sentence. `incomplete`: they may be had later. */
export interface Unreadable {
  readonly problem: string;
  readonly reason: 'unreadable' | 'incomplete' | 'corrupt';
}

/** Gives a buffer of at least so many bytes; it is the reader's until it reads the next file. */
export type BufferSource = (size: number) => Buffer;

/** Opening a FIFO waits for its other end, deaf to signals, unless it is told not to. Windows has none. */
const AT_ONCE = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Reads a file once, as a whole. A gzip file is unpacked: the recording is what is inside.
 *
 * @returns the contents, or why there are none.
 */
export function readFile(path: string, buffers: BufferSource): FileContents | Unreadable {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, AT_ONCE);
    const before = fstatSync(descriptor);
    if (before.isDirectory()) return unreadable('It is a folder.');
    if (!before.isFile()) return unreadable(NO_FILE);
    if (before.size > MAX_RECORDING_BYTES) return unreadable(tooLarge());
    const buffer = buffers(HEAD_ROOM + before.size + TAIL_ROOM);
    const size = fill(descriptor, buffer, before.size);
    const after = fstatSync(descriptor);
    if (size !== after.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
      return {
        problem: 'It changed while it was read: it is still being written.',
        reason: 'incomplete',
      };
    }
    const { mtimeMs, ctimeMs } = after;
    const stamp = { size, mtimeMs, ctimeMs };
    const bytes = buffer.subarray(HEAD_ROOM, HEAD_ROOM + size);
    return isGzip(bytes) ? unpack(bytes, stamp) : { buffer, bytes, stamp };
  } catch (error) {
    // A socket cannot even be opened.
    const none = descriptor === undefined && systemCode(error) === 'ENXIO';
    return unreadable(none ? NO_FILE : describeFileError(error));
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

function unpack(packed: Buffer, stamp: FileStamp): FileContents | Unreadable {
  // Loaded when the first packed file is met.
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  try {
    return { ...contentsOf(gunzipSync(packed, { maxOutputLength: MAX_RECORDING_BYTES })), stamp };
  } catch (error) {
    if (error instanceof RangeError) return unreadable(tooLarge());
    // zlib ran out of bytes before the end that the format promises.
    return systemCode(error) === 'Z_BUF_ERROR'
      ? { reason: 'incomplete', problem: 'The end of the gzip file is missing.' }
      : { reason: 'corrupt', problem: 'The gzip file is damaged. Download or copy it again.' };
  }
}

function unreadable(problem: string): Unreadable {
  return { problem, reason: 'unreadable' };
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
