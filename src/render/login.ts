import type { LoginEvent } from '../commands/login-events.ts';
import type { LoginReport } from '../commands/login.ts';
import type { LogoutReport, Revocation } from '../commands/logout.ts';
import type { TokenReport } from '../commands/token.ts';
import type { Account } from '../config/config.ts';
import { duration } from '../terminal/words.ts';

/** What a login says while it goes on; nothing for what needs no words. */
export function loginEventText(event: LoginEvent): string | undefined {
  switch (event.type) {
    case 'answer-refused':
    case 'callback-refused':
    case 'paste-refused':
    case 'warning':
      return event.message;
    case 'store-check':
      return undefined;
    case 'keychain-missing':
      return [event.message, ...(event.hint === undefined ? [] : [`  ${event.hint}`])].join('\n');
    case 'reading-stdin':
      return 'Reading the token response from stdin.';
    case 'exchanging':
      return 'The answer is here; fetching the login.';
    case 'authorize':
      return authorizeText(event);
  }
}

function authorizeText(event: LoginEvent & { type: 'authorize' }): string {
  const limit = `Waiting for ${duration(event.timeoutMs)}; Ctrl-C ends it.`;
  if (event.how === 'browser') {
    return `Your browser opens the service's page: approve the login there.\nIf it does not open, go to:\n\n  ${event.url}\n\n${limit}`;
  }
  const reason = {
    asked: 'Open this page in a browser, and approve the login there:',
    'no-display': 'There is no desktop here. Open this page in a browser on another machine:',
    ssh: 'You are here over SSH. Open this page in the browser of your own machine:',
    failed: 'No browser could be started. Open this page in one:',
  }[event.why];
  return [
    reason,
    '',
    `  ${event.url}`,
    '',
    'If that browser is on another machine, first run this on it, so that the answer finds its way here:',
    '',
    `  ${event.sshCommand}`,
    '',
    ...(event.paste
      ? ['Or approve, let the browser fail to show the last page, and paste its address here.']
      : []),
    limit,
  ].join('\n');
}

export function loginReport(report: LoginReport): Record<string, unknown> {
  return { type: 'login', ...report };
}

export function loginText(report: LoginReport, now: number): string {
  const { account, replaced, service, store, missing } = report;
  const lines = [
    `Logged in${account === undefined ? '' : ` as ${who(account)}`} at ${service}.`,
    `The login is kept in ${store.where}${store.kind === 'file' ? ' (not in the keychain)' : ''}.`,
  ];
  if (replaced !== undefined) lines.push(`It takes the place of the one of ${who(replaced)}.`);
  lines.push(...savedText(report));
  const declined = missing.filter(({ asked }) => asked);
  if (declined.length > 0) {
    lines.push('Not granted, so these will not work:', ...declined.map(missingText));
    lines.push('`sync login` again asks for them again.');
  }
  if (!report.renewable) {
    const ends = report.accessExpiresAt;
    const when = ends === undefined ? 'some day' : `in ${duration(ends - now)}`;
    lines.push(`The service gave no refresh token: this login ends ${when}.`);
  }
  return lines.join('\n');
}

function savedText({ profile, saved }: LoginReport): string[] {
  const changed = Object.entries(saved).map(([key, value]) =>
    value === null ? `${key} (removed)` : `${key} "${value}"`,
  );
  if (changed.length === 0) return [];
  return [
    `Settings saved for profile "${profile}": ${changed.join(', ')}.`,
    ...(typeof saved.scope === 'string'
      ? ['Later logins ask for these scopes; `sync config unset scope` asks for the usual ones.']
      : []),
  ];
}

export function missingText({ feature, command, scope }: LoginReport['missing'][number]): string {
  return `  ${feature} (\`${command}\` needs ${scope})`;
}

export function who({ id, name, email }: Account): string {
  return name === undefined ? (email ?? id) : email === undefined ? name : `${name} <${email}>`;
}

export function logoutReport(report: LogoutReport): Record<string, unknown> {
  return { type: 'logout', ...report };
}

export function logoutText(report: LogoutReport, now: number): string {
  const lines = [
    report.wasLoggedIn
      ? `Logged out${report.account === undefined ? '' : ` ${who(report.account)}`}: ${report.store} holds no login any more.`
      : `Nobody was logged in (profile "${report.profile}").`,
    ...report.revocations.flatMap((revocation) => revocationText(revocation, now)),
  ];
  if (report.environmentTokens) {
    lines.push('SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is still set, and is still used.');
  }
  return lines.join('\n');
}

function revocationText({ token, outcome, message, expiresAt }: Revocation, now: number): string[] {
  const left =
    expiresAt === undefined || expiresAt <= now
      ? ''
      : ` It works for ${duration(expiresAt - now)} more.`;
  switch (outcome) {
    case 'revoked':
      return [];
    case 'not-tried':
      return [`The ${token} was not revoked at the service (--local-only).${left}`];
    case 'unsupported':
      return [`The service does not revoke tokens; the ${token} ends by itself.${left}`];
    case 'failed':
      return [
        `The ${token} could not be revoked at the service: ${(message ?? 'no reason given').replace(/\.$/, '')}.${left}`,
        'You can end the login on the web site of the service.',
      ];
  }
}

/** For programs; the token is what they asked for. */
export function tokenReport({
  accessToken,
  expiresAt,
  scopes,
}: TokenReport): Record<string, unknown> {
  return { type: 'token', accessToken: accessToken.reveal(), expiresAt, scopes };
}
