import { type Text, hinted, phrase, sync } from '../../base/phrase.ts';
import type { FolderState } from '../../daemon/health.ts';
import type { RecordItem } from '../../records/deliver.ts';
import type { JsonObject } from '../../records/types.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { type ActivityView, activityText } from '../../app/words/activities.ts';
import { OUTCOMES, SKIPPED } from '../../app/outcomes.ts';
import { pushItemJson, pushItemText } from '../../app/words/days.ts';
import {
  noteOf,
  uploadItemJson,
  uploadItemText,
  uploadSummaryJson,
  uploadSummaryText,
} from '../../app/words/uploads.ts';
import { deviceText } from '../../app/words/devices.ts';
import { shownPath } from '../../system/mtp-path.ts';
import { missingText } from '../verify.ts';
import type { WatchReport } from './once.ts';
import { bytes, plural, wallTime } from '../../terminal/words.ts';

/**
 * Returns a notice as JSON: an upload as `sync upload` prints it, everything else as `{"type":"watch"}`.
 *
 * @param at added as `at` in ISO 8601
 */
export function watchNoticeJson(event: WatchNotice, at: Date | undefined): Record<string, unknown> {
  const time = at === undefined ? {} : { at: at.toISOString() };
  if (event.event === 'upload') return { ...uploadItemJson(event.item), ...time };
  if (event.event === 'day') return { ...pushItemJson(event.item), ...time };
  return { type: 'watch', ...event, ...time };
}

/** Returns a notice for people, on one line; undefined if it is not shown. */
export function watchNoticeText(event: WatchNotice, view: ActivityView): Text | undefined {
  switch (event.event) {
    case 'started':
      return event.devices === true ? 'Watching every known device that is plugged in.' : undefined;
    case 'device':
      return deviceText(event);
    case 'device-ignored':
      return `${event.title} is plugged in. sync ignores it, because the setting ignoreDevices names it.`;
    case 'folder':
      return folderText(event.folder, event.state, event.reason);
    case 'ready': {
      const seen = event.files === 0 ? '' : `${plural(event.files, 'file')} found, `;
      const queued = event.queued === 0 ? 'nothing to send' : `${event.queued} to check`;
      const { leftOut = 0 } = event;
      const old =
        leftOut === 0
          ? ''
          : ` --new-only leaves out ${plural(leftOut, 'file')} that ${leftOut === 1 ? 'is' : 'are'} there now.`;
      return `Ready: ${seen}${queued}.${old}${incompleteText(event.incomplete)}`;
    }
    case 'upload': {
      const { item } = event;
      const path = shownPath(item.path);
      switch (item.outcome) {
        case 'skipped':
          return (
            (item.reason === 'not-an-activity' ? uploadItemText(item, view) : undefined) ??
            phrase`${path}: not sent, ${SKIPPED[item.reason].words}.`
          );
        case 'covered':
        case 'held':
          return phrase`${path}: not sent, ${OUTCOMES[item.outcome].words}.`;
        default:
          return uploadItemText(item, view);
      }
    }
    case 'day':
      return dayText(event.item, event.fields, view.zone);
    case 'days-waiting':
      return sentences([
        `Cannot send ${plural(event.days, 'wellness day')} now: ${event.message}`,
        event.hint,
        event.code === 'SCOPE_MISSING'
          ? phrase`The next start of ${sync('watch')} tries again.`
          : 'Retrying.',
      ]);
    case 'kept':
      return `${shownPath(event.path)}: copied; it is sent from the copy.`;
    case 'not-copied':
      return sentences([
        `Recordings are sent one at a time, without copies: ${event.message}`,
        event.hint,
      ]);
    case 'many-copies':
      return `Copies of ${plural(event.copies, 'recording')} wait to be sent. They take ${bytes(event.bytes)} in ${event.folder}.`;
    case 'kept-for-others':
      return phrase`Copies of ${plural(event.copies, 'recording')} cannot be sent: see ${sync('doctor')}.`;
    case 'unfinished':
      return `${shownPath(event.path)}: not sent yet. ${event.detail} It is sent when it is complete.`;
    case 'obstacle':
      return sentences([
        `Cannot send now: ${event.message}`,
        event.hint,
        `Retrying; ${plural(event.queued, 'recording')} waiting.`,
      ]);
    case 'delivering':
      return 'Sending again.';
    case 'login-needed':
      return phrase`Not sending: ${event.message} ${event.hint ?? phrase`Run ${sync('login')}.`}`;
    case 'login-renewed':
      return 'The login works again.';
    case 'login-ending':
      return phrase`The login ends in ${plural(event.daysLeft, 'day')} (${event.endsAt}): run ${sync('login')} before that.`;
    case 'missing':
      return missingText(event.path, `received it at ${wallTime(new Date(event.uploadedAt))}`);
    case 'unverified':
      return sentences([
        `Uploads are not verified: ${event.message}`,
        event.hint,
        phrase`The next start of ${sync('watch')} tries again.`,
      ]);
    case 'weights-left':
      return sentences([event.message, event.hint]);
    case 'values-left':
      return event.message;
    case 'problem':
      return event.path === undefined
        ? event.message
        : `${shownPath(event.path)}: ${event.message}`;
    case 'stopped':
      return stoppedText(event);
  }
}

