import type { ImportRow } from '../../import/import-table.ts';
import type { Scan } from '../../import/scan.ts';
import type { UnreadableFile } from '../../archive/archives.ts';
import type { Io } from '../../terminal/io.ts';
import { type Text, joinTexts, renderText } from '../../base/phrase.ts';
import { KINDS, type RecordKind } from '../../ledger/records.ts';
import { widthOf } from '../../terminal/wrap.ts';
import { table } from '../../terminal/table.ts';
import { bytes, plural } from '../../terminal/words.ts';
import { type Tally, outcomesJson, sumOf } from '../../app/outcomes.ts';

export function rowJson({ days, bytes: size, ...row }: ImportRow): Record<string, unknown> {
  const [first] = days;
  return {
    type: 'import-found',
    ...row,
    ...(row.kind === 'recordings' ? { bytes: size } : {}),
    ...(first === undefined ? {} : { days: days.length, first, last: days.at(-1) }),
  };
}

/** Number of rows about files that are not understood; the others are added up. */
const MAX_NOT_UNDERSTOOD = 8;

/** @param profile the profile in use, which commands in the reasons name */
export function tableText(
  rows: readonly ImportRow[],
  io: Pick<Io, 'stdoutColumns' | 'unicode'>,
  profile: string | undefined,
): Text {
  const shown = shortened(rows);
  const room = io.stdoutColumns === 0 ? Infinity : io.stdoutColumns;
  const fits = (text: Text) =>
    renderText(text, undefined)
      .split('\n')
      .every((line) => widthOf(line) <= room);
  const uncut = { ...io, stdoutColumns: 0 };
  const sent = (row: ImportRow) => sentText(row, profile);
  const whole = tableOf(shown, sent, uncut);
  if (fits(whole)) return whole;
  const left = shown.filter(({ sends }) => !sends);
  const reasons = left.map((row) => `  ${row.title}: ${sent(row).slice(4)}`);
  const dated = tableOf(shown, briefly, uncut);
  // The end of a title says which part of an export it is.
  const inBrief = fits(dated) ? dated : tableOf(shown, briefly, io, false);
  return joinTexts(reasons.length === 0 ? [inBrief] : [inBrief, 'Not sent:', ...reasons]);
}

function tableOf(
  rows: readonly ImportRow[],
  sent: (row: ImportRow) => string,
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
    rows.map((row) => {
      const { title, files, days } = row;
      const count = days.length === 0 ? '' : String(days.length);
      const dates = dated ? [days[0] ?? '', days.at(-1) ?? ''] : [];
      return [title, String(files), count, ...dates, sent(row)];
    }),
    io,
  );
}

function briefly({ kind, sends }: ImportRow): string {
  if (!sends) return 'no';
  return kind === 'recordings' || isTracks(kind) ? 'yes' : kind;
}

function sentText(
  { kind, sends, bytes: size, reason = '' }: ImportRow,
  profile: string | undefined,
): string {
  if (!sends) return `no: ${renderText(reason, profile)}`;
  if (isTracks(kind)) return 'yes, as FIT';
  return kind === 'recordings' ? `yes (${bytes(size)})` : `as ${kind}`;
}

function isTracks(kind: ImportRow['kind']): boolean {
  return kind === 'tracks' || kind === 'phone-tracks';
}

function shortened(rows: readonly ImportRow[]): ImportRow[] {
  const unknown = rows.filter(({ kind }) => kind === 'not-understood');
  const rest = unknown.slice(MAX_NOT_UNDERSTOOD);
  const [first] = rest;
  if (first === undefined) return [...rows];
  const files = rest.reduce((sum, row) => sum + row.files, 0);
  return [
    ...rows.filter((row) => !rest.includes(row)),
    { ...first, title: `${rest.length} other kinds of files`, files },
  ];
}

/**
 * Summarises what will be sent of a scan, such as `412 recordings (98 MB) and 365 days of wellness`; ''
 * for nothing.
 *
 * @param unsent number of days, by their kind
 */
export function toSendText(
  { rows, recordings }: Scan,
  unsent: Readonly<Record<RecordKind, number>>,
): string {
  const count = recordings.length;
  const size = rows.find(({ kind }) => kind === 'recordings')?.bytes ?? 0;
  const days = KINDS.map((kind) =>
    unsent[kind] > 0 ? `${plural(unsent[kind], 'day')} of ${kind}` : '',
  );
  const tracks = rows
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

export function unreadableText({ path, problem }: UnreadableFile): string {
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
