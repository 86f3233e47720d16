import { existsSync, statSync } from 'node:fs';
import { type Failure, failureOf } from '../api/batch-breaker.ts';
import type { Http } from '../api/http.ts';
import type { CommandModule } from '../app/command.ts';
import { configFor, ledgerPath } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { knownAccount } from '../app/ledger-account.ts';
import { openLedger } from '../app/ledger.ts';
import { withUntracedHttp } from '../app/with-http.ts';
import { PATIENT, type WhoAmI, whoIsLoggedIn } from '../auth/account.ts';
import { type AgeWarning, ageText, ageWarning } from '../auth/login-ages.ts';
import { loginLockPath } from '../auth/login-lock.ts';
import { openSession } from '../auth/open-session.ts';
import { endedAt } from '../auth/login-errors.ts';
import type { Session } from '../auth/session.ts';
import { ExitCode, SyncError, exitCodeOf } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { type Account, type Config, requireBaseUrl } from '../config/config.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { type MissingFeature, missingFeatures } from '../config/scopes.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { type Credentials, loginBegan, serviceId } from '../credentials/store.ts';
import type { LedgerUpload } from '../ledger/uploads.ts';
import { missingText, who } from './login/words.ts';
import { isHeld } from '../system/process-lock.ts';
import { duration, plural } from '../terminal/words.ts';
import { type SeenHealth, readHealth } from '../daemon/registry.ts';

interface StatusFlags {
  readonly check?: boolean;
}

export const status: CommandModule = {
  declare: (command) => command.option('--check', 'ask the service whether it accepts the login'),
  examples: ['sync status', 'sync status --check --json'],

  async run(context, flags: StatusFlags) {
    const { clock, output } = context;
    const config = configFor(context);
    const report = await withUntracedHttp(context, (http) =>
      readStatus(context, config, http, flags.check ?? false),
    );
    output.result(statusJson(report), statusText(report, clock.now()));
    return exitCodeFor(report);
  },
};

export interface StatusReport {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string | undefined;
  /** Undefined if the athlete is still unknown: `status` does not ask the service. */
  readonly account: Account | undefined;
  readonly store: { readonly kind: 'keychain' | 'file' | 'environment'; readonly where: string };
  readonly login: LoginState;
  /** The service's answer to `--check`. */
  readonly checked?: Checked | undefined;
  readonly uploads: Readonly<Record<LedgerUpload['state'], number>>;
  /** The time of the last confirmed upload; ms since 1970. */
  readonly lastUploadAt: number | undefined;
  /** The running watchers of this profile, in the background or at a terminal. */
  readonly watching: readonly SeenHealth[];
}

/**
 * `accepted`: with the account, if the service names it. `failed`: the service did not answer, or its
 * answer says nothing about the login.
 */
export type Checked =
  | { readonly outcome: 'accepted'; readonly account?: Account | undefined }
  | ({ readonly outcome: 'ended' | 'failed' } & Failure);

export type LoginState =
  | {
      readonly state: 'logged-in';
      readonly scopes: readonly string[] | undefined;
      /** The features that this login has no scope for. */
      readonly missing: readonly MissingFeature[];
      readonly renewable: boolean;
      /** ms since 1970; undefined if the service did not say. */
      readonly accessExpiresAt: number | undefined;
      readonly refreshExpiresAt: number | undefined;
      /** Set if the service announces no end, and ended earlier logins at about this age. */
      readonly age?: AgeWarning | undefined;
    }
  /** `ended`: only a new login can replace this one. `unknown`: the store cannot be read now. */
  | ({ readonly state: 'logged-out' | 'ended' | 'unknown' } & Failure);

/**
 * Collects the facts on this machine; sends requests only with `check`.
 *
 * @throws SyncError `CONFIG`, `STORAGE`
 */
export async function readStatus(
  context: AppContext,
  config: Config,
  http: Http,
  check: boolean,
): Promise<StatusReport> {
  const service = requireBaseUrl(config).href.replace(/\/+$/, '');
  const { key, account } = await knownAccount(config);
  const watching = readHealth(config.paths.stateDir, context.clock.now()).filter(
    ({ profile, alive }) => alive && profile === config.profile,
  );
  const known = await loginState(context, config, http);
  const uncertain = known.state === 'unknown' && known.code === 'FATE_UNKNOWN';
  const checked =
    check && (known.state === 'logged-in' || uncertain)
      ? await askAboutLogin(context, config, http)
      : undefined;
  // The check may have refreshed the login, or found it ended.
  const found = checked === undefined ? known : await loginState(context, config, http);
  const login =
    checked?.outcome === 'accepted'
      ? found
      : checked?.outcome === 'ended' && found.state === 'logged-in'
        ? { ...checked, state: 'ended' as const }
        : endSeenByWatcher(config, key, watching, found);
  return {
    profile: config.profile,
    service,
    clientId: config.get('clientId'),
    account,
    store: storeOf(context, config),
    login,
    checked,
    ...uploadsOf(context, config, key),
    watching,
  };
}

