import { basename } from 'node:path';
import { Archives, isZipFile } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import { type BatchSender, type RunTarget, unreadableItem } from './batch-sender.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { SendOptions } from './known-outcome.ts';
import { isRecordingName, isTrackName } from '../inputs/recording-names.ts';
import { type TrackEntry, newRoom, sendTracks, tracksIn } from './send-tracks.ts';
import { type Sendable, sendableOf } from './sendable.ts';

export interface ArchiveTarget extends RunTarget {
  readonly known: KnownFiles;
  readonly tempFolder: string;
}

/**
 * Sends the recordings in zip archives, at any depth, and then the activities of GPX and TCX files. A file that is no
 * zip archive despite its name is sent like a recording.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendArchivesAndTracks(
  context: Context,
  files: readonly RecordingFile[],
  trackFiles: readonly RecordingFile[],
  sender: BatchSender,
  options: SendOptions,
  target: ArchiveTarget,
): Promise<void> {
  const archives = new Archives(context.signal, target.tempFolder);
  const tracks = trackFiles.map(sendableOf);
  const choice = { ...options, room: newRoom() };
  try {
    for (const file of files) {
      const isArchive = await isZipFile(file.absolute);
      await sender.send(
        isArchive ? recordingsIn(archives, file, target, tracks) : [sendableOf(file)],
      );
    }
    const entries: TrackEntry[] = [];
    for (const track of tracks) {
      entries.push(...(await tracksIn(context, track, target, target.report, choice)));
    }
    await sendTracks(context, entries, sender, target);
  } finally {
    await archives.close();
  }
}

/** Yields the recordings of an archive; reports what cannot be read or sent. */
async function* recordingsIn(
  archives: Archives,
  { path, absolute }: RecordingFile,
  { report }: Pick<ArchiveTarget, 'report'>,
  tracks: Sendable[],
): AsyncGenerator<Sendable, void, undefined> {
  for await (const found of archives.members(path, absolute)) {
    if ('problem' in found) {
      report(unreadableItem(found.path, found));
      continue;
    }
    const name = basename(found.path);
    if (isRecordingName(name)) yield sendableOf(found);
    else if (isTrackName(name)) tracks.push(sendableOf(found));
  }
}
