import type { Finding } from '../../import/findings.ts';
import type { Stock } from '../../import/stock.ts';
import type { UnreadablePiece } from '../../inputs/pieces.ts';
import type { Io } from '../../terminal/io.ts';
import { type Text, joinTexts, renderText } from '../../base/phrase.ts';
import { KINDS, type RecordKind } from '../../ledger/records.ts';
import { widthOf } from '../../terminal/wrap.ts';
import { table } from '../../terminal/table.ts';
import { bytes, plural } from '../../terminal/words.ts';
import { type Tally, outcomesJson, sumOf } from '../../app/outcomes.ts';

export function findingJson({ days, bytes: size, ...finding }: Finding): Record<string, unknown> {
  const [first] = days;
  return {
    type: 'import-found',
    ...finding,
    ...(finding.kind === 'recordings' ? { bytes: size } : {}),
    ...(first === undefined ? {} : { days: days.length, first, last: days.at(-1) }),
  };
}

/** Number of rows about files that are not understood; the others are added up. */
const MAX_NOT_UNDERSTOOD = 8;

export function findingsText(
  findings: readonly Finding[],
  io: Pick<Io, 'stdoutColumns' | 'unicode'>,
): Text {
  const shown = shortened(findings);
  const room = io.stdoutColumns === 0 ? Infinity : io.stdoutColumns;
  const fits = (text: Text) =>
    renderText(text, undefined)
      .split('\n')
      .every((line) => widthOf(line) <= room);
  const uncut = { ...io, stdoutColumns: 0 };
  const whole = findingsTable(shown, sentText, uncut);
  if (fits(whole)) return whole;
  const left = shown.filter(({ sends }) => !sends);
  const reasons = left.map((finding) => `  ${finding.title}: ${sentText(finding).slice(4)}`);
  const dated = findingsTable(shown, briefly, uncut);
  // The end of a title says which part of an export it is.
  const inBrief = fits(dated) ? dated : findingsTable(shown, briefly, io, false);
  return joinTexts(reasons.length === 0 ? [inBrief] : [inBrief, 'Not sent:', ...reasons], '\n');
}

function findingsTable(
  findings: readonly Finding[],
  sent: (finding: Finding) => string,
  io: Pick<Io, 'stdoutColumns' | 'unicode'>,
  dated = true,
): Text {
  return table(
    [
      { title: 'FOUND' },
      { title: 'FILES', align: 'right' },
      { title: 'DAYS', align: 'right' },
      ...(dated ? [{ title: 'FROM' }, { title: 'TO' }] : []),
      { title: 'SENT' },
    ],
    findings.map((finding) => {
      const { title, files, days } = finding;
      const count = days.length === 0 ? '' : String(days.length);
      const dates = dated ? [days[0] ?? '', days.at(-1) ?? ''] : [];
      return [title, String(files), count, ...dates, sent(finding)];
    }),
    io,
  );
}

function briefly({ kind, sends }: Finding): string {
  if (!sends) return 'no';
  return kind === 'recordings' || isTracks(kind) ? 'yes' : kind;
}

function sentText({ kind, sends, bytes: size, reason = '' }: Finding): string {
  if (!sends) return `no: ${reason}`;
  if (isTracks(kind)) return 'yes, as FIT';
  return kind === 'recordings' ? `yes (${bytes(size)})` : `as ${kind}`;
}

function isTracks(kind: Finding['kind']): boolean {
  return kind === 'tracks' || kind === 'phone-tracks';
}

function shortened(findings: readonly Finding[]): Finding[] {
  const unknown = findings.filter(({ kind }) => kind === 'not-understood');
  const rest = unknown.slice(MAX_NOT_UNDERSTOOD);
  const [first] = rest;
  if (first === undefined) return [...findings];
  const files = rest.reduce((sum, finding) => sum + finding.files, 0);
  return [
    ...findings.filter((finding) => !rest.includes(finding)),
    { ...first, title: `${rest.length} other kinds of files`, files },
  ];
}

/**
 * Summarises what will be sent of a stock, such as `412 recordings (98 MB) and 365 days of wellness`; ''
 * for nothing.
 *
 * @param unsent number of days, by their kind
 */
export function toSendText(
  { findings, files, members }: Stock,
  unsent: Readonly<Record<RecordKind, number>>,
): string {
  const count = files.length + members.length;
  const size = findings.find(({ kind }) => kind === 'recordings')?.bytes ?? 0;
  const days = KINDS.map((kind) =>
    unsent[kind] > 0 ? `${plural(unsent[kind], 'day')} of ${kind}` : '',
  );
  const tracks = findings
    .filter(({ kind, sends }) => sends && isTracks(kind))
    .reduce((sum, { files: converted }) => sum + converted, 0);
  const converted =
    tracks > 0 ? `${tracks} ${tracks === 1 ? 'activity' : 'activities'} of GPX and TCX files` : '';
  const fit = count > 0 ? `${plural(count, 'recording')} (${bytes(size)})` : '';
  const parts = [fit, converted, ...days].filter((part) => part !== '');
  return parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

export function unreadableJson({ path, problem, reason }: UnreadablePiece) {
  return { type: 'import-unreadable', path, reason, detail: problem };
}

export function unreadableText({ path, problem }: UnreadablePiece): string {
  // A message about the content of a file begins with its path, for the line and the column.
  return problem.startsWith(path) ? problem : `${path}: not read. ${problem}`;
}

export function summaryJson(uploads: Tally, days: readonly Tally[]): Record<string, unknown> {
  const { total, warnings } = sumOf(days);
  return {
    type: 'summary',
    recordings: uploads.counts.total,
    days: total,
    ...outcomesJson(uploads, ...days),
    warnings,
  };
}
