import { basename } from 'node:path';
import { type Text, hinted, joinTexts, phrase, sync } from '../../base/phrase.ts';
import type { ProgressState } from '../../terminal/progress-text.ts';
import { bytes, plural } from '../../terminal/words.ts';
import type { UploadItem, UploadProgress, UploadRequest } from '../../upload/report.ts';
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
  return Object.assign(head, item, { activity: activityJson(activity) });
}

/** Returns the counts as JSON; files of other kinds only if found. */
export function uploadSummaryJson(tally: Tally): Record<string, unknown> {
  const found = Object.entries(tally.others).filter(([, paths]) => paths.length > 0);
  return {
    type: 'summary',
    total: tally.counts.total,
    ...outcomesJson(tally),
    ...Object.fromEntries(found.map(([kind, paths]) => [kind, paths.length])),
  };
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
      return `${shownActivity(item, view)}  uploaded${noteOf(item)}`;
    case 'duplicate':
      return `${shownActivity(item, view)}  already there${noteOf(item)}`;
    case 'skipped':
      return item.reason === 'shorter' ? `${path}: not sent. ${item.detail ?? ''}` : undefined;
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

function noteOf({ note }: Extract<UploadItem, { outcome: 'uploaded' | 'duplicate' }>): string {
  return note === undefined ? '' : `. ${note}`;
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
  return joinTexts(lines, '\n');
}

/**
 * Returns a sentence that says where every file is now.
 *
 * @param wellness number of skipped files with wellness, which another command sends
 */
export function uploadSummaryText(
  { counts, others }: Tally,
  wellness: number = counts.wellness,
): Text {
  const left = phrase`${wellnessText(wellness)}${othersText(others)}`;
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

/** Counts the files of other kinds, with the way to send their recordings; '' if there are none. */
function othersText({ gpx, tcx, zip }: Tally['others']): string {
  const tracks = [
    ...(gpx.length > 0 ? [plural(gpx.length, 'GPX file')] : []),
    ...(tcx.length > 0 ? [plural(tcx.length, 'TCX file')] : []),
  ];
  const named = zip.slice(0, NAMED).join(', ');
  const more = zip.length > NAMED ? ` and ${zip.length - NAMED} more` : '';
  return [
    tracks.length > 0
      ? ` Not sent: ${tracks.join(' and ')}. Only FIT recordings are sent: export the originals as FIT.`
      : '',
    zip.length > 0
      ? ` Not opened: ${plural(zip.length, 'zip archive')} in a folder (${named}${more}). Name an archive to send its recordings.`
      : '',
  ].join('');
}
