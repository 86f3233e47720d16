import type { UploadReport, UploadSummary } from '../commands/upload.ts';
import type { UploadItem, UploadProgress, UploadRequest } from '../upload/report.ts';
import { bytes, oneLine, plural } from './words.ts';

/** A file's outcome for programs. */
export function uploadItemReport(item: UploadItem): Record<string, unknown> {
  return { type: 'upload', ...item };
}

/** The counts for programs; `would-upload` only where there was a dry run. */
export function uploadSummaryReport(summary: UploadSummary): Record<string, unknown> {
  const { 'would-upload': wouldUpload, ...counts } = summary;
  return {
    type: 'summary',
    ...counts,
    ...(wouldUpload > 0 ? { 'would-upload': wouldUpload } : {}),
  };
}

/** A file's outcome for people; nothing for what needs no telling file by file. */
export function uploadItemText(item: UploadItem): string | undefined {
  const path = oneLine(item.path);
  switch (item.outcome) {
    case 'uploaded':
      return `${path}: uploaded${item.service.state === 'queued' ? ' (received, being processed)' : ''}`;
    case 'duplicate':
      return `${path}: the service had it already${item.note === undefined ? '' : `. ${item.note}`}`;
    case 'skipped':
      return undefined;
    case 'invalid':
      return `${path}: not sent. ${item.detail}`;
    case 'rejected':
      return `${path}: refused by the service: ${oneLine(item.message)}`;
    case 'failed':
      return `${path}: not sent. ${oneLine(item.message)}${item.hint === undefined ? '' : ` ${item.hint}`}`;
    case 'would-upload':
      return requestText(path, item.request);
  }
}

function requestText(path: string, { method, url, parts }: UploadRequest): string {
  return [
    `${path}: would be sent`,
    `  ${method} ${url}`,
    ...parts.map((part) =>
      'value' in part
        ? `  ${part.name}: ${oneLine(part.value)}`
        : `  ${part.name}: ${oneLine(part.filename)} (${bytes(part.size)}, SHA-256 ${part.sha256})`,
    ),
  ].join('\n');
}

/** One sentence that says where everything is now. */
export function uploadSummaryText({
  summary,
  skipped,
}: Pick<UploadReport, 'summary' | 'skipped'>): string {
  if (summary.total === 0) return 'No recordings found.';
  const parts = [
    [summary.uploaded, 'uploaded'],
    [summary['would-upload'], 'would be uploaded'],
    [summary.duplicate, 'already at the service'],
    [skipped['already-uploaded'], 'uploaded before'],
    [skipped['refused-before'], 'refused before (`sync upload` offers them again)'],
    [skipped['not-an-activity'], 'without an activity (settings, courses and the like)'],
    [summary.invalid, 'not usable'],
    [summary.rejected, 'refused'],
    [summary.failed, 'not delivered; the same command again continues'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const nothing = summary.skipped === summary.total ? 'Nothing to send. ' : '';
  return `${nothing}${plural(summary.total, 'file')}: ${told.join(', ')}.`;
}

/** The progress line. @param elapsedMs since the first byte was sent */
export function uploadProgressText(progress: UploadProgress, elapsedMs: number): string {
  const { done, total, sentBytes, current } = progress;
  const rate = elapsedMs > 500 ? `, ${bytes((sentBytes / elapsedMs) * 1000)}/s` : '';
  return `${done} of ${total}, ${bytes(sentBytes)}${rate}  ${current}`;
}
