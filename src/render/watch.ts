import type { FolderState } from '../daemon/registry.ts';
import type { WatchNotice } from '../watch/report.ts';
import { uploadItemJson, uploadItemText } from '../commands/upload.ts';
import { missingText } from './verify.ts';
import { oneLine, plural } from '../terminal/words.ts';

/**
 * An event for programs: an upload as `sync upload` tells it, all else as `{"type":"watch"}`.
 *
 * @param at added as `at` in ISO 8601, where the event belongs to a time
 */
export function watchEventReport(
  event: WatchNotice,
  at: Date | undefined,
): Record<string, unknown> {
  const time = at === undefined ? {} : { at: at.toISOString() };
  if (event.event === 'upload') return { ...uploadItemJson(event.item), ...time };
  return { type: 'watch', ...event, ...time };
}

/** An event for people, on one line; nothing for what needs no telling. @param at put before it */
export function watchEventText(event: WatchNotice, at: Date | undefined): string | undefined {
  const text = textOf(event);
  return text === undefined || at === undefined ? text : `${localTime(at)}  ${text}`;
}

function textOf(event: WatchNotice): string | undefined {
  switch (event.event) {
    case 'started':
      return undefined;
    case 'folder':
      return folderText(event.folder, event.state, event.reason);
    case 'ready':
      return event.queued === 0
        ? `Ready: ${plural(event.files, 'file')} looked at, nothing to send.`
        : `Ready: ${plural(event.files, 'file')} looked at, ${event.queued} to send.`;
    case 'upload':
      return uploadItemText(event.item);
    case 'kept':
      return `${event.path}: kept here until the service has it`;
    case 'unfinished':
      return `${event.path}: not sent so far. ${event.detail} It is sent if it becomes whole.`;
    case 'obstacle':
      return [
        `Cannot send now: ${event.message}`,
        ...(event.hint === undefined ? [] : [event.hint]),
        `Trying again; ${plural(event.queued, 'recording')} waiting.`,
      ].join(' ');
    case 'delivering':
      return 'Sending again.';
    case 'login-needed':
      return `Not sending: ${event.message} ${event.hint ?? 'Run `sync login`.'}`;
    case 'login-renewed':
      return 'The login works again.';
    case 'login-ending':
      return `The login ends in ${plural(event.daysLeft, 'day')} (${event.endsAt}): run \`sync login\` before.`;
    case 'missing':
      return missingText(oneLine(event.path), `at ${localTime(new Date(event.uploadedAt))}`);
    case 'unverified':
      return [
        `Uploads are not verified: ${event.message}`,
        ...(event.hint === undefined ? [] : [event.hint]),
        'The next start of `sync watch` tries again.',
      ].join(' ');
    case 'problem':
      return event.path === undefined ? event.message : `${event.path}: ${event.message}`;
    case 'stopped':
      return event.queued === 0
        ? 'Stopped.'
        : `Stopped; ${plural(event.queued, 'recording')} not sent yet, continued by the next start.`;
  }
}

function folderText(folder: string, state: FolderState, reason: string | undefined): string {
  switch (state) {
    case 'waiting':
      return `Waiting for ${folder}. ${reason ?? ''}`.trimEnd();
    case 'watching':
      return `Watching ${folder}.`;
    case 'polling':
      return `Looking through ${folder} from time to time. ${reason ?? ''}`.trimEnd();
  }
}

/** `2026-02-15 07:30:05`, on the clocks of this machine. */
function localTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
