import { basename } from 'node:path';
import { type Text, joinTexts, phrase, sync, withHint } from '../../base/phrase.ts';
import { MANY_BYTES } from '../../ledger/outbox.ts';
import type { RecordKind } from '../../ledger/records.ts';
import { ANY_DEVICE, scopeArguments, type SeenHealth } from '../../daemon/registry.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { isBelow } from '../../system/mounts.ts';
import { ago, bytes, duration, plural } from '../../terminal/words.ts';
import type { Io } from '../../terminal/io.ts';
import { deviceText } from '../../app/words/devices.ts';
import { LOGIN_ENDS_SOON_MS, troubleLines } from '../../app/words/watchers.ts';
import { missingText, who } from '../login/words.ts';
import type { CheckedLogin, StoredLogin } from '../../app/login-state.ts';
import type { LedgerFacts, StatusReport } from './read.ts';
import { type ActivityView, activityText } from '../../app/words/activities.ts';
import { LABEL, isMarked, stripLines } from './strip.ts';
import type { Waiting } from './waiting.ts';
import type { ZoneFacts } from '../../app/zone-facts.ts';

/** How the status is shown: on a wide terminal, activities are aligned below each other. */
export interface StatusView extends Pick<ActivityView, 'now' | 'aligned'> {
  readonly unicode: boolean;
  /** Activities are shown without the time of their upload. */
  readonly narrow?: boolean;
}

/** Width from which a terminal has room for aligned activities, each with its upload (columns). */
const WIDE = 84;
/** Width up to which an activity and its upload do not fit into a line (columns). */
const NARROW = 76;

export function viewOn(
  { stdoutColumns, unicode }: Pick<Io, 'stdoutColumns' | 'unicode'>,
  now: number,
): StatusView {
  const narrow = stdoutColumns > 0 && stdoutColumns <= NARROW;
  return { now, unicode, narrow, aligned: stdoutColumns >= WIDE };
}

export function statusText(report: StatusReport, view: StatusView): Text {
  const { service, profile, ledger } = report;
  const { now, unicode } = view;
  const activities = { ...view, zone: report.zone.days.name };
  const lines: Text[] = [
    ...rows('Platform', `${service}${profile === 'default' ? '' : ` (profile "${profile}")`}`),
    ...rows(
      'Client',
      ...(report.registeredOn === undefined
        ? []
        : [`registered by sync on ${report.registeredOn}`]),
    ),
    ...rows('Account', accountText(report)),
    ...rows('Login', ...loginLines(report, now)),
    ...rows('Checked', ...checkedLines(report.checked)),
    ...rows('Kept in', ...storeLines(report)),
    ...rows('Disk', ...(report.disk === undefined ? [] : withHint(report.disk))),
    ...rows('Watching', ...watchingLines(report, now)),
    ...rows('Days', ...zoneLines(report.zone)),
    ...rows('Uploads', ...uploadLines(report, now)),
    ...section(
      'Last recordings',
      ledger.recent.map((upload) => {
        const taken = ledger.accepted ? 'accepted' : 'uploaded';
        const uploaded = `  ${taken} ${ago(now - upload.changedAt)}`;
        return `${recordingText(upload, activities)}${view.narrow === true ? '' : uploaded}`;
      }),
    ),
    ...(ledger.days.some(isMarked) ? ['', ...stripLines(ledger.days, unicode)] : []),
    ...waitingSections(ledger, activities),
  ];
  return joinTexts(lines, '\n');
}

/** Returns a label and its lines, one below the other; nothing if there is no line. */
export function rows(label: string, ...lines: readonly Text[]): Text[] {
  return lines.map((line, index) => phrase`${(index === 0 ? label : '').padEnd(LABEL)}${line}`);
}

/** Returns a blank line, a title and the lines below it; nothing if there is no line. */
function section(title: string, lines: readonly Text[]): Text[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => phrase`  ${line}`)];
}

function accountText({ account, ledger, login, store }: StatusReport): string {
  if (account !== undefined) return who(account);
  if (login.state === 'logged-out' && ledger.lastUploadAt !== undefined)
    return 'none; what was sent is that of the last login';
  return store.kind === 'environment' ? 'not asked yet' : 'not known';
}

export function loginWord(login: StoredLogin): string {
  if (login.state === 'logged-in') return 'good';
  if (login.code === 'FATE_UNKNOWN') return 'uncertain';
  return { 'logged-out': 'none', ended: 'ended', unknown: 'cannot be read now' }[login.state];
}

