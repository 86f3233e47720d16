import type { Member, UnreadableFile } from '../archive/archives.ts';
import { ArchiveFault } from '../archive/fault.ts';
import {
  type RecordingContents,
  isPacked,
  largestUnpacked,
  mayBeRecording,
  overLimit,
  unpacked,
} from './read-recording.ts';

/** Why a member cannot be read. */
export type UnreadableMember = Omit<UnreadableFile, 'path'>;

/**
 * Reads a recording from an archive, and unpacks it if it is packed itself. Of a member that is no recording, it
 * reads the beginning only, which shows its kind.
 *
 * @throws the signal's reason if it is aborted
 */
export async function readMember(member: Member): Promise<RecordingContents | UnreadableMember> {
  const limit = largestUnpacked(member.packed);
  if (member.size > limit) return overLimit(limit);
  let bytes = Buffer.alloc(0);
  // An archive may have a million of them.
  if (member.size === 0 && member.packed === 0) return { bytes };
  let have = 0;
  try {
    for await (const chunk of member.read()) {
      if (have === 0) {
        if (!isPacked(chunk) && !mayBeRecording(chunk)) return { bytes: chunk };
        bytes = Buffer.allocUnsafeSlow(member.size);
      }
      have += chunk.copy(bytes, have);
    }
  } catch (error) {
    if (error instanceof ArchiveFault) return { problem: error.message, reason: error.reason };
    throw error;
  }
  return unpacked(bytes, limit, limit);
}
