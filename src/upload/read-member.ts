import type { Member } from '../archive/archives.ts';
import { ArchiveFault } from '../archive/fault.ts';
import { prepend, through } from '../base/chunks.ts';
import { systemCode } from '../base/errors.ts';
import { withoutPadding } from '../fit/envelope.ts';
import { loadZlib } from '../system/this-process.ts';
import {
  HEAD_ROOM,
  type RecordingContents,
  TAIL_ROOM,
  type Unreadable,
  gzipFault,
  overLimit,
  isGzip,
  largestUnpacked,
  mayBeRecording,
} from './read-recording.ts';

/** Why a member cannot be read. `no-room`: the disk for temporary files is full. */
export type UnreadableMember = Omit<Unreadable, 'reason'> & {
  readonly reason: Unreadable['reason'] | 'no-room';
};

/** First size of the buffer for a gzip member (bytes). */
const FIRST_BYTES = 256 * 1024;

/**
 * Reads a recording from an archive, and unpacks it if it is gzip. Of a member that is no recording, it
 * reads the beginning only, which shows its kind.
 *
 * @throws the signal's reason if it is aborted
 */
export async function readMember(member: Member): Promise<RecordingContents | UnreadableMember> {
  const limit = largestUnpacked(member.packed);
  if (member.size > limit) return overLimit(limit);
  // An archive may have a million of them.
  if (member.size === 0 && member.packed === 0) return collected(withRoom(Buffer.alloc(0)), 0);
  const chunks = member.read();
  try {
    const first = await chunks.next();
    if (first.done === true) return collected(withRoom(Buffer.alloc(0)), 0);
    const all = prepend(first.value, chunks);
    if (!isGzip(first.value)) return await collect(all, member.size, limit);
    const gunzip = loadZlib().createGunzip({ chunkSize: 64 * 1024 });
    return await collect(through(all, gunzip), FIRST_BYTES, limit);
  } catch (error) {
    if (error instanceof ArchiveFault) return { problem: error.message, reason: error.reason };
    const isGzipFault = error instanceof RangeError || systemCode(error)?.startsWith('Z_') === true;
    if (isGzipFault) return gzipFault(error, limit);
    throw error;
  } finally {
    await chunks.return();
  }
}

/** Collects chunks in one buffer with room around them. @throws RangeError if they exceed `limit` */
async function collect(
  chunks: AsyncIterable<Buffer>,
  size: number,
  limit: number,
): Promise<RecordingContents> {
  let buffer = Buffer.alloc(0);
  let have = 0;
  for await (const chunk of chunks) {
    if (have === 0) {
      if (!mayBeRecording(chunk)) return collected(withRoom(chunk), chunk.length);
      buffer = Buffer.allocUnsafeSlow(HEAD_ROOM + size + TAIL_ROOM);
    }
    if (have + chunk.length > limit) throw new RangeError('larger than any recording');
    if (HEAD_ROOM + have + chunk.length + TAIL_ROOM > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (buffer.length + chunk.length));
      buffer.copy(larger, 0, 0, HEAD_ROOM + have);
      buffer = larger;
    }
    chunk.copy(buffer, HEAD_ROOM + have);
    have += chunk.length;
  }
  return collected(buffer, have);
}

function withRoom(chunk: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(HEAD_ROOM), chunk, Buffer.alloc(TAIL_ROOM)]);
}

function collected(buffer: Buffer, size: number): RecordingContents {
  return { buffer, bytes: withoutPadding(buffer.subarray(HEAD_ROOM, HEAD_ROOM + size)) };
}