/** Returns a delivered recording for a log, which names its file; undefined for any other outcome. */
export function deliveredText(item: UploadItem, view: ActivityView): Text | undefined {
  if (item.outcome !== 'uploaded' && item.outcome !== 'duplicate') return undefined;
  const activity = activityText(item.activity, '', view);
  const { words } = OUTCOMES[item.outcome];
  const what = activity === '' ? '' : ` (${activity})`;
  return phrase`${shownPath(item.path)}: ${words}${what}${noteOf(item, view.now)}`;
}

/** The fields of a day as devices measure them, with their units. */
const DAY_FIELDS: Readonly<Record<string, readonly [name: string, unit: string]>> = {
  restingHr: ['resting heart rate', 'bpm'],
  hrv: ['HRV', 'ms'],
  vo2max: ['VO2max', 'ml/kg/min'],
  weight: ['weight', 'kg'],
};

/** Returns a wellness day as `sync push` prints it; a day that was sent with its values. */
function dayText(item: RecordItem, fields: JsonObject, zone: string): Text | undefined {
  const values = Object.entries(DAY_FIELDS).flatMap(([field, [name, unit]]) => {
    const value = fields[field];
    return typeof value === 'number' ? [`${name} ${value} ${unit}`] : [];
  });
  const pushed = `sent ${values.join(', ')}`;
  return pushItemText(item, zone, { pushed, conflict: '', failed: 'not sent' });
}

/** Sums up what the watcher did, and what the next start does. */
function stoppedText(stopped: Extract<WatchNotice, { event: 'stopped' }>): string {
  const { days = 0, queued, incomplete } = stopped;
  const recordings = (['uploaded', 'duplicate', 'rejected'] as const)
    .filter((outcome) => stopped[outcome] > 0)
    .map((outcome) => `${stopped[outcome]} ${OUTCOMES[outcome].words}`);
  const done = [...recordings, ...(days > 0 ? [`${plural(days, 'wellness day')} sent`] : [])].join(
    ', ',
  );
  const waiting = `${plural(queued, 'recording')} not sent yet; the next start sends ${queued === 1 ? 'it' : 'them'}.`;
  const ended = done === '' ? 'Stopped.' : `Stopped: ${done}.`;
  return [ended, ...(queued > 0 ? [waiting] : [])].join(' ') + incompleteText(incomplete);
}

function incompleteText(incomplete = 0): string {
  return incomplete === 0 ? '' : ` ${incomplete} incomplete: waiting.`;
}

export function watchSummaryJson(report: WatchReport): Record<string, unknown> {
  const { uploads, days } = report;
  return { ...uploadSummaryJson(uploads), ...(days === 0 ? {} : { days }) };
}

export function watchSummaryText(report: WatchReport, dryRun: boolean): Text {
  const { uploads, wellness, days } = report;
  const text = uploadSummaryText(uploads, wellness);
  if (days === 0) return text;
  const sent = `${plural(days, 'wellness day')} ${dryRun ? 'would be sent' : 'sent'}.`;
  return phrase`${text} ${sent}`;
}

function sentences([first, ...more]: readonly [Text, ...(Text | undefined)[]]): Text {
  return more.reduce<Text>(hinted, first);
}

function folderText(folder: string, state: FolderState, reason = ''): string {
  const shown = shownPath(folder);
  switch (state) {
    case 'waiting':
    case 'silent':
      return `Waiting for ${shown}. ${reason}`.trimEnd();
    case 'watching':
      return `Watching ${shown}.`;
    case 'polling':
      return `Polling ${shown}. ${reason}`.trimEnd();
  }
}