export function exitCodeFor({ login, checked }: StatusReport): ExitCode {
  if (login.state !== 'logged-in') return exitCodeOf(login.code);
  if (checked?.outcome !== 'failed') return ExitCode.ok;
  return checked.code.startsWith('AUTH_') ? exitCodeOf(checked.code) : ExitCode.unavailable;
}

/** Asks the service whether it accepts this login, after a refresh if that is due. */
export async function askAboutLogin(
  context: AppContext,
  config: Config,
  http: Http,
): Promise<Checked> {
  const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
  return await withSession(context, config, http, async (session) => {
    try {
      return checkedBy(
        await whoIsLoggedIn(
          { ...context, trace: () => undefined },
          { http, url, policy: PATIENT },
          session,
        ),
      );
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      const ended = error.code === 'AUTH_EXPIRED' || error.code === 'AUTH_REQUIRED';
      return { outcome: ended ? 'ended' : 'failed', ...failureOf(error) };
    }
  });
}

function checkedBy(who: WhoAmI): Checked {
  switch (who.kind) {
    case 'known':
      return { outcome: 'accepted', account: who.account };
    case 'unknown':
      return { outcome: 'accepted' };
    case 'unreachable':
      return { outcome: 'failed', ...failureOf(who.error) };
    case 'rejected':
      return {
        outcome: 'failed',
        code: 'AUTH_EXPIRED',
        message: 'The service issued a new token, and rejects it.',
        hint: phrase`Try again later; if that does not help, run ${sync('login')}.`,
      };
  }
}

async function withSession<T>(
  context: AppContext,
  config: Config,
  http: Http,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const attended = context.io.interactive;
  const session = openSession({ ...context, warn: () => undefined }, config, {
    ...context,
    http,
    attended,
  });
  try {
    return await task(session);
  } finally {
    await session.close();
  }
}

/** Reads the stored login; sends no request. */
export async function loginState(
  context: AppContext,
  config: Config,
  http: Http,
): Promise<LoginState> {
  const { clock, signal } = context;
  return await withSession(context, config, http, async (session) => {
    try {
      return stateOf(await session.credentials(signal), config, clock.now());
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      const state = error.code.startsWith('AUTH_') ? 'logged-out' : 'unknown';
      return { state, ...failureOf(error) };
    }
  });
}

function stateOf(found: Credentials, config: Config, now: number): LoginState {
  if (found.endedAt !== undefined) return { state: 'ended', ...failureOf(endedAt(found.endedAt)) };
  const interrupted = interruptedRefresh(found, config);
  if (interrupted !== undefined) return interrupted;
  const { tokens } = found;
  const over = (at: number | undefined) => at !== undefined && at <= now;
  const renewable = tokens.refreshToken !== undefined;
  const renews = renewable && !over(tokens.refreshExpiresAt);
  if (!renews && (tokens.accessToken === undefined || over(tokens.accessExpiresAt))) {
    return endedLogin('Its tokens have expired.');
  }
  const where = {
    stateDir: config.paths.stateDir,
    service: serviceId(requireBaseUrl(config)),
  };
  const observed = renewable && tokens.refreshExpiresAt === undefined;
  return {
    state: 'logged-in',
    scopes: tokens.scopes,
    missing: missingFeatures(tokens.scopes),
    renewable,
    accessExpiresAt: tokens.accessExpiresAt,
    refreshExpiresAt: tokens.refreshExpiresAt,
    ...(observed ? { age: ageWarning(where, loginBegan(found), now) } : {}),
  };
}

/** Returns the state after a refresh that a process began and did not finish. */
function interruptedRefresh(
  { refreshStartedAt }: Credentials,
  config: Config,
): LoginState | undefined {
  const lock = loginLockPath({ stateDir: config.paths.stateDir, profile: config.profile });
  if (refreshStartedAt === undefined || isHeld(lock)) return undefined;
  const day = new Date(refreshStartedAt).toISOString().slice(0, 16).replace('T', ' ');
  return {
    state: 'unknown',
    code: 'FATE_UNKNOWN',
    message: `A refresh was interrupted (${day} UTC): the service may have replaced the tokens.`,
    hint: phrase`Run ${sync('status', '--check')}, which refreshes again. If that fails, run ${sync('login')}.`,
  };
}

function endedLogin(message: string): LoginState {
  return { state: 'ended', code: 'AUTH_EXPIRED', message, hint: phrase`Run ${sync('login')}.` };
}