function loginLines({ login, store, checked }: StatusReport, now: number): Text[] {
  if (login.state !== 'logged-in') {
    return withHint({ ...login, message: `${loginWord(login)}. ${login.message}` });
  }
  const { refreshExpiresAt, missing } = login;
  // What earlier commands learned of such tokens is kept nowhere.
  const isUnknown = store.kind === 'environment' && checked?.outcome !== 'accepted';
  const endsSoon = refreshExpiresAt !== undefined && refreshExpiresAt - now < LOGIN_ENDS_SOON_MS;
  return [
    phrase`${isUnknown ? phrase`not known (${sync('status', '--check')} asks the platform)` : 'good'}${lifetimeText(login, now)}`,
    ...(endsSoon ? [phrase`It ends soon: run ${sync('login')} to renew it.`] : []),
    ...(missing.length > 0
      ? ['Not granted, so these do not work:', ...missing.map(missingText)]
      : []),
  ];
}

/** An expired access token of a renewable login is no news: the next command renews it. */
function lifetimeText(
  { renewable, accessExpiresAt, refreshExpiresAt }: StoredLogin & { readonly state: 'logged-in' },
  now: number,
): string {
  const ends = renewable ? refreshExpiresAt : accessExpiresAt;
  const left = ends === undefined ? '' : ` for ${duration(ends - now)}`;
  return renewable ? `${left}, renews itself` : `${left}, does not renew itself`;
}

function checkedLines(checked: CheckedLogin | undefined): Text[] {
  switch (checked?.outcome) {
    case undefined:
    case 'ended':
      return [];
    case 'accepted': {
      return checked.account === undefined
        ? ['the platform accepts this login, and does not name the athlete']
        : [`the platform accepts this login (${who(checked.account)})`];
    }
    case 'failed':
      return withHint({ ...checked, message: `not now. ${checked.message}` });
  }
}

/** Returns the store of the login; nothing if there is no login, or perhaps no such store. */
function storeLines({ login, store }: StatusReport): Text[] {
  if (login.state !== 'logged-in' && login.state !== 'ended') return [];
  return [store.kind === 'file' ? `${store.where} (only you can read it)` : store.where];
}

function watchingLines({ watching, watchedLast }: StatusReport, now: number): Text[] {
  if (watching.length > 0) return watching.flatMap((watcher) => watcherLines(watcher, now));
  if (watchedLast === undefined) return ['nothing'];
  const { until } = watchedLast;
  return [
    `nothing since ${ago(now - until)}`,
    phrase`${sync('watch', ...scopeArguments(watchedLast), '--daemon')} watches again.`,
  ];
}

/** Returns what a watcher watches, its queue, and its latest problem. */
function watcherLines(watcher: SeenHealth, now: number): Text[] {
  const { devices = [], since, queue, days, kind } = watcher;
  const isOn = (path: string, root: string | undefined) =>
    root !== undefined && (path === root || isBelow(path, root));
  // The line of a device stands for its folders, if they answer.
  const folders = watcher.folders.filter(
    ({ path, state: found }) => found === 'silent' || !devices.some(({ root }) => isOn(path, root)),
  );
  const state = [
    `${kind === 'terminal' ? 'in a terminal' : 'in the background'} for ${duration(now - Date.parse(since))}`,
    ...(queue.waiting > 0 ? [`${plural(queue.waiting, 'recording')} waiting`] : []),
    ...(days !== undefined && days.waiting > 0
      ? [`${plural(days.waiting, 'wellness day')} waiting`]
      : []),
    ...(queue.unfinished > 0 ? [plural(queue.unfinished, 'incomplete file')] : []),
  ];
  return [
    ...(watcher.devices === undefined ? [] : [ANY_DEVICE]),
    ...devices.map((device) => deviceText(device)),
    ...folders.map(({ path, state: found, reason }) => {
      if (reason !== undefined) return `${path}: ${reason}`;
      return found === 'waiting' ? `${path} (not there now)` : path;
    }),
    state.join(', '),
    ...troubleLines(watcher, now),
  ];
}

function zoneLines({ days, platform, differs, problem }: ZoneFacts): Text[] {
  if (problem !== undefined) return withHint(problem);
  const counted = `counted in ${days.name}${days.from === 'machine' ? ", this machine's zone" : ''}`;
  if (!differs || platform === undefined) return [counted];
  return [
    `${counted}; the platform has you in ${platform.name}`,
    phrase`If you live there, run ${sync('config', 'set', 'timezone', platform.name)}.`,
  ];
}

function uploadLines({ account, ledger, login }: StatusReport, now: number): Text[] {
  const isKnown = account !== undefined || ledger.lastUploadAt !== undefined;
  if (isKnown || ledger.problem !== undefined) return ledgerLines(ledger, now);
  return login.state === 'logged-out' ? ['not known without a login'] : [];
}

