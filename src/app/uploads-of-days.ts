import type { UploadLedger } from '../ledger/uploads.ts';
import { localDay } from '../records/days/zone.ts';

/** A day, and the largest difference between local time and UTC (ms). */
const MARGIN_MS = 38 * 3_600_000;

/**
 * Returns the recordings, in any state, of activities that began on the local days from `first` to
 * `last`, in their order, each with its day (`YYYY-MM-DD`).
 *
 * @param zone of recordings without their own offset
 */
export function uploadsOfDays(
  uploads: Pick<UploadLedger, 'startedBetween'>,
  first: string,
  last: string,
  zone: string,
) {
  return uploads
    .startedBetween(Date.parse(first) - MARGIN_MS, Date.parse(last) + MARGIN_MS)
    .flatMap((upload) => {
      const date = localDay(upload.activity, zone);
      return date !== undefined && date >= first && date <= last ? [{ date, upload }] : [];
    });
}
