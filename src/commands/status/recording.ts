import { basename } from 'node:path';
import type { LedgerUpload } from '../../ledger/uploads.ts';
import type { Zone } from '../../records/types.ts';
import { zoneRules } from '../../records/zone.ts';
import { oneLine } from '../../terminal/words.ts';

/** Formats a recording: start at its place, name, time without pauses, distance. */
export function recordingText(
  { path, activity }: Pick<LedgerUpload, 'path' | 'activity'>,
  zone: Zone,
): string {
  const { name, startedAt, offsetMinutes, movingSecs, distanceMeters } = activity;
  if (startedAt === undefined) return oneLine(basename(path));
  const wall =
    offsetMinutes === undefined
      ? zoneRules(zone.name).wallAt(startedAt)
      : startedAt + offsetMinutes * 60_000;
  const at = new Date(wall);
  const words = at.toUTCString().split(' ');
  return [
    `${(words[0] ?? '').slice(0, 3)} ${words[1] ?? ''} ${words[2] ?? ''} ${(words[4] ?? '').slice(0, 5)}`,
    name ?? oneLine(basename(path)),
    ...(movingSecs === undefined ? [] : [new Date(movingSecs * 1000).toISOString().slice(12, 19)]),
    ...(distanceMeters === undefined ? [] : [`${(distanceMeters / 1000).toFixed(1)} km`]),
  ].join('  ');
}
