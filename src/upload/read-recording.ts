import { closeSync, fstatSync, readSync } from 'node:fs';
import { systemCode } from '../base/errors.ts';
import { onlyRecording } from '../archive/only-recording.ts';
import { withoutPadding } from '../fit/envelope.ts';
import { stampOf } from '../inputs/find-files.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import { describeFileError, openPlainFile } from '../system/plain-file.ts';
import { loadZlib } from '../system/this-process.ts';
import type { FileStamp } from '../ledger/known-files.ts';

/** Upper bound for a recording; a 24-hour ride has about 10 MB (bytes). */
export const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

/** Recordings above this size are uploaded one at a time, which bounds the memory (bytes). */
export const LARGE_BYTES = 4 * 1024 * 1024;

export interface RecordingContents {
  /** The bytes that were read, checked and hashed are the bytes that are sent. */
  readonly bytes: Buffer;
  /** Of the file that was read. */
  readonly stamp?: FileStamp;
}

export interface FileContents extends RecordingContents {
  readonly stamp: FileStamp;
}

/** Why a file cannot be read, as a sentence. `incomplete`: a later try may succeed. */
export interface Unreadable {
  readonly problem: string;
  readonly reason: 'unreadable' | 'incomplete' | 'corrupt';
}

export const STILL_WRITTEN = 'It changed while it was read: it is still being written.';

/** Returns a buffer of at least `size` bytes, valid until the next call. */
export type BufferSource = (size: number) => Buffer;

/**
 * Returns a source of one buffer, which grows to the largest file and is reused.
 *
 * @param largestKept larger buffers are not kept, for a process that mostly waits (bytes)
 */
export function reusedBuffer(largestKept = Infinity): BufferSource {
  let buffer = Buffer.alloc(0);
  return (size) => {
    if (size > largestKept) return Buffer.allocUnsafeSlow(size);
    // At least twice as large: recordings of slowly growing sizes would leave a buffer each.
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(Math.max(size, 2 * buffer.length));
    return buffer;
  };
}

/**
 * Reads a whole file once, and unpacks it if it is gzip, or a zip archive of one recording. Leaves out
 * padding behind a recording.
 *
 * @param buffers by default a new buffer
 * @returns the contents, or why the file cannot be read.
 */
export function readFile(
  path: string,
  buffers: BufferSource = (size) => Buffer.allocUnsafe(size),
): FileContents | Unreadable {
  let descriptor: number | undefined;
  try {
    const opened = openPlainFile(path);
    descriptor = opened.descriptor;
    const before = opened.stats;
    if (before.isDirectory()) return unreadable('It is a folder.');
    if (before.size > MAX_RECORDING_BYTES) return unreadable(TOO_LARGE);
    const buffer = buffers(before.size);
    const size = fill(descriptor, buffer, before.size);
    const after = fstatSync(descriptor);
    const isTouched = after.mtimeMs !== before.mtimeMs && !isOnMtp(path);
    if (size !== after.size || after.size !== before.size || isTouched) {
      return { problem: STILL_WRITTEN, reason: 'incomplete' };
    }
    const stamp = stampOf(after);
    const contents = unpacked(buffer.subarray(0, size));
    if ('problem' in contents) return contents;
    if (contents.bytes.buffer === buffer.buffer) return { ...contents, stamp };
    // Unpacked ones would survive until the next full garbage collection.
    const bytes = buffers(contents.bytes.length).subarray(0, contents.bytes.length);
    contents.bytes.copy(bytes);
    return { bytes, stamp };
  } catch (error) {
    return unreadable(describeFileError(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Returns the recording in the bytes of a file, unpacked if they are gzip, or a zip archive of one recording. Leaves out
 * padding behind it.
 *
 * @param limit upper bound for a recording that was packed to these bytes
 */
export function unpacked(
  bytes: Buffer,
  limit = largestUnpacked(bytes.length),
): RecordingContents | Unreadable {
  if (isGzip(bytes)) return gunzipped(bytes, limit);
  const zipped = isZip(bytes) ? onlyRecording(bytes, limit) : undefined;
  return { bytes: withoutPadding(zipped ?? bytes) };
}

function fill(descriptor: number, buffer: Buffer, size: number): number {
  let have = 0;
  while (have < size) {
    const read = readSync(descriptor, buffer, have, size - have, have);
    if (read === 0) break;
    have += read;
  }
  return have;
}

/** Returns whether a file that starts with these bytes is packed: {@link unpacked} shows what it holds. */
export function isPacked(first: Uint8Array): boolean {
  return isGzip(first) || isZip(first);
}

/** Checks the magic bytes and the only compression method (RFC 1952 section 2.3.1). */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Checks the signature of the first member of a zip archive (APPNOTE 4.3.7). */
function isZip(bytes: Uint8Array): boolean {
  return ZIP_SIGNATURE.every((byte, at) => bytes[at] === byte);
}

const ZIP_SIGNATURE = [0x50, 0x4b, 0x03, 0x04];

/** Upper bound for a recording that is unpacked in memory: four days of a ride (bytes). */
export const MAX_UNPACKED_BYTES = 48 * 1024 * 1024;
/** Recordings shrink to a third, or to a tenth if the device writes many constant fields. */
const MAX_GZIP_RATIO = 100;
/** Every gzip file may unpack to this (bytes). */
const SMALL_BYTES = 1024 * 1024;

/** Returns the largest size of a recording in a gzip file or an archive, packed to this size (bytes). */
export function largestUnpacked(packed: number): number {
  return Math.min(MAX_UNPACKED_BYTES, Math.max(SMALL_BYTES, packed * MAX_GZIP_RATIO));
}

function gunzipped(packed: Buffer, limit: number): RecordingContents | Unreadable {
  // Loaded with the first gzip file.
  const { gunzipSync } = loadZlib();
  try {
    // A large chunk saves the joining of many.
    const bytes = gunzipSync(packed, { maxOutputLength: limit, chunkSize: SMALL_BYTES });
    return { bytes: withoutPadding(bytes) };
  } catch (error) {
    if (error instanceof RangeError) return overLimit(limit);
    // zlib reached the end of the file before the end of the stream.
    return systemCode(error) === 'Z_BUF_ERROR'
      ? { reason: 'incomplete', problem: 'The end of the gzip file is missing.' }
      : { reason: 'corrupt', problem: 'The gzip file is damaged. Download or copy it again.' };
  }
}

/** Returns why a recording of more than `limit` bytes is not read: see {@link largestUnpacked}. */
export function overLimit(limit: number): Unreadable {
  return unreadable(limit === MAX_UNPACKED_BYTES ? TOO_LARGE_UNPACKED : TOO_PACKED);
}

const TOO_LARGE = `It is larger than any recording (${megabytes(MAX_RECORDING_BYTES)}).`;

const TOO_LARGE_UNPACKED = `It unpacks to more than ${megabytes(MAX_UNPACKED_BYTES)}, as hardly any recording does. If it is one, unpack it, and upload the .fit file.`;

const TOO_PACKED = `It unpacks to more than ${MAX_GZIP_RATIO} times its size, as no recording does.`;

function unreadable(problem: string): Unreadable {
  return { problem, reason: 'unreadable' };
}

/** Copies a recording from memory, without padding behind it. */
export function contentsOf(recording: Uint8Array): RecordingContents {
  return { bytes: withoutPadding(Buffer.from(recording)) };
}

function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}
