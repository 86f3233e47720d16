import { existsSync, lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { ExitCode, SyncError } from '../base/errors.ts';
import type { RecordKind, RecordLedger } from '../ledger/records.ts';
import type { LedgerUpload, UploadLedger } from '../ledger/uploads.ts';
import { isCalendarDate } from '../base/time.ts';
import { identify } from '../upload/identify.ts';
import { readFile } from '../upload/read-recording.ts';

export interface ExplainNeeds {
  readonly cwd: string;
  readonly uploads: UploadLedger;
  readonly records: RecordLedger;
}

/** Why a file or a day is where it is. */
export type ExplainReport =
  | {
      readonly subject: 'file';
      readonly path: string;
      readonly sha256?: string;
      /** What would happen to it now, and why. */
      readonly state: 'uploaded' | 'refused' | 'waiting' | 'new' | 'not-sent';
      readonly reason: string;
      readonly upload?: LedgerUpload;
    }
  | {
      readonly subject: 'date';
      readonly date: string;
      readonly records: readonly ExplainedRecord[];
    };

export interface ExplainedRecord {
  readonly kind: RecordKind;
  readonly state: 'confirmed' | 'waiting' | 'unknown';
  readonly reason: string;
  /** ms since 1970 */
  readonly changedAt?: number;
}

/** @throws SyncError `INPUT_INVALID` when it is neither a file nor a date */
export function runExplain(
  subject: string,
  needs: ExplainNeeds,
): { report: ExplainReport; exitCode: ExitCode } {
  const absolute = resolve(needs.cwd, subject);
  if (existsSync(absolute)) {
    if (lstatSync(absolute).isDirectory()) {
      throw new SyncError('INPUT_INVALID', `${subject} is a folder.`, {
        hint: 'Name one file in it. `sync upload --dry-run` looks at all of them.',
      });
    }
    return { report: explainFile(subject, absolute, needs.uploads), exitCode: ExitCode.ok };
  }
  if (isCalendarDate(subject)) {
    const records = (['wellness', 'nutrition'] as const).map((kind) =>
      explainRecord(kind, subject, needs.records),
    );
    return { report: { subject: 'date', date: subject, records }, exitCode: ExitCode.ok };
  }
  if (/^\d{4}-\d\d-\d\d$/.test(subject)) {
    throw new SyncError('INPUT_INVALID', `There is no ${subject}.`);
  }
  throw new SyncError('INPUT_INVALID', `${subject} is neither a file nor a date (YYYY-MM-DD).`);
}

function explainFile(path: string, absolute: string, uploads: UploadLedger): ExplainReport {
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
  return { ...common, sha256, state: 'new', reason: 'It was never sent. `sync upload` sends it.' };
}

function stateOf(upload: LedgerUpload) {
  switch (upload.state) {
    case 'confirmed':
      return { state: 'uploaded', reason: 'The service said that it has it.' } as const;
    case 'rejected':
      return {
        state: 'refused',
        reason: `The service refused it: ${upload.message ?? ''}`,
      } as const;
    case 'pending':
      return {
        state: 'waiting',
        reason:
          'It was begun, and the service has not confirmed it yet. The next run sends it again.',
      } as const;
  }
}

function explainRecord(kind: RecordKind, date: string, ledger: RecordLedger): ExplainedRecord {
  const row = ledger.find(kind, date);
  if (row === undefined) return { kind, state: 'unknown', reason: 'Nothing was sent from here.' };
  const { changedAt } = row;
  if (kind === 'nutrition' && ledger.nutrition.day(date).unclear) {
    const reason =
      'No answer came after its items were sent, and this service does not show what a day holds. ' +
      'Look at the day in the platform; `sync push nutrition` then takes --assume-arrived or --force.';
    return { kind, state: 'waiting', reason, changedAt };
  }
  return row.state === 'confirmed'
    ? { kind, state: 'confirmed', reason: 'The service took it.', changedAt }
    : {
        kind,
        state: 'waiting',
        reason: 'It is not there as it was sent. Push it again to see why.',
        changedAt,
      };
}
