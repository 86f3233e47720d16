import { basename } from 'node:path';
import type { LedgerUpload } from '../../ledger/uploads.ts';
import { localStart } from '../../records/local-day.ts';
import { oneLine } from '../../terminal/words.ts';

/**
 * Formats a recording: start at its place, name, time without pauses, distance.
 *
 * @param zone of a recording without its own offset
 */
export function recordingText(
  { path, activity }: Pick<LedgerUpload, 'path' | 'activity'>,
  zone: string,
): string {
  const { name, movingSecs, distanceMeters } = activity;
  const start = localStart(activity, zone);
  const file = oneLine(basename(path));
  if (start === undefined) return file;
  const [weekday = '', day = '', month = '', , clock = ''] = new Date(start)
    .toUTCString()
    .split(' ');
  return [
    `${weekday.slice(0, 3)} ${day} ${month} ${clock.slice(0, 5)}`,
    name ?? file,
    ...(movingSecs === undefined ? [] : [new Date(movingSecs * 1000).toISOString().slice(12, 19)]),
    ...(distanceMeters === undefined ? [] : [`${(distanceMeters / 1000).toFixed(1)} km`]),
  ].join('  ');
}
