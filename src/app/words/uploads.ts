import { basename } from 'node:path';
import { type Text, hinted, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { withIsoTimes } from '../../base/time.ts';
import type { ProgressState } from '../../terminal/progress-text.ts';
import { ago, bytes, plural } from '../../terminal/words.ts';
import type { UploadItem, UploadProgress, UploadRequest } from '../../upload/report.ts';
import { fileOf, isTrackName } from '../../inputs/recording-names.ts';
import { shownPath } from '../../system/mtp-path.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import type { Verified } from '../../upload/verify.ts';
import { type ActivityView, activityJson, activityText } from './activities.ts';
import { type Tally, countsText, outcomesJson } from '../outcomes.ts';
import { invalidHint } from './invalid-hint.ts';

/** Returns the progress of an upload for its line: the file in work by its name. */
export function recordingProgress(progress: UploadProgress): ProgressState {
  return { noun: 'recording', ...progress, current: basename(progress.current) };
}

export function uploadItemJson(item: UploadItem): Record<string, unknown> {
  if (item.outcome === 'invalid') {
    return { type: 'upload', ...item, hint: invalidHint(item.path, item.reason, item.wellness) };
  }
  if (!('activity' in item)) return { type: 'upload', ...item };
  const { path, outcome, activity } = item;
  const head: Record<string, unknown> = { type: 'upload', path, outcome };
  const json = Object.assign(head, item, { activity: activityJson(activity) });
  if (!('sameRideAs' in item)) return json;
  return { ...json, sameRideAs: item.sameRideAs.map((ride) => withIsoTimes(ride, 'sentAt')) };
}

/** Returns the counts as JSON; archives in folders only if found. */
export function uploadSummaryJson(tally: Tally): Record<string, unknown> {
  const { counts, archives } = tally;
  const zip = archives.length === 0 ? {} : { zip: archives.length };
  return { type: 'summary', total: counts.total, ...outcomesJson(tally), ...zip };
}

export function undoneJson(
  { path, sha256, activity }: Pick<LedgerUpload, 'path' | 'sha256' | 'activity'>,
  outcome: {
    readonly outcome: string;
    readonly message?: Text;
    readonly workoutId?: string | undefined;
  },
): Record<string, unknown> {
  return { type: 'undo', path, sha256, activity: activityJson(activity), ...outcome };
}

/** @param accepted the platform never named a recording that it took */
export function verifiedJson(
  { upload, outcome, workoutId, shortened }: Verified,
  accepted: boolean,
): Record<string, unknown> {
  const { path, sha256, startedAt, confirmedAt } = upload;
  return {
    type: 'verify',
    path,
    sha256,
    outcome,
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
    uploadedAt: new Date(confirmedAt).toISOString(),
    ...(workoutId === undefined ? {} : { workoutId }),
    ...(accepted ? { accepted } : {}),
    ...(shortened === undefined ? {} : { shortened }),
  };
}

/**
 * Returns a recording's outcome for people: an activity that is at the service by its day and name,
 * any other by its path. Skipped files are only counted.
 */
export function uploadItemText(item: UploadItem, view: ActivityView): Text | undefined {
  const path = shownPath(item.path);
  switch (item.outcome) {
    case 'uploaded':
      return phrase`${shownActivity(item, view)}  uploaded${noteOf(item, view.now)}`;
    case 'duplicate':
      return phrase`${shownActivity(item, view)}  already there${noteOf(item, view.now)}`;
    case 'skipped':
      return isExplained(item) ? phrase`${path}: not sent. ${item.detail ?? ''}` : undefined;
    case 'covered':
    case 'held':
      return undefined;
    case 'invalid':
      return hinted(
        `${path}: not sent. ${item.detail}`,
        invalidHint(item.path, item.reason, item.wellness),
      );
    case 'rejected':
      return `${path}: refused by the platform: ${item.message}`;
    case 'failed':
      return hinted(`${path}: not sent. ${item.message}`, item.hint);
    case 'would-upload':
      return requestText(path, item.request);
  }
}

/** Whether the reason of a skipped file is shown: a track has one only if the user named it. */
function isExplained({
  path,
  reason,
  detail,
}: Extract<UploadItem, { outcome: 'skipped' }>): boolean {
  if (reason === 'not-an-activity') return detail !== undefined && isTrackName(basename(path));
  return reason === 'shorter';
}

/**
 * Names the command that sends a recording although it was sent, held or undone: `upload` takes whole files.
 *
 * @param effect such as `sends it again`
 */
export function resendText(path: string, flag: string, effect: string): Text {
  const file = fileOf(path);
  const more = file === path ? '' : ', with all else in that file';
  return phrase`${sync('upload', flag, file)} ${effect}${more}.`;
}

/** Returns what follows the outcome of a delivered recording; '' if there is nothing to add. */
export function noteOf(
  { note, sameRideAs = [], service }: Extract<UploadItem, { outcome: 'uploaded' | 'duplicate' }>,
  now: number,
): Text {
  const [first] = sameRideAs;
  // A platform that states nothing about a recording removes none either.
  const remedy =
    first === undefined || service.state === undefined
      ? ''
      : phrase`; ${sync('undo', 'upload', first.path)} removes that one`;
  const same =
    first === undefined
      ? ''
      : phrase`. The same ride as ${first.path}, sent ${ago(now - first.sentAt)}${remedy}`;
  return phrase`${note === undefined ? '' : `. ${note}`}${same}`;
}

function shownActivity(
  { path, activity }: Extract<UploadItem, { outcome: 'uploaded' | 'duplicate' }>,
  view: ActivityView,
): string {
  return activityText(activity, basename(path), view);
}

function requestText(path: string, { method, url, parts }: UploadRequest): Text {
  const lines = [
    `${path}: would be sent`,
    `  ${method} ${url}`,
    ...parts.map((part) =>
      'value' in part
        ? `  ${part.name}: ${part.value}`
        : `  ${part.name}: ${part.filename} (${bytes(part.size)}, SHA-256 ${part.sha256})`,
    ),
  ];
  return joinTexts(lines);
}

/**
 * Returns a sentence that says where every file is now.
 *
 * @param wellness number of skipped files with wellness, which another command sends
 */
export function uploadSummaryText(
  { counts, archives }: Tally,
  wellness: number = counts.wellness,
): Text {
  const left = phrase`${wellnessText(wellness)}${archivesText(archives)}`;
  if (counts.total === 0) return phrase`No recordings found.${left}`;
  const nothing = counts.skipped === counts.total ? 'Nothing to send. ' : '';
  return phrase`${nothing}${plural(counts.total, 'file')}: ${joinTexts(countsText(counts), ', ')}.${left}`;
}

function wellnessText(count: number): Text {
  if (count === 0) return '';
  const which = count === 1 ? '1 file holds' : `${count} files hold`;
  return phrase` ${which} wellness: ${sync('push', 'wellness')} with the same folder sends it.`;
}

const NAMED = 3;

/** Counts archives in folders, with the way to send their recordings; '' if there are none. */
function archivesText(archives: readonly string[]): string {
  if (archives.length === 0) return '';
  const named = archives.slice(0, NAMED).join(', ');
  const more = archives.length > NAMED ? ` and ${archives.length - NAMED} more` : '';
  return ` Not opened: ${plural(archives.length, 'zip archive')} in a folder (${named}${more}). Name an archive to send its recordings.`;
}
