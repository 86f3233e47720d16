import { basename } from 'node:path';
import type { OpenLedger } from '../../app/ledger.ts';
import { uploadsOfDays } from '../../app/uploads-of-days.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { withIsoTimes } from '../../base/time.ts';
import { KINDS, type RecordKind, type RecordLedger } from '../../ledger/records.ts';
import { ago, capital, firstOf } from '../../terminal/words.ts';
import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { silentText } from '../../app/words/watchers.ts';
import { localDay } from '../../records/days/zone.ts';
import { type ExplainedFile, refusedText, stateOf, takenText } from './file.ts';

type ExplainedDay = ReturnType<typeof explainDay>;

/**
 * Explains the activities that began on a local day, and its records.
 *
 * @param zone decides about recordings without their own offset
 * @param obstacles why this login cannot send records of a kind, if that is known
 * @param unseen what to say of something that the ledger does not have
 * @param copied the recordings that a watcher has to send, of any day
 * @param silent watched folders that do not answer: the day may have more
 */
export function explainDay(
  date: string,
  zone: string,
  { uploads, records }: Pick<OpenLedger, 'uploads' | 'records'>,
  {
    obstacles,
    unseen,
    copied,
    silent,
  }: {
    obstacles: ReadonlyMap<RecordKind, Text>;
    unseen: string;
    copied: readonly ExplainedFile[];
    silent: readonly string[];
  },
) {
  return {
    date,
    zone,
    unseen,
    silent,
    recordings: [
      ...uploadsOfDays(uploads, date, date, zone).map(({ upload }) => ({
        ...upload,
        ...stateOf(upload, uploads.platform),
      })),
      ...copied.flatMap(({ activity, ...file }) =>
        activity !== undefined && localDay(activity, zone) === date
          ? [{ ...file, activity, changedAt: undefined }]
          : [],
      ),
    ],
    records: KINDS.map((kind) => ({
      kind,
      ...stateOfRecord(records, date, kind, unseen, obstacles.get(kind)),
      files: records.filesOf(kind, date),
    })),
  };
}

function stateOfRecord(
  records: RecordLedger,
  date: string,
  kind: RecordKind,
  unseen: string,
  obstacle: Text | undefined,
) {
  const row = records.find(kind, date);
  if (row === undefined) return { state: 'unknown', reason: unseen };
  const { changedAt } = row;
  if (row.state === 'confirmed') {
    return { state: 'confirmed', reason: takenText(kind, records.platform), changedAt };
  }
  if (row.state === 'undone') {
    const reason = phrase`You undid it. ${sync('push', kind, 'FILE', '--force')} sends it again.`;
    return { state: 'undone', reason, changedAt };
  }
  if (row.state === 'rejected') {
    const again = phrase`${sync('push', kind)} with its file tries again.`;
    const reason = phrase`${refusedText(row.message)} ${again}`;
    return { state: 'refused', reason, changedAt };
  }
  const next =
    obstacle ??
    phrase`The same ${sync('push', kind)}, ${sync('import')}, ${sync('watch')} or ${sync('undo', kind)} again continues.`;
  const reason = phrase`The platform has not confirmed it. ${next}`;
  return { state: 'waiting', reason, changedAt };
}

export function dayJson({
  recordings,
  records,
  date,
  zone,
  silent,
}: ExplainedDay): Record<string, unknown> {
  return {
    type: 'explain',
    subject: 'date',
    date,
    zone,
    recordings: recordings.map(({ path, sha256, changedAt, activity, state, reason }) => {
      const sent = { path, sha256, activity: activityJson(activity), changedAt };
      return { ...withIsoTimes(sent, 'changedAt'), state, reason };
    }),
    records: records.map(({ files, ...record }) => ({
      ...withIsoTimes(record, 'changedAt'),
      files: files.map((file) => withIsoTimes(file, 'sentAt')),
    })),
    ...(silent.length === 0 ? {} : { silent }),
  };
}

/** Width of the labels (columns). */
const LABEL = 11;
const SHOWN_FILES = 10;

export function dayText(
  { date, zone, recordings, records, unseen, silent }: ExplainedDay,
  view: ActivityView,
): Text {
  const when = (at: number | undefined) => (at === undefined ? '' : ` (${ago(view.now - at)})`);
  const row = (label: string, text: Text) => phrase`${label.padEnd(LABEL)}${text}`;
  const lines = [
    `${date} in ${zone}`,
    ...recordings.flatMap(({ path, activity, reason, changedAt }) => [
      row('Activity', activityText(activity, basename(path), view)),
      row('', phrase`${reason}${when(changedAt)}`),
      row('', path),
    ]),
    ...(recordings.length === 0 ? [row('Activity', unseen)] : []),
    ...records.flatMap(({ kind, reason, changedAt, files }) => [
      row(capital(kind), phrase`${reason}${when(changedAt)}`),
      ...firstOf(
        files.map(({ path }) => `from ${path}`),
        SHOWN_FILES,
      ).map((line) => row('', line)),
    ]),
    ...silent.map((folder, index) => row(index === 0 ? 'Watching' : '', silentText(folder))),
  ];
  return joinTexts(lines);
}
