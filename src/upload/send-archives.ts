import { basename } from 'node:path';
import { Archives, isZipFile } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import {
  type BatchSender,
  type MemberRecording,
  type RunTarget,
  unreadableItem,
} from './batch-sender.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import { readMember } from './read-member.ts';
import { isRecordingName, isTrackName } from '../inputs/recording-names.ts';
import type { TrackSource } from './send-tracks.ts';

export interface ArchiveTarget extends Pick<RunTarget, 'report'> {
  readonly tempFolder: string;
}

/**
 * Sends the recordings in zip archives, at any depth. A file that is no zip archive despite its name is
 * sent like a recording. GPX and TCX files come last.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendArchives(
  { signal }: Context,
  files: readonly RecordingFile[],
  sender: BatchSender,
  target: ArchiveTarget,
  sendTracks: (tracks: readonly TrackSource[]) => Promise<void>,
): Promise<void> {
  const archives = new Archives(signal, target.tempFolder);
  const tracks: TrackSource[] = [];
  try {
    for (const file of files) {
      if (await isZipFile(file.absolute)) {
        await sender.sendMembers(recordingsIn(archives, file, target, tracks));
      } else await sender.sendFiles([file]);
    }
    await sendTracks(tracks);
  } finally {
    await archives.close();
  }
}

/** Yields the recordings of an archive; reports what cannot be read or sent. */
async function* recordingsIn(
  archives: Archives,
  { path, absolute }: RecordingFile,
  target: ArchiveTarget,
  tracks: TrackSource[],
): AsyncGenerator<MemberRecording, void, undefined> {
  for await (const found of archives.members(path, absolute)) {
    if ('problem' in found) {
      target.report(unreadableItem(found.path, found));
      continue;
    }
    const name = basename(found.path);
    const source = { path: found.path, read: () => readMember(found) };
    if (isRecordingName(name)) yield source;
    else if (isTrackName(name)) tracks.push({ ...source, named: false });
  }
}
