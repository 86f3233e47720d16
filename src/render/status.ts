import type { Checked, LoginState, StatusReport } from '../commands/status.ts';
import { missingText, who } from './login.ts';
import { ageText } from '../auth/login-ages.ts';
import type { SeenHealth } from '../watch/health.ts';
import { duration, plural } from '../terminal/words.ts';

/** A login that ends within this time is warned about, in ms. */
const ENDS_SOON_MS = 7 * 86_400_000;

export function statusReport(report: StatusReport): Record<string, unknown> {
  return { type: 'status', ...report };
}

export function statusText(report: StatusReport, now: number): string {
  const { account, service, profile, store, uploads, lastUploadAt } = report;
  const nobody = store.kind === 'environment' ? 'not asked yet' : 'not known';
  const known = account === undefined ? nobody : who(account);
  const last = lastUploadAt === undefined ? '' : `, the last ${duration(now - lastUploadAt)} ago`;
  const waiting = [
    ...(uploads.pending > 0 ? [`${uploads.pending} not delivered yet`] : []),
    ...(uploads.rejected > 0 ? [`${uploads.rejected} refused by the service`] : []),
  ];
  return [
    `Service   ${service}${profile === 'default' ? '' : ` (profile "${profile}")`}`,
    `Account   ${known}`,
    ...loginLines(report.login, now),
    ...checkedLines(report.checked),
    `Kept in   ${store.where}${store.kind === 'file' ? ' (a file that only you can read, not the keychain)' : ''}`,
    `Uploads   ${[`${plural(uploads.confirmed, 'recording')} at the service${last}`, ...waiting].join('; ')}`,
    ...watchingLines(report.watching, now),
  ].join('\n');
}

/** What each watcher does, and what keeps it from it. */
function watchingLines(watching: readonly SeenHealth[], now: number): string[] {
  if (watching.length === 0) return ['Watching  nothing'];
  return watching.flatMap(({ folders, since, queue, connection, login, lastError }) => {
    const waiting = [
      ...(queue.waiting > 0 ? [`${plural(queue.waiting, 'recording')} waiting`] : []),
      ...(queue.unfinished > 0 ? [`${queue.unfinished} unfinished`] : []),
    ];
    const state = [`for ${duration(now - Date.parse(since))}`, ...waiting].join(', ');
    // What waits is known of all folders together.
    const [own, together] =
      folders.length === 1 ? [`, ${state}`, []] : ['', [`          ${state}`]];
    const trouble = [
      login.state === 'ok' ? undefined : login.message,
      connection.state === 'ok' ? undefined : connection.message,
      lastError === undefined
        ? undefined
        : `${lastError.message} (${duration(now - Date.parse(lastError.at))} ago)`,
    ].find((message) => message !== undefined);
    return [
      ...folders.map(
        ({ path, state: found, reason }) =>
          `Watching  ${path}${found === 'waiting' ? ': waiting for it' : ''}${reason === undefined ? '' : ` (${reason})`}${own}`,
      ),
      ...together,
      ...(trouble === undefined ? [] : [`          ${trouble}`]),
    ];
  });
}

function loginLines(login: LoginState, now: number): string[] {
  if (login.state !== 'logged-in') {
    const word =
      login.code === 'FATE_UNKNOWN'
        ? 'uncertain'
        : { 'logged-out': 'none', ended: 'ended', unknown: 'cannot be read now' }[login.state];
    return [
      `Login     ${word}. ${login.message}`,
      ...(login.hint === undefined ? [] : [`          ${login.hint}`]),
    ];
  }
  const { accessExpiresAt, refreshExpiresAt, renewable, missing, age } = login;
  const left = (at: number | undefined) =>
    at === undefined ? 'no end announced' : at <= now ? 'over' : `${duration(at - now)} left`;
  const ends = renewable ? refreshExpiresAt : accessExpiresAt;
  return [
    `Login     good; access token: ${left(accessExpiresAt)}; ${renewable ? `renewable: ${left(refreshExpiresAt)}` : 'not renewable'}`,
    ...(renewable && ends !== undefined && ends - now < ENDS_SOON_MS
      ? ['          It ends soon: run `sync login` to renew it.']
      : []),
    ...(age === undefined ? [] : [`          ${ageText(age)}`]),
    ...(missing.length > 0
      ? [
          'Missing   not granted, so these do not work:',
          ...missing.map((one) => `        ${missingText({ ...one, asked: false })}`),
        ]
      : []),
  ];
}

function checkedLines(checked: Checked | undefined): string[] {
  switch (checked?.outcome) {
    case undefined:
    case 'ended':
      return [];
    case 'accepted': {
      return checked.account === undefined
        ? ['Checked   the service does not reject this login, and does not say whose it is']
        : [`Checked   the service accepts this login (${who(checked.account)})`];
    }
    case 'failed':
      return [
        `Checked   not now. ${checked.message}`,
        ...(checked.hint === undefined ? [] : [`          ${checked.hint}`]),
      ];
  }
}
