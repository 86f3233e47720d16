import type { LoginState, StatusReport } from '../commands/status.ts';
import { missingText, who } from './login.ts';
import { duration, plural } from './words.ts';

/** A login that ends within this time is warned about, in ms. */
const ENDS_SOON_MS = 7 * 86_400_000;

export function statusReport(report: StatusReport): Record<string, unknown> {
  return { type: 'status', ...report };
}

export function statusText(report: StatusReport, now: number): string {
  const { account, service, profile, store, uploads, lastUploadAt } = report;
  const known = account === undefined ? 'not known' : who(account);
  const last = lastUploadAt === undefined ? '' : `, the last ${duration(now - lastUploadAt)} ago`;
  const waiting = [
    ...(uploads.pending > 0 ? [`${uploads.pending} not delivered yet`] : []),
    ...(uploads.rejected > 0 ? [`${uploads.rejected} refused by the service`] : []),
  ];
  return [
    `Service   ${service}${profile === 'default' ? '' : ` (profile "${profile}")`}`,
    `Account   ${known}`,
    ...loginLines(report.login, now),
    `Kept in   ${store.where}${store.kind === 'file' ? ' (a file that only you can read, not the keychain)' : ''}`,
    `Uploads   ${[`${plural(uploads.confirmed, 'recording')} at the service${last}`, ...waiting].join('; ')}`,
  ].join('\n');
}

function loginLines(login: LoginState, now: number): string[] {
  if (login.state !== 'logged-in') {
    const word = login.state === 'logged-out' ? 'none' : 'cannot be read now';
    return [
      `Login     ${word}. ${login.message}`,
      ...(login.hint === undefined ? [] : [`          ${login.hint}`]),
    ];
  }
  const { accessExpiresAt, refreshExpiresAt, renewable, missing } = login;
  const left = (at: number | undefined) =>
    at === undefined ? 'not limited' : at <= now ? 'over' : `${duration(at - now)} left`;
  const ends = renewable ? refreshExpiresAt : accessExpiresAt;
  return [
    `Login     good; access token: ${left(accessExpiresAt)}; ${renewable ? `renewable: ${left(refreshExpiresAt)}` : 'not renewable'}`,
    ...(renewable && ends !== undefined && ends - now < ENDS_SOON_MS
      ? ['          It ends soon: run `sync login` to renew it.']
      : []),
    ...(missing.length > 0
      ? [
          'Missing   not granted, so these do not work:',
          ...missing.map((one) => `        ${missingText({ ...one, asked: false })}`),
        ]
      : []),
  ];
}
