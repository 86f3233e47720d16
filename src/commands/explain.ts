import { existsSync, lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandModule } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { type OpenLedger, withLedger } from '../app/ledger.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isCalendarDate } from '../base/time.ts';
import type { RecordKind, RecordLedger } from '../ledger/records.ts';
import type { LedgerUpload, UploadLedger } from '../ledger/uploads.ts';
import { duration } from '../terminal/words.ts';
import { identify } from '../upload/identify.ts';
import { readFile } from '../upload/read-recording.ts';

/** Says why a file or a day was sent, skipped or refused, or is waiting. */
export const explain: CommandModule = {
  declare: (command) => command.argument('<file|date>', 'a recording, or a date (YYYY-MM-DD)'),
  examples: ['sync explain ride.fit', 'sync explain 2026-02-15'],

  async run(context, subject: string) {
    const { clock, cwd, output } = context;
    const config = configFor(context);
    const options = { connections: 1, offline: false };
    return await withLedger(context, config, options, (_connection, ledger) => {
      const explanation = explainSubject(subject, cwd, ledger);
      output.result(explanationJson(explanation), explanationText(explanation, clock.now()));
      return Promise.resolve(ExitCode.ok);
    });
  },
};

type Explanation = ExplainedFile | ExplainedDate;

interface ExplainedFile {
  readonly subject: 'file';
  readonly path: string;
  readonly sha256?: string;
  readonly state: 'uploaded' | 'refused' | 'waiting' | 'new' | 'not-sent';
  readonly reason: Text;
  readonly upload?: LedgerUpload;
}

interface ExplainedDate {
  readonly subject: 'date';
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly records: readonly ExplainedRecord[];
}

interface ExplainedRecord {
  readonly kind: RecordKind;
  readonly state: 'confirmed' | 'waiting' | 'unknown';
  readonly reason: Text;
  /** ms since 1970 */
  readonly changedAt?: number;
}

/** @throws SyncError `INPUT_INVALID` if it is neither a file nor a date */
function explainSubject(
  subject: string,
  cwd: string,
  { uploads, records }: Pick<OpenLedger, 'uploads' | 'records'>,
): Explanation {
  const absolute = resolve(cwd, subject);
  if (existsSync(absolute)) {
    if (lstatSync(absolute).isDirectory()) {
      throw new SyncError('INPUT_INVALID', `${subject} is a folder.`, {
        hint: phrase`Name one file in it. ${sync('upload', '--dry-run')} looks at all of them.`,
      });
    }
    return explainFile(subject, absolute, uploads);
  }
  if (isCalendarDate(subject)) {
    const kinds = ['wellness', 'nutrition'] as const;
    return {
      subject: 'date',
      date: subject,
      records: kinds.map((kind) => explainRecord(kind, subject, records)),
    };
  }
  if (/^\d{4}-\d\d-\d\d$/.test(subject)) {
    throw new SyncError('INPUT_INVALID', `There is no ${subject}.`);
  }
  throw new SyncError('INPUT_INVALID', `${subject} is neither a file nor a date (YYYY-MM-DD).`);
}

function explainFile(path: string, absolute: string, uploads: UploadLedger): ExplainedFile {
  const common = { subject: 'file', path } as const;
  const contents = readFile(absolute, (size) => Buffer.allocUnsafe(size));
  if ('problem' in contents) return { ...common, state: 'not-sent', reason: contents.problem };
  const identity = identify(contents.bytes);
  if (!('sha256' in identity)) return { ...common, state: 'not-sent', reason: identity.detail };
  const { sha256 } = identity;
  const upload = uploads.find(sha256);
  if (upload !== undefined) return { ...common, sha256, upload, ...stateOf(upload) };
  if (identity.verdict === 'not-an-activity') {
    return { ...common, sha256, state: 'not-sent', reason: identity.detail };
  }
  return {
    ...common,
    sha256,
    state: 'new',
    reason: phrase`It was never sent. ${sync('upload')} sends it.`,
  };
}

function stateOf(upload: LedgerUpload): Pick<ExplainedFile, 'state' | 'reason'> {
  switch (upload.state) {
    case 'confirmed':
      return { state: 'uploaded', reason: 'The service confirmed it.' };
    case 'rejected':
      return { state: 'refused', reason: `The service refused it: ${upload.message ?? ''}` };
    case 'pending':
      return {
        state: 'waiting',
        reason:
          'An upload began, and the service has not confirmed it yet. The next run sends it again.',
      };
  }
}

function explainRecord(kind: RecordKind, date: string, ledger: RecordLedger): ExplainedRecord {
  const row = ledger.find(kind, date);
  if (row === undefined) return { kind, state: 'unknown', reason: 'Nothing was sent from here.' };
  const { changedAt } = row;
  if (kind === 'nutrition' && ledger.nutrition.day(date).unclear) {
    const reason = joinTexts(
      [
        'No answer came after its items were sent, and this service does not show what a day holds.',
        phrase`Look at the day in the platform; ${sync('push', 'nutrition')} then takes --assume-arrived or --force.`,
      ],
      ' ',
    );
    return { kind, state: 'waiting', reason, changedAt };
  }
  if (row.state === 'confirmed') {
    return { kind, state: 'confirmed', reason: 'The service confirmed it.', changedAt };
  }
  const reason = 'The service does not hold it as it was sent. Push it again to see why.';
  return { kind, state: 'waiting', reason, changedAt };
}

function explanationJson(explanation: Explanation): Record<string, unknown> {
  const { subject } = explanation;
  if (subject === 'date') {
    const records = explanation.records.map(({ changedAt, ...record }) => ({
      ...record,
      ...timeJson(changedAt),
    }));
    return { type: 'explain', ...explanation, records };
  }
  const { upload, ...file } = explanation;
  if (upload === undefined) return { type: 'explain', ...file };
  const { changedAt, ...rest } = upload;
  return { type: 'explain', ...file, upload: { ...rest, ...timeJson(changedAt) } };
}

function timeJson(changedAt: number | undefined): { changedAt?: string } {
  return changedAt === undefined ? {} : { changedAt: new Date(changedAt).toISOString() };
}

const STATE_WORDS = {
  uploaded: 'uploaded',
  refused: 'refused',
  waiting: 'waiting',
  new: 'not sent yet',
  'not-sent': 'not sent',
} as const;

function explanationText(explanation: Explanation, now: number): Text {
  const ago = (at: number | undefined) => (at === undefined ? '' : ` (${duration(now - at)} ago)`);
  if (explanation.subject === 'date') {
    const { date, records } = explanation;
    return joinTexts(
      records.map(
        ({ kind, reason, changedAt }) => phrase`${date} ${kind}: ${reason}${ago(changedAt)}`,
      ),
      '\n',
    );
  }
  const { path, sha256, state, reason, upload } = explanation;
  const lines = [
    phrase`${path}: ${STATE_WORDS[state]}. ${reason}${ago(upload?.changedAt)}`,
    ...(sha256 === undefined ? [] : [`  SHA-256 ${sha256}`]),
    ...(upload === undefined
      ? []
      : [`  Sent as ${upload.path}, ${upload.attempts} requests in all`]),
    ...Object.entries(upload?.service ?? {}).map(([key, value]) => `  ${key} ${String(value)}`),
  ];
  return joinTexts(lines, '\n');
}
