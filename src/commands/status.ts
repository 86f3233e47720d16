import { existsSync, statSync } from 'node:fs';
import { type MissingFeature, missingFeatures } from '../config/scopes.ts';
import { PATIENT, type WhoAmI, whoIsLoggedIn } from '../auth/account.ts';
import { type AgeWarning, ageWarning } from '../auth/login-ages.ts';
import { loginLockPath } from '../auth/login-lock.ts';
import { openSession } from '../auth/open-session.ts';
import { endedAt } from '../auth/login-errors.ts';
import type { Session } from '../auth/session.ts';
import { type Account, type Config, requireBaseUrl } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { type Credentials, loginBegan, serviceId } from '../credentials/store.ts';
import type { Deps } from '../app/deps.ts';
import type { Context } from '../base/context.ts';
import { ExitCode, SyncError, exitCodeOf } from '../base/errors.ts';
import { isHeld } from '../system/process-lock.ts';
import type { LedgerUpload } from '../ledger/uploads.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { type Failure, failureOf } from '../api/batch-breaker.ts';
import type { Http } from '../api/http.ts';
import { type SeenHealth, readHealth } from '../daemon/registry.ts';
import { ledgerPath, openLedger } from '../app/open-ledger.ts';
import { knownAccount } from '../app/ledger-account.ts';

export interface StatusReport {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string | undefined;
  /** Undefined where nobody said yet: a token from the environment is asked for by who uses it. */
  readonly account: Account | undefined;
  readonly store: { readonly kind: 'keychain' | 'file' | 'environment'; readonly where: string };
  readonly login: LoginState;
  /** With `--check`: what the service said. */
  readonly checked?: Checked | undefined;
  readonly uploads: Readonly<Record<LedgerUpload['state'], number>>;
  /** Of the last confirmed upload; ms since 1970. */
  readonly lastUploadAt: number | undefined;
  /** What watches folders for this profile, in the background or at a terminal. */
  readonly watching: readonly SeenHealth[];
}

/**
 * `accepted`: with the account, if the service names it. `failed`: the service could not be asked, or
 * its answer says nothing about the login.
 */
export type Checked =
  | { readonly outcome: 'accepted'; readonly account?: Account | undefined }
  | ({ readonly outcome: 'ended' | 'failed' } & Failure);

export type LoginState =
  | {
      readonly state: 'logged-in';
      readonly scopes: readonly string[] | undefined;
      /** What this login is not allowed to do. */
      readonly missing: readonly MissingFeature[];
      readonly renewable: boolean;
      /** ms since 1970; absent: the service did not say. */
      readonly accessExpiresAt: number | undefined;
      readonly refreshExpiresAt: number | undefined;
      /** The service announces no end, and ended earlier logins at about this age. */
      readonly age?: AgeWarning | undefined;
    }
  /**
   * `ended`: there is a login, which only a new one can replace. `unknown`: whether there is one
   * cannot be told just now.
   */
  | ({ readonly state: 'logged-out' | 'ended' | 'unknown' } & Failure);

export interface StatusNeeds {
  readonly config: Config;
  readonly deps: Deps;
  readonly http: Http;
  /** Ask the service. */
  readonly check?: boolean;
}

/**
 * What this machine knows; without `check`, no request is made.
 *
 * @throws SyncError `CONFIG`, `STORAGE`
 */
export async function runStatus(
  needs: StatusNeeds,
): Promise<{ report: StatusReport; exitCode: ExitCode }> {
  const { config, deps } = needs;
  const service = requireBaseUrl(config).href.replace(/\/+$/, '');
  const { key, account } = await knownAccount(config);
  const watching = readHealth(config.paths.stateDir, deps.clock.now()).filter(
    ({ profile, alive }) => alive && profile === config.profile,
  );
  const known = await loginState(needs);
  const uncertain = known.state === 'unknown' && known.code === 'FATE_UNKNOWN';
  const checked =
    needs.check === true && (known.state === 'logged-in' || uncertain)
      ? await checkLogin(needs)
      : undefined;
  // The check may have refreshed the login, or have seen its end.
  const found = checked === undefined ? known : await loginState(needs);
  const login =
    checked?.outcome === 'accepted'
      ? found
      : checked?.outcome === 'ended' && found.state === 'logged-in'
        ? { ...checked, state: 'ended' as const }
        : sawEnd(config, key, watching, found);
  const report: StatusReport = {
    profile: config.profile,
    service,
    clientId: config.get('clientId'),
    account,
    store: storeOf(config, deps),
    login,
    checked,
    ...uploadsOf(config, key, deps),
    watching,
  };
  return { report, exitCode: exitCodeFor(login, checked) };
}

