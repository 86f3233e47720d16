import { basename } from 'node:path';
import { Archives, isZipFile } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import {
  type BatchSender,
  type MemberRecording,
  type RunTarget,
  unreadableItem,
} from './batch-sender.ts';
import type { OtherFile, RecordingFile } from '../inputs/find-files.ts';
import { readMember } from './read-member.ts';
import { isRecordingName, otherKind } from '../inputs/recording-names.ts';

export interface ArchiveTarget extends Pick<RunTarget, 'report'> {
  readonly tempFolder: string;
  /** Called for each GPX, TCX or zip file in a folder, and each GPX or TCX file in an archive. */
  readonly onOther?: ((file: OtherFile) => void) | undefined;
}

/**
 * Sends the recordings in zip archives, at any depth. A file that is no zip archive despite its name is
 * sent like a recording.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendArchives(
  { signal }: Context,
  files: readonly RecordingFile[],
  sender: BatchSender,
  target: ArchiveTarget,
): Promise<void> {
  const archives = new Archives(signal, target.tempFolder);
  try {
    for (const file of files) {
      if (await isZipFile(file.absolute)) {
        await sender.sendMembers(recordingsIn(archives, file, target));
      } else await sender.sendFiles([file]);
    }
  } finally {
    await archives.close();
  }
}

/** Yields the recordings of an archive; reports what cannot be read or sent. */
async function* recordingsIn(
  archives: Archives,
  { path, absolute }: RecordingFile,
  target: ArchiveTarget,
): AsyncGenerator<MemberRecording, void, undefined> {
  for await (const found of archives.members(path, absolute)) {
    if ('problem' in found) {
      target.report(unreadableItem(found.path, found));
      continue;
    }
    const name = basename(found.path);
    const other = otherKind(name);
    if (other !== undefined) target.onOther?.({ path: found.path, other });
    if (isRecordingName(name)) yield { path: found.path, read: () => readMember(found) };
  }
}
