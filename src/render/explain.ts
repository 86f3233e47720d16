import type { ExplainReport } from '../commands/explain.ts';
import { duration } from '../terminal/words.ts';

export function explainReport(report: ExplainReport): Record<string, unknown> {
  return { type: 'explain', ...report };
}

export function explainText(report: ExplainReport, now: number): string {
  const ago = (at: number | undefined) => (at === undefined ? '' : ` (${duration(now - at)} ago)`);
  if (report.subject === 'date') {
    return report.records
      .map(({ kind, reason, changedAt }) => `${report.date} ${kind}: ${reason}${ago(changedAt)}`)
      .join('\n');
  }
  const { path, sha256, state, reason, upload } = report;
  const words = {
    uploaded: 'uploaded',
    refused: 'refused',
    waiting: 'waiting',
    new: 'not sent yet',
    'not-sent': 'not sent',
  };
  return [
    `${path}: ${words[state]}. ${reason}${ago(upload?.changedAt)}`,
    ...(sha256 === undefined ? [] : [`  SHA-256 ${sha256}`]),
    ...(upload === undefined
      ? []
      : [`  Sent as ${upload.path}, ${upload.attempts} requests in all`]),
    ...Object.entries(upload?.service ?? {}).map(([key, value]) => `  ${key} ${String(value)}`),
  ].join('\n');
}
