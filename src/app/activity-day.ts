import type { Activity } from '../fit/activity.ts';
import type { LedgerUpload, UploadLedger } from '../ledger/uploads.ts';
import { dateAt } from '../records/local-date.ts';
import type { Zone } from '../records/types.ts';

/** A recording in the ledger, and the local day (`YYYY-MM-DD`) on which its activity began. */
export interface DatedUpload {
  readonly date: string;
  readonly upload: LedgerUpload;
}

/** A day, and the largest difference between local time and UTC (ms). */
const MARGIN_MS = 38 * 3_600_000;

/**
 * Returns the recordings, in any state, of activities that began on the local days from `first` to
 * `last`, in their order.
 *
 * @param zone decides about recordings without a local time of the device
 */
export function uploadsOfDays(
  uploads: Pick<UploadLedger, 'startedBetween'>,
  first: string,
  last: string,
  zone: Zone,
): readonly DatedUpload[] {
  return uploads
    .startedBetween(Date.parse(first) - MARGIN_MS, Date.parse(last) + MARGIN_MS)
    .flatMap((upload) => {
      const date = localDay(upload.activity, zone);
      return date !== undefined && date >= first && date <= last ? [{ date, upload }] : [];
    });
}

/** Returns the local day on which an activity began, at its own place if the device recorded that. */
function localDay({ startedAt, offsetMinutes }: Activity, zone: Zone): string | undefined {
  if (startedAt === undefined) return undefined;
  if (offsetMinutes === undefined) return dateAt(startedAt, zone);
  return new Date(startedAt + offsetMinutes * 60_000).toISOString().slice(0, 10);
}
