import { documentUrl } from '../../base/version.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { listNames } from '../listed.ts';
import { plain } from '../names.ts';
import { refusedInput } from '../refused-input.ts';
import type { RecordKind } from '../types.ts';
import type { TableForm } from './csv.ts';
import { matchTitle } from './recognise.ts';
import { unreadExport } from './unread.ts';
import { nameSource, strangeColumns } from './foreign.ts';
import type { Match, Source } from '../sources/types.ts';

/** Why an input is refused as an export: one error for each reason, with what to do. */

/**
 * @param unread the columns that the source does not read
 * @throws SyncError `INPUT_INVALID` if it is not known of all columns what they are
 */
export function rejectStrange(
  name: string,
  { header }: TableForm,
  unread: readonly string[],
  { source, mapping }: Match,
): void {
  const read = header.filter((column) => !unread.includes(column)).map(plain);
  const isTwice = (name: string) => read.indexOf(name) !== read.lastIndexOf(name);
  const twice = header.find((column) => column !== '' && isTwice(plain(column)));
  if (twice !== undefined) {
    throw refusedInput(name, `${name} has the column "${twice}" twice`, 'Remove the wrong one.');
  }
  const strange = strangeColumns(unread, read);
  if (strange.length === 0) return;
  const diary = mapping.kind === 'wellness' ? 'wellness diary' : 'food log';
  const seen = `${name} is perhaps no ${diary}: it has the columns ${listNames(strange)}`;
  throw refusedInput(name, seen, nameSource(source.name));
}

/** @param row its place in the file */
export function secondRow(row: string, date: string, kind: RecordKind): SyncError {
  const seen = `${row} is a second row for ${date}; a diary has one a day.`;
  const hint =
    kind === 'wellness'
      ? nameSource()
      : 'Write the sums of a day in one row. For a row a meal, add a column "meal".';
  return new SyncError('INPUT_INVALID', seen, { hint });
}

export function otherKind(name: string, match: Match): SyncError {
  const { kind } = match.mapping;
  return refusedInput(
    name,
    `${name} is ${kind} (${matchTitle(match)})`,
    phrase`Send it with ${sync('push', kind, name)}.`,
  );
}

export function otherSource(name: string, sources: readonly Source[]): SyncError {
  const titles = sources.map(({ title }) => title).join(', ');
  return refusedInput(
    name,
    `${name} is no file of this source: ${titles}`,
    phrase`${sync('sources', name)} says which source it matches.`,
  );
}

/** @param before the number of lines before a header of a known source */
export function unknownTable(
  name: string,
  text: string,
  header: readonly string[],
  before: number | undefined,
): SyncError {
  const known = unreadExport(text);
  if (known !== undefined) return refusedInput(name, `${name} is ${known.title}`, known.remedy);
  if (before !== undefined) {
    const found = `${name} has other lines before its header, which is perhaps line ${before + 1}`;
    const divide = 'Delete them, and divide the file at each further header.';
    return refusedInput(name, found, `${divide} sync knows these columns.`);
  }
  return refusedInput(
    name,
    `${name} is a table from an unknown program, with the columns ${listNames(header, 6)}`,
    phrase`${sync('sources')} lists the exports that sync reads. A table with the platform's names is read too, such as date and restingHr, date and carbs of whole days, or date, meal, name and carbs of foods: ${documentUrl('records.md')}`,
  );
}

export function unknownXml(name: string, text: string): SyncError {
  const isPage = /^\s*<(?:!doctype html|html)/i.test(text);
  return isPage
    ? refusedInput(
        name,
        `${name} is a web page (HTML)`,
        'Download the export itself, not the page that links to it.',
      )
    : refusedInput(
        name,
        `${name} is XML from an unknown program`,
        phrase`${sync('sources')} lists the exports that sync reads.`,
      );
}
