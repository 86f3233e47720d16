import { documentUrl } from '../../base/version.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { checkEnvelope, HEADER_BYTES, readHeader } from '../../fit/envelope.ts';
import { describeFileType, isActivity, readFileId } from '../../fit/file-id.ts';
import { type FitSample, readFitWellness } from '../../fit/wellness.ts';
import type { RecordKind } from '../types.ts';
import { refusedInput } from '../refused-input.ts';

/** Reads FIT files as an input of records. */

/** Returns whether an input is a FIT file, or is named like one. */
export function isFit(name: string, head: Uint8Array): boolean {
  return /\.fit$/i.test(name) || readHeader(head.subarray(0, HEADER_BYTES)) !== undefined;
}

/**
 * Returns the wellness of a FIT file.
 *
 * @throws SyncError `INPUT_INVALID` if it is damaged, or has no records of this kind
 */
export function fitSamples(
  name: string,
  bytes: Uint8Array,
  kind: RecordKind,
): readonly FitSample[] {
  const envelope = checkEnvelope(bytes);
  if (envelope.state !== 'whole') throw refusedInput(name, `${name}: ${envelope.detail}`);
  const samples = readFitWellness(bytes);
  if (samples.length > 0) return samples;
  const fileId = readFileId(bytes);
  const holds = describeFileType(fileId?.type);
  const hint = isActivity(bytes, fileId)
    ? phrase`${sync('upload', name)} sends it.`
    : `Which measurements sync reads of FIT files: ${documentUrl('records.md')}`;
  throw refusedInput(name, `${name} has no ${kind} in it: it is ${holds}`, hint);
}
