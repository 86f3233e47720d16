import { ExitCode } from '../base/errors.ts';
import type { ConfirmedUpload, UploadLedger } from '../ledger/uploads.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Clock } from '../base/time.ts';
import { type Verified, verifyUploads } from '../upload/verify.ts';
import { localTime } from './workouts.ts';

export interface VerifyOptions {
  /** The first day, `YYYY-MM-DD` in `zone`; by the start of a recording. */
  readonly since: string | undefined;
  /** IANA zone name. */
  readonly zone: string;
}

export interface VerifyNeeds {
  readonly ledger: UploadLedger;
  readonly client: () => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface VerifyReport {
  readonly items: readonly Verified[];
  /** How many of each outcome; `total` is all of them. */
  readonly summary: { readonly total: number } & Readonly<Record<Verified['outcome'], number>>;
  readonly exitCode: ExitCode;
}

/**
 * Compares what the service took with the platform's workouts.
 *
 * @throws SyncError `STORAGE`; whatever the client throws.
 */
export async function runVerify(
  { since, zone }: VerifyOptions,
  { ledger, client, clock, signal }: VerifyNeeds,
): Promise<VerifyReport> {
  const day = ({ startedAt, confirmedAt }: ConfirmedUpload) =>
    localTime(new Date(startedAt ?? confirmedAt).toISOString(), zone).slice(0, 10);
  const uploads = ledger
    .confirmed()
    .filter((upload) => since === undefined || day(upload) >= since);
  const items = await verifyUploads({ clock, signal }, uploads, client);
  const summary = { total: items.length, present: 0, missing: 0, pending: 0 };
  for (const { outcome } of items) summary[outcome]++;
  ledger.markVerified(
    items.flatMap(({ outcome, upload }) => (outcome === 'present' ? upload.sha256 : [])),
  );
  // One that is missing stays so; the others may only be early.
  const early = summary.pending > 0 ? ExitCode.unavailable : ExitCode.ok;
  return { items, summary, exitCode: summary.missing > 0 ? ExitCode.refused : early };
}
