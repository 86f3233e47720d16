import type { Member, UnreadableFile } from '../archive/archives.ts';
import { ArchiveFault } from '../archive/fault.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import {
  type BufferSource,
  type RecordingContents,
  largestUnpacked,
  overLimit,
  readFile,
  unpacked,
} from './read-recording.ts';
import type { TrackIdentity } from './recordings-of.ts';

/** A recording to send: a file, a member of an archive, a conversion, or one that `sync seed` made. */
export interface Sendable {
  /** Path in reports; its last part is the file name in the metadata. */
  readonly path: string;
  /** Display name from the export that holds the recording. */
  readonly title?: string;
  /** The user named it. */
  readonly named?: boolean;
  /** The file with its bytes; absent for any other. */
  readonly file?: RecordingFile;
  /** Reads it from its start, each time. @returns contents that are valid until `buffers` is used again */
  readonly read: (buffers?: BufferSource) => Promise<SendableContents | UnreadableMember>;
}

/** `track`: it was GPX or TCX. */
export type SendableContents = RecordingContents & { readonly track?: TrackIdentity | undefined };

/** Why a member cannot be read. */
export type UnreadableMember = Omit<UnreadableFile, 'path'>;

export function sendableOf(from: RecordingFile | Member): Sendable {
  const { path } = from;
  if (!('absolute' in from)) return { path, read: () => readMember(from) };
  const read: Sendable['read'] = (buffers) => Promise.resolve(readFile(from.absolute, buffers));
  return { path, named: from.named, file: from, read };
}

/** Reads a member, and unpacks it if it is packed itself. @throws the signal's reason if it is aborted */
async function readMember(member: Member): Promise<RecordingContents | UnreadableMember> {
  const limit = largestUnpacked(member.packed);
  if (member.size > limit) return overLimit(limit);
  const bytes = Buffer.allocUnsafeSlow(member.size);
  // An archive may have a million of them.
  if (member.size === 0 && member.packed === 0) return { bytes };
  let have = 0;
  try {
    for await (const chunk of member.read()) have += chunk.copy(bytes, have);
  } catch (error) {
    if (error instanceof ArchiveFault) return { problem: error.message, reason: error.reason };
    throw error;
  }
  return unpacked(bytes, limit);
}