/** Returns the end of the login if a watcher saw it after the last `sync login`. */
function endSeenByWatcher(
  config: Config,
  key: string,
  watching: readonly SeenHealth[],
  login: LoginState,
): LoginState {
  if (login.state !== 'logged-in') return login;
  // `sync login` writes the configuration.
  const since = statSync(config.paths.configFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const ended = watching.some(
    (watcher) =>
      watcher.login.state === 'needed' &&
      (watcher.account ?? key) === key &&
      Date.parse(watcher.updatedAt) > since,
  );
  return ended ? endedLogin('The watcher reports that the service no longer accepts it.') : login;
}

function storeOf(context: AppContext, config: Config): StatusReport['store'] {
  if (hasEnvironmentTokens(config)) return { kind: 'environment', where: 'the environment' };
  const store = openStore(config, { ...context, attended: false });
  return { kind: store.kind, where: store.describe() };
}

function uploadsOf(
  { clock }: AppContext,
  config: Config,
  key: string,
): Pick<StatusReport, 'uploads' | 'lastUploadAt'> {
  const none = { uploads: { pending: 0, confirmed: 0, rejected: 0 }, lastUploadAt: undefined };
  if (!existsSync(ledgerPath(config))) return none;
  const ledger = openLedger(config, key, clock);
  try {
    return { uploads: ledger.uploads.counts(), lastUploadAt: ledger.uploads.lastConfirmedAt() };
  } finally {
    ledger.close();
  }
}

/** Times are ISO 8601 in UTC. */
function statusJson({ lastUploadAt, login, ...report }: StatusReport): Record<string, unknown> {
  return { type: 'status', ...report, login: loginJson(login), lastUploadAt: iso(lastUploadAt) };
}

function loginJson(login: LoginState): Record<string, unknown> {
  if (login.state !== 'logged-in') return { ...login };
  const { accessExpiresAt, refreshExpiresAt, ...rest } = login;
  return {
    ...rest,
    accessExpiresAt: iso(accessExpiresAt),
    refreshExpiresAt: iso(refreshExpiresAt),
  };
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Remaining time below which the text warns (ms). */
const ENDS_SOON_MS = 7 * 86_400_000;

export function statusText(report: StatusReport, now: number): Text {
  const { account, service, profile, store, uploads, lastUploadAt } = report;
  const unknown = store.kind === 'environment' ? 'not asked yet' : 'not known';
  const known = account === undefined ? unknown : who(account);
  const last = lastUploadAt === undefined ? '' : `, the last ${duration(now - lastUploadAt)} ago`;
  const waiting = [
    ...(uploads.pending > 0 ? [`${uploads.pending} not delivered yet`] : []),
    ...(uploads.rejected > 0 ? [`${uploads.rejected} refused by the service`] : []),
  ];
  const lines = [
    `Service   ${service}${profile === 'default' ? '' : ` (profile "${profile}")`}`,
    `Account   ${known}`,
    ...loginLines(report.login, now),
    ...checkedLines(report.checked),
    `Kept in   ${store.where}${store.kind === 'file' ? ' (a file that only you can read, not the keychain)' : ''}`,
    `Uploads   ${[`${plural(uploads.confirmed, 'recording')} at the service${last}`, ...waiting].join('; ')}`,
    ...watchingLines(report.watching, now),
  ];
  return joinTexts(lines, '\n');
}

/** Returns each watcher's folders and queue, and its latest problem. */
function watchingLines(watching: readonly SeenHealth[], now: number): string[] {
  if (watching.length === 0) return ['Watching  nothing'];
  return watching.flatMap(({ folders, since, queue, connection, login, lastError }) => {
    const waiting = [
      ...(queue.waiting > 0 ? [`${plural(queue.waiting, 'recording')} waiting`] : []),
      ...(queue.unfinished > 0 ? [`${queue.unfinished} unfinished`] : []),
    ];
    const state = [`for ${duration(now - Date.parse(since))}`, ...waiting].join(', ');
    // The queue is counted for all folders together.
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

function loginLines(login: LoginState, now: number): Text[] {
  if (login.state !== 'logged-in') {
    const word =
      login.code === 'FATE_UNKNOWN'
        ? 'uncertain'
        : { 'logged-out': 'none', ended: 'ended', unknown: 'cannot be read now' }[login.state];
    return [
      `Login     ${word}. ${login.message}`,
      ...(login.hint === undefined ? [] : [phrase`          ${login.hint}`]),
    ];
  }
  const { accessExpiresAt, refreshExpiresAt, renewable, missing, age } = login;
  const left = (at: number | undefined) =>
    at === undefined ? 'no end announced' : at <= now ? 'over' : `${duration(at - now)} left`;
  const ends = renewable ? refreshExpiresAt : accessExpiresAt;
  return [
    `Login     good; access token: ${left(accessExpiresAt)}; ${renewable ? `renewable: ${left(refreshExpiresAt)}` : 'not renewable'}`,
    ...(renewable && ends !== undefined && ends - now < ENDS_SOON_MS
      ? [phrase`          It ends soon: run ${sync('login')} to renew it.`]
      : []),
    ...(age === undefined ? [] : [phrase`          ${ageText(age)}`]),
    ...(missing.length > 0
      ? [
          'Missing   not granted, so these do not work:',
          ...missing.map((one) => phrase`        ${missingText(one)}`),
        ]
      : []),
  ];
}

function checkedLines(checked: Checked | undefined): Text[] {
  switch (checked?.outcome) {
    case undefined:
    case 'ended':
      return [];
    case 'accepted': {
      return checked.account === undefined
        ? ['Checked   the service does not reject this login, and does not name the athlete']
        : [`Checked   the service accepts this login (${who(checked.account)})`];
    }
    case 'failed':
      return [
        `Checked   not now. ${checked.message}`,
        ...(checked.hint === undefined ? [] : [phrase`          ${checked.hint}`]),
      ];
  }
}
