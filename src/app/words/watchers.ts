import { type Text, phrase, sync } from '../../base/phrase.ts';
import type { SeenHealth } from '../../daemon/registry.ts';
import { continueHint } from '../../system/processes.ts';
import { ago } from '../../terminal/words.ts';

/** Reports a watched folder of {@link silentFolders}. */
export function silentText(path: string): string {
  return `${path}: The file system does not answer.`;
}

/** What to do about a silent folder. */
export const REPLUG = 'If it is on a device, unplug it and plug it in again.';

/** Reports a watcher that sends nothing, since its process is stopped. */
export function stoppedText(pid: number): string {
  return `Its process ${pid} is stopped, by Ctrl-Z or a signal: ${continueHint(pid)}`;
}

/** Remaining time of a login below which its end is reported (ms). */
export const LOGIN_ENDS_SOON_MS = 7 * 86_400_000;

/** Says what keeps a watcher from its work now, a sentence each; without that, what failed last. */
export function troubleLines(
  { stopped, pid, ledger, login, connection, lastError, lastSuccessAt = '' }: SeenHealth,
  now: number,
): Text[] {
  const present = [
    ...(stopped ? [stoppedText(pid)] : []),
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
