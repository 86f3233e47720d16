import { existsSync, statSync } from 'node:fs';
import { type MissingFeature, missingFeatures } from '../auth/scopes.ts';
import { loginLockPath } from '../auth/login-lock.ts';
import { openSession } from '../auth/open-session.ts';
import { endedAt } from '../auth/session.ts';
import { type Account, type Config, requireBaseUrl } from '../config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import type { Credentials } from '../credentials/store.ts';
import type { Deps } from '../deps.ts';
import { ExitCode, SyncError, exitCodeOf } from '../errors.ts';
import { isHeld } from '../ledger/lock.ts';
import type { LedgerUpload } from '../ledger/uploads.ts';
import { type Failure, failureOf } from '../service/outlook.ts';
import type { Http } from '../service/http.ts';
import { type SeenHealth, readHealth } from '../watch/health.ts';
import { ledgerPath, openLedger } from './open-ledger.ts';
import { knownAccount } from './whose-login.ts';

export interface StatusReport {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string | undefined;
  /** Undefined where nobody said yet: a token from the environment is asked for by who uses it. */
  readonly account: Account | undefined;
  readonly store: { readonly kind: 'keychain' | 'file' | 'environment'; readonly where: string };
  readonly login: LoginState;
  readonly uploads: Readonly<Record<LedgerUpload['state'], number>>;
  /** Of the last confirmed upload; ms since 1970. */
  readonly lastUploadAt: number | undefined;
  /** What watches folders for this profile, in the background or at a terminal. */
  readonly watching: readonly SeenHealth[];
}

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
}

/** What this machine knows, without a request to the service. @throws SyncError `CONFIG`, `STORAGE` */
export async function runStatus(
  needs: StatusNeeds,
): Promise<{ report: StatusReport; exitCode: ExitCode }> {
  const { config, deps } = needs;
  const service = requireBaseUrl(config).href.replace(/\/+$/, '');
  const { key, account } = await knownAccount(config);
  const watching = readHealth(config.paths.stateDir, deps.clock.now()).filter(
    ({ profile, alive }) => alive && profile === config.profile,
  );
  const login = sawEnd(config, key, watching, await loginState(needs));
  const report: StatusReport = {
    profile: config.profile,
    service,
    clientId: config.get('clientId'),
    account,
    store: storeOf(config, deps),
    login,
    ...uploadsOf(config, key, deps),
    watching,
  };
  return { report, exitCode: login.state === 'logged-in' ? ExitCode.ok : exitCodeOf(login.code) };
}

async function loginState({ config, deps, http }: StatusNeeds): Promise<LoginState> {
  const attended = deps.io.interactive;
  const session = openSession(config, { ...deps, http, attended, onWarning: () => undefined });
  try {
    const found = await session.credentials(deps.signal);
    if (found.endedAt !== undefined)
      return { state: 'ended', ...failureOf(endedAt(found.endedAt)) };
    const interrupted = interruptedRefresh(found, config);
    if (interrupted !== undefined) return interrupted;
    const { tokens } = found;
    const over = (at: number | undefined) => at !== undefined && at <= deps.clock.now();
    const renews = tokens.refreshToken !== undefined && !over(tokens.refreshExpiresAt);
    if (!renews && (tokens.accessToken === undefined || over(tokens.accessExpiresAt))) {
      return endedLogin('Its time is over.');
    }
    return {
      state: 'logged-in',
      scopes: tokens.scopes,
      missing: missingFeatures(tokens.scopes),
      renewable: tokens.refreshToken !== undefined,
      accessExpiresAt: tokens.accessExpiresAt,
      refreshExpiresAt: tokens.refreshExpiresAt,
    };
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
    const state = error.code.startsWith('AUTH_') ? 'logged-out' : 'unknown';
    return { state, ...failureOf(error) };
  } finally {
    await session.close();
  }
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
