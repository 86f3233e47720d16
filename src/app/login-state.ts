import { statSync } from 'node:fs';
import type { Http } from '../api/http.ts';
import type { AppContext } from './context.ts';
import { knownAccount } from './ledger-account.ts';
import { readWatchers } from './watchers.ts';
import { withSession } from './with-http.ts';
import { whoIsLoggedIn } from '../api/account.ts';
import { RETRIES } from '../api/retry.ts';
import { endedAt } from '../auth/login-errors.ts';
import { loginLockPath } from '../auth/login-lock.ts';
import type { Session } from '../auth/session.ts';
import { ExitCode, type Failure, SyncError, exitCodeOf, failureOf } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { type Account, type Config, accountUrls } from '../config/config.ts';
import { askedScopes } from '../config/platforms.ts';
import { type MissingFeature, missingFeatures } from '../config/scopes.ts';
import type { Credentials, TokenSet } from '../credentials/store.ts';
import { isHeld } from '../system/process-lock.ts';

/**
 * `accepted`: with the account, if the service names it. `failed`: the service did not answer, or its
 * answer says nothing about the login.
 */
export type CheckedLogin =
  | { readonly outcome: 'accepted'; readonly account?: Account | undefined }
  | ({ readonly outcome: 'ended' | 'failed' } & Failure);

export type StoredLogin =
  | ({
      readonly state: 'logged-in';
      readonly missing: readonly MissingFeature[];
      readonly renewable: boolean;
    } & Pick<TokenSet, 'scopes' | 'accessExpiresAt' | 'refreshExpiresAt'>)
  /** `ended`: only a new login can replace this one. `unknown`: the store cannot be read now. */
  | ({ readonly state: 'logged-out' | 'ended' | 'unknown' } & Failure);

export interface LoginFacts {
  readonly login: StoredLogin;
  readonly checked?: CheckedLogin | undefined;
}

/**
 * Reads the stored login, and its end if a running watcher saw it. Asks the service about it only with `check`.
 *
 * @throws SyncError `CONFIG`, `STORAGE`
 */
export async function readLogin(
  context: AppContext,
  config: Config,
  check: boolean,
): Promise<LoginFacts> {
  const quiet = { ...context, warn: () => undefined };
  const { found, checked } = await withSession(quiet, config, async (session, http) => {
    const known = await loginState(quiet, config, session);
    const uncertain = known.state === 'unknown' && known.code === 'FATE_UNKNOWN';
    if (!check || !(known.state === 'logged-in' || uncertain)) return { found: known };
    const answer = await askAboutLogin(quiet, config, http, session);
    // The check may have refreshed the login, or found it ended.
    return { found: await loginState(quiet, config, session), checked: answer };
  });
  if (checked?.outcome === 'ended')
    return { login: { ...failureOf(checked), state: 'ended' }, checked };
  if (found.state !== 'logged-in' || checked?.outcome === 'accepted')
    return { login: found, checked };
  const seen = await seenByWatcher(config, context.clock.now());
  return {
    login: seen ? endedLogin(`The watcher reports: ${seen.login.message}`) : found,
    checked,
  };
}

/** Returns a watcher that needed a login after the last `sync login`, which writes the configuration. */
async function seenByWatcher(config: Config, now: number) {
  const { key } = await knownAccount(config);
  const since = statSync(config.paths.configFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return readWatchers(config, now).watching.find(
    ({ login, account = key, updatedAt }) =>
      login.state === 'needed' && account === key && Date.parse(updatedAt) > since,
  );
}

/** Returns 0 for a good login, or the code of its failure. */
export function exitCodeOfLogin({ login, checked }: LoginFacts): ExitCode {
  if (login.state !== 'logged-in') return exitCodeOf(login.code);
  if (checked?.outcome !== 'failed') return ExitCode.ok;
  return checked.code.startsWith('AUTH_') ? exitCodeOf(checked.code) : ExitCode.unavailable;
}

const NOT_KNOWN: CheckedLogin = {
  outcome: 'failed',
  code: 'SERVICE_UNAVAILABLE',
  message:
    'The platform neither accepts nor refuses this login: it names no athlete, and lists no workouts.',
  hint: undefined,
};

/** Asks the service whether it accepts this login, after a refresh if that is due. */
async function askAboutLogin(
  context: AppContext,
  config: Config,
  http: Http,
  session: Session,
): Promise<CheckedLogin> {
  const asked = { ...accountUrls(config), http, policy: RETRIES.answer, needsProof: true };
  try {
    const untraced = { ...context, trace: () => undefined };
    const who = await whoIsLoggedIn(untraced, asked, session);
    switch (who.kind) {
      case 'known':
        return { outcome: 'accepted', account: who.account };
      case 'unknown':
        return who.wasTaken ? { outcome: 'accepted' } : NOT_KNOWN;
      case 'unreachable':
        return who.wasTaken
          ? { outcome: 'accepted' }
          : { outcome: 'failed', ...failureOf(who.error) };
      case 'rejected':
        return {
          outcome: 'failed',
          code: 'AUTH_EXPIRED',
          message: 'The platform issued a new token, and rejects it.',
          hint: phrase`Try again later; if that does not help, run ${sync('login')}.`,
        };
    }
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
    const ended = error.code === 'AUTH_EXPIRED' || error.code === 'AUTH_REQUIRED';
    return { outcome: ended ? 'ended' : 'failed', ...failureOf(error) };
  }
}

/** Reads the stored login; sends no request. */
async function loginState(
  { clock, signal }: AppContext,
  config: Config,
  session: Session,
): Promise<StoredLogin> {
  try {
    return stateOf(await session.credentials(signal), config, clock.now());
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
    const state = error.code.startsWith('AUTH_') ? 'logged-out' : 'unknown';
    return { state, ...failureOf(error) };
  }
}

function stateOf(found: Credentials, config: Config, now: number): StoredLogin {
  if (found.endedAt !== undefined) return { state: 'ended', ...failureOf(endedAt(found.endedAt)) };
  const interrupted = interruptedRefresh(found, config);
  if (interrupted !== undefined) return interrupted;
  const { tokens } = found;
  const over = (at: number | undefined) => at !== undefined && at <= now;
  const renewable = tokens.refreshToken !== undefined && !over(tokens.refreshExpiresAt);
  if (!renewable && (tokens.accessToken === undefined || over(tokens.accessExpiresAt))) {
    return endedLogin('Its tokens have expired.');
  }
  const { scopes, accessExpiresAt, refreshExpiresAt } = tokens;
  const missing = missingFeatures(scopes, found.askedScopes ?? askedScopes(config));
  return { state: 'logged-in', scopes, missing, renewable, accessExpiresAt, refreshExpiresAt };
}

/** Returns the state after a refresh that a process began and did not finish. */
function interruptedRefresh(
  { refreshStartedAt }: Credentials,
  config: Config,
): StoredLogin | undefined {
  const lock = loginLockPath({ stateDir: config.paths.stateDir, profile: config.profile });
  if (refreshStartedAt === undefined || isHeld(lock)) return undefined;
  const day = new Date(refreshStartedAt).toISOString().slice(0, 16).replace('T', ' ');
  return {
    state: 'unknown',
    code: 'FATE_UNKNOWN',
    message: `A refresh was interrupted (${day} UTC): the platform may have replaced the tokens.`,
    hint: phrase`Run ${sync('status', '--check')}, which refreshes again. If that fails, run ${sync('login')}.`,
  };
}

function endedLogin(message: string): StoredLogin {
  return { state: 'ended', code: 'AUTH_EXPIRED', message, hint: phrase`Run ${sync('login')}.` };
}