function exitCodeFor(login: LoginState, checked: Checked | undefined): ExitCode {
  if (login.state !== 'logged-in') return exitCodeOf(login.code);
  if (checked?.outcome !== 'failed') return ExitCode.ok;
  return checked.code.startsWith('AUTH_') ? exitCodeOf(checked.code) : ExitCode.unavailable;
}

/** Asks the service whether it accepts this login, which is refreshed first if it is time. */
export async function checkLogin({ config, deps, http }: StatusNeeds): Promise<Checked> {
  const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
  const userinfo = { http, url, policy: PATIENT };
  return await withSession({ config, deps, http }, async (session) => {
    try {
      return checkedBy(await whoIsLoggedIn(contextOf(deps), userinfo, session));
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
        message: 'The service gave a new token, and rejects it.',
        hint: 'Try again later; if it stays like this, run `sync login`.',
      };
  }
}

/** Transitional: the context of a command that still gets {@link Deps}. */
function contextOf(deps: Deps): Context {
  return { ...deps, random: Math.random, trace: () => undefined, warn: () => undefined };
}

async function withSession<T>(
  { config, deps, http }: StatusNeeds,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const attended = deps.io.interactive;
  const session = openSession(contextOf(deps), config, { ...deps, http, attended });
  try {
    return await task(session);
  } finally {
    await session.close();
  }
}

/** What is stored, without a request. */
export async function loginState(needs: StatusNeeds): Promise<LoginState> {
  const { config, deps } = needs;
  return await withSession(needs, async (session) => {
    try {
      return stateOf(await session.credentials(deps.signal), config, deps.clock.now());
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
    return endedLogin('Its time is over.');
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

/** A refresh that began, and whose outcome no living process is about to save. */
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
    message: `A refresh was interrupted (${day} UTC): the service may have replaced its tokens.`,
    hint: 'The next command tries it once more, such as `sync status --check`. If that fails, run `sync login`.',
  };
}

function endedLogin(message: string): LoginState {
  return { state: 'ended', code: 'AUTH_EXPIRED', message, hint: 'Run `sync login`.' };
}

/** A watcher uses the login all the time: what the service told it counts, until somebody logs in anew. */
function sawEnd(
  config: Config,
  key: string,
  watching: readonly SeenHealth[],
  login: LoginState,
): LoginState {
  if (login.state !== 'logged-in') return login;
  // Whoever logs in writes it.
  const since = statSync(config.paths.configFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const ended = watching.some(
    (watcher) =>
      watcher.login.state === 'needed' &&
      (watcher.account ?? key) === key &&
      Date.parse(watcher.updatedAt) > since,
  );
  return ended ? endedLogin('The service no longer accepts it, says the watcher.') : login;
}

function storeOf(config: Config, deps: Deps): StatusReport['store'] {
  if (hasEnvironmentTokens(config)) return { kind: 'environment', where: 'the environment' };
  const store = openStore(config, { ...deps, attended: false });
  return { kind: store.kind, where: store.describe() };
}

function uploadsOf(
  config: Config,
  key: string,
  deps: Deps,
): Pick<StatusReport, 'uploads' | 'lastUploadAt'> {
  const none = { uploads: { pending: 0, confirmed: 0, rejected: 0 }, lastUploadAt: undefined };
  if (!existsSync(ledgerPath(config))) return none;
  const ledger = openLedger(config, key, deps.clock);
  try {
    return { uploads: ledger.uploads.counts(), lastUploadAt: ledger.uploads.lastConfirmedAt() };
  } finally {
    ledger.close();
  }
}