/** @param more is added to the counts */
export function ledgerLines(
  { problem, uploads, accepted, lastUploadAt }: LedgerFacts,
  now: number,
  more: readonly string[] = [],
): Text[] {
  if (problem !== undefined) return withHint(problem);
  const last = lastUploadAt === undefined ? '' : `, the last ${ago(now - lastUploadAt)}`;
  const undone = uploads.undone === 0 ? '' : `, ${uploads.undone} undone`;
  const held = uploads.held === 0 ? '' : `, ${uploads.held} held (the same ride was sent)`;
  const undoing =
    uploads.undoing === 0
      ? ''
      : phrase`, ${uploads.undoing} partly undone (${sync('undo', 'upload', 'FILE')} finishes it)`;
  const where = accepted ? 'accepted by the platform' : 'at the platform';
  const counts = phrase`${plural(uploads.confirmed, 'recording')} ${where}${last}${undone}${held}${undoing}`;
  return [joinTexts([counts, ...more], '; ')];
}

function recordingText({ activity, path }: LedgerUpload, view: ActivityView): string {
  return activityText(activity, basename(path), view);
}

const NAMED = 3;

function waitingSections({ waiting, uploads }: LedgerFacts, view: ActivityView): Text[] {
  const { recordings, records, kept, keptBytes, keptForOthers, unusable } = waiting;
  const size = keptBytes > MANY_BYTES ? ` (${bytes(keptBytes)})` : '';
  const pending = recordings.filter(({ state }) => state === 'pending');
  const refused = recordings.filter(({ state }) => state === 'rejected');
  return [
    ...section('Waiting', [
      ...pendingLines(pending, uploads.pending, view),
      ...recordLines(records.filter(({ state }) => state === 'pending')),
      ...(kept === 0
        ? []
        : [
            phrase`copies of ${plural(kept, 'recording')}${size}, until ${sync('watch')} has sent them`,
          ]),
      ...(keptForOthers === 0
        ? []
        : [
            phrase`copies of ${plural(keptForOthers, 'recording')} of another login, or damaged: see ${sync('doctor')}`,
          ]),
    ]),
    ...section('Refused by the platform', [
      ...refusedLines(refused, uploads.rejected, view),
      ...refusedDays(records.filter(({ state }) => state === 'rejected')),
    ]),
    ...section('Invalid files', unusableLines(unusable)),
  ];
}

function pendingLines(pending: readonly LedgerUpload[], count: number, view: ActivityView): Text[] {
  if (count === 0) return [];
  return [
    ...pending.slice(0, NAMED).map((upload) => recordingText(upload, view)),
    ...andMore(count),
    phrase`The platform has not confirmed ${them(count)}: ${sync('upload')} of the same files sends ${them(count)} again.`,
  ];
}

function recordLines(records: Waiting['records']): Text[] {
  const days = (kind: RecordKind) => {
    const dates = records.filter((record) => record.kind === kind).map(({ date }) => date);
    const named = [dates.slice(0, NAMED).join(', '), ...andMore(dates.length)].join(' ');
    return dates.length === 0 ? [] : [`${kind} of ${named}`];
  };
  return [
    ...days('wellness'),
    ...days('nutrition'),
    ...(records.length === 0
      ? []
      : [
          phrase`The platform has not confirmed ${them(records.length)}: the same ${sync('push')}, ${sync('import')}, ${sync('watch')} or ${sync('undo')} again continues.`,
        ]),
  ];
}

function refusedLines(refused: readonly LedgerUpload[], count: number, view: ActivityView): Text[] {
  return [
    ...refused
      .slice(0, NAMED)
      .flatMap((upload) => [
        recordingText(upload, view),
        `  ${ago(view.now - upload.changedAt)}: ${upload.message ?? 'no reason given'}`,
      ]),
    ...andMore(count),
  ];
}

function refusedDays(days: Waiting['records']): Text[] {
  return [
    ...days
      .slice(0, NAMED)
      .flatMap(({ kind, date, message = '' }) => [`${kind} of ${date}`, `  ${message}`]),
    ...andMore(days.length),
  ];
}

function unusableLines(unusable: Waiting['unusable']): Text[] {
  return [
    ...unusable
      .slice(0, NAMED)
      .map(({ path, detail = 'It is not a complete recording.' }) => `${path}: ${detail}`),
    ...andMore(unusable.length),
  ];
}

function andMore(count: number): string[] {
  return count > NAMED ? [`and ${count - NAMED} more`] : [];
}

function them(count: number): string {
  return count === 1 ? 'it' : 'them';
}
