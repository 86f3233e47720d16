import { type Text, phrase, sync } from '../../base/phrase.ts';
import type { WatcherHealth } from '../../daemon/health.ts';
import { ago } from '../../terminal/words.ts';

/** Reports a watched folder of {@link silentFolders}. */
export function silentText(path: string): string {
  return `${path}: The file system does not answer.`;
}

/** What to do about a silent folder. */
export const REPLUG = 'If it is on a device, unplug it and plug it in again.';

/** Remaining time of a login below which its end is reported (ms). */
export const LOGIN_ENDS_SOON_MS = 7 * 86_400_000;

/** Says what keeps a watcher from its work now, a sentence each; without that, what failed last. */
export function troubleLines(
  { ledger, login, connection, lastError, lastSuccessAt = '' }: WatcherHealth,
  now: number,
): Text[] {
  const present = [
    ...(ledger === undefined ? [] : [ledger]),
    ...(connection.state === 'ok'
      ? []
      : [connection.message ?? `Not delivering: ${connection.state}.`]),
    ...(login.state === 'ok' ? [] : [login.message ?? phrase`Run ${sync('login')}.`]),
  ];
  // ISO 8601: the order of the texts is that of the times. A success ended the failure.
  if (present.length > 0 || lastError === undefined || lastSuccessAt > lastError.at) return present;
  return [`${lastError.message} (${ago(now - Date.parse(lastError.at))})`];
}
