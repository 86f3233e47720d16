import { whoAmI } from '../api/account.ts';
import type { Http } from '../api/http.ts';
import { NO_TRIES, notTakenNow } from '../api/refusal.ts';
import { RETRIES } from '../api/retry.ts';
import type { TokenSource } from '../api/token-source.ts';
import type { Context } from '../base/context.ts';
import { SyncError, isTemporary } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import { NEVER, unlessAborted } from '../base/tasks.ts';
import {
  type Config,
  accountUrls,
  requireBaseUrl,
  hasEnvironmentTokens,
} from '../config/config.ts';
import { endpointUrl, serviceId } from '../config/endpoints.ts';
import { environmentStore } from '../credentials/environment.ts';
import { type StoreOptions, openLoginStore, secretFor } from '../credentials/open-store.ts';
import type { Credentials } from '../credentials/store.ts';
import { endedAt, loginEnded, loginHint, notLoggedIn } from './login-errors.ts';
import { withLoginLock } from './login-lock.ts';
import {
  type RefreshOptions,
  type Unsaved,
  isRotated,
  recordEndedLogin,
  refreshLogin,
  saveRefreshed,
} from './refresh.ts';

/** A token is refreshed this long before it expires (ms), or within a share of a short lifetime. */
const EXPIRY_SKEW_MS = 60_000;
const EXPIRY_SKEW_SHARE = 0.1;

export interface SessionOptions extends RefreshOptions {
  readonly stateDir: string;
  /** The service to talk to, as {@link Credentials.service}. */
  readonly service: string;
  readonly profile: string;
  /** The profiles that the configuration knows; absent: there is no configuration. */
  readonly profiles?: readonly string[] | undefined;
  /** The athlete of the ledger that this run uses; a login of another one is refused. */
  readonly accountId: string | undefined;
  /** The random ID of a login, if its athlete was unknown when it was made. */
  readonly loginId?: string | undefined;
  /** The ledger of this run, if the platform does not name the athlete. */
  readonly unnamed?: string | undefined;
  readonly attended?: boolean | undefined;
  /** Where to ask if the service takes a token; absent: only `invalid_grant` ends a login. */
  readonly account?: ReturnType<typeof accountUrls> | undefined;
}

/**
 * Opens the login of this profile: from the environment if it has tokens, else from the configured
 * store. Reads nothing until a token is asked for.
 *
 * @throws SyncError `CONFIG` if the base URL is missing.
 */
export function openSession(
  context: Context,
  config: Config,
  options: StoreOptions & { readonly http: Http },
): Session {
  const baseUrl = requireBaseUrl(config);
  return new Session(context, {
    profile: config.profile,
    profiles: config.profiles,
    stateDir: config.paths.stateDir,
    http: options.http,
    store: hasEnvironmentTokens(config)
      ? environmentStore(context, config)
      : openLoginStore(config, options),
    service: serviceId(baseUrl),
    tokenUrl: endpointUrl(baseUrl, config.endpoints.token),
    accountId: config.account?.id,
    loginId: config.loginId,
    unnamed: config.unnamedLedger,
    secretOf: (login) => secretFor(login, config),
    attended: options.attended,
    account: hasEnvironmentTokens(config) ? undefined : accountUrls(config),
  });
}

type State =
  /** Nothing yet, or nothing that is not stale. */
  | { readonly name: 'unread' }
  /** Read from the store, or refreshed and saved. */
  | { readonly name: 'usable'; readonly credentials: Credentials }
  /** Refreshed, but not saved: saved again before anything uses the tokens. */
  | { readonly name: 'unsaved'; readonly unsaved: Unsaved };

/** Does a caller need newer tokens than these? */
type IsStale = (credentials: Credentials) => boolean;

/**
 * A login in use: the one place that reads, refreshes and replaces stored tokens.
 *
 * Only one process of this machine refreshes at a time. Under the login lock it reads the store
 * again, and uses the tokens that another process saved. Otherwise it refreshes, saves the new
 * tokens, and only then uses them. See {@link refreshLogin}.
 *
 * A login ends only if the service answers `invalid_grant`, or 401 to a token that no refresh replaces, and the
 * store holds nothing newer. That end is recorded in the store until the next login.
 */
export class Session implements TokenSource {
  readonly #closing = new AbortController();
  /** Its signal is aborted when the session closes. */
  readonly #context: Context;
  readonly #options: SessionOptions;
  #state: State = { name: 'unread' };
  /** The newest login that was read, usable or not. */
  #lastRead: Credentials | undefined;
  /** The read or refresh in flight. All callers share it; aborting one of them does not stop it. */
  #task: Promise<Credentials> | undefined;

  constructor(context: Context, options: SessionOptions) {
    this.#context = { ...context, signal: this.#closing.signal };
    this.#options = options;
  }

  async accessToken(signal: AbortSignal, refused?: Secret): Promise<Secret> {
    if (refused !== undefined) await this.#forget(refused, signal);
    try {
      return tokenOf(await this.#obtain(this.#isDue, signal));
    } catch (error) {
      // A token that is due but has not expired still works, if a new one cannot be had now.
      const last = this.#lastRead;
      if (
        last === undefined ||
        this.#isExpired(last) ||
        !(error instanceof SyncError && (isTemporary(error.code) || error.code === 'AUTH_REFUSED'))
      )
        throw error;
      return tokenOf(last);
    }
  }

  async replace(rejected: Secret, signal: AbortSignal): Promise<Secret> {
    const isStale = (credentials: Credentials) =>
      this.#isDue(credentials) || tokenOf(credentials).equals(rejected);
    const token = tokenOf(await this.#obtain(isStale, signal));
    if (token.equals(rejected)) throw loginEnded(this.#options.store);
    return token;
  }

  /** Forgets a token in memory, and waits until no other process refreshes: the next token is read from the store. */
  async #forget(token: Secret, signal: AbortSignal): Promise<void> {
    const { profile, stateDir, store } = this.#options;
    if (store.kind === 'environment') return;
    if (this.#state.name === 'usable') {
      if (!tokenOf(this.#state.credentials).equals(token)) return;
      this.#state = { name: 'unread' };
    }
    const context = { ...this.#context, signal };
    await withLoginLock(context, { stateDir, profile }, () => Promise.resolve());
  }

  async scopes(signal: AbortSignal): Promise<readonly string[] | undefined> {
    return (this.#lastRead ?? (await this.#load(signal))).tokens.scopes;
  }

  /** Returns the stored login without a request. @throws SyncError as {@link TokenSource}. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    return this.#state.name === 'usable' ? this.#state.credentials : await this.#load(signal);
  }

  /**
   * Stops, without interrupting a refresh halfway, and warns of tokens that were never saved: another
   * failure of the run may hide the one of the refresh.
   */
  async close(): Promise<void> {
    this.#closing.abort(new SyncError('INTERRUPTED', 'The session was closed.'));
    await this.#task?.catch(() => undefined);
    if (this.#state.name !== 'unsaved') return;
    const { credentials, replaced } = this.#state.unsaved;
    this.#state = { name: 'unread' };
    if (isRotated(credentials, replaced)) this.#context.warn(LOGIN_AT_RISK);
  }

  /**
   * Returns a login that is not stale: the one in memory, a stored one, or a refreshed one. Tokens
   * that the service just issued are not stale, however short their lifetime.
   */
  async #obtain(isStale: IsStale, signal: AbortSignal): Promise<Credentials> {
    for (;;) {
      signal.throwIfAborted();
      this.#context.signal.throwIfAborted();
      if (this.#state.name === 'usable' && !isStale(this.#state.credentials)) {
        return this.#state.credentials;
      }
      const joined = this.#task;
      const result = await unlessAborted(joined ?? this.#beginTask(isStale), signal);
      // The caller who began a joined task may have accepted an older login.
      if (joined === undefined || !isStale(result)) return result;
    }
  }

  #beginTask(isStale: IsStale): Promise<Credentials> {
    const task = this.#readOrRefresh(isStale).finally(() => {
      this.#task = undefined;
    });
    this.#task = task;
    // Its callers may all be aborted: then no one else handles a failure.
    task.catch(() => undefined);
    return task;
  }

  async #readOrRefresh(isStale: IsStale): Promise<Credentials> {
    const { profile, stateDir, store } = this.#options;
    if (this.#state.name === 'usable') this.#state = { name: 'unread' };
    let credentials = await this.#loadLive();
    if (isStale(credentials) || this.#state.name === 'unsaved') {
      const refresh = () => this.#refreshUnderLock(isStale);
      // Tokens from the environment belong to this process alone.
      credentials =
        store.kind === 'environment'
          ? await refresh()
          : await withLoginLock(this.#context, { stateDir, profile }, refresh);
    }
    this.#state = { name: 'usable', credentials };
    return credentials;
  }

  async #refreshUnderLock(isStale: IsStale): Promise<Credentials> {
    // Another process may have refreshed while this one waited for the lock.
    let current = await this.#loadLive();
    if (this.#state.name === 'unsaved') {
      const { credentials, replaced } = this.#state.unsaved;
      this.#state = { name: 'unread' };
      if (current.tokens.refreshToken?.equals(replaced) === true) {
        const { store } = this.#options;
        const outcome = await saveRefreshed(this.#context, store, credentials, replaced);
        if (outcome.kind === 'unsaved') throw this.#keepUnsaved(outcome);
        current = credentials;
      }
    }
    return isStale(current) ? await this.#refresh(current, isStale) : current;
  }

  async #refresh(before: Credentials, isStale: IsStale): Promise<Credentials> {
    const { refreshToken } = before.tokens;
    if (refreshToken === undefined) throw await this.#endIfRejected(before);
    const outcome = await refreshLogin(this.#context, this.#options, before, refreshToken);
    switch (outcome.kind) {
      case 'saved': {
        const { credentials } = outcome;
        const isNew = before.tokens.accessToken?.equals(tokenOf(credentials)) !== true;
        if (isNew || this.#isDue(before)) return credentials;
        throw await this.#endIfRejected(credentials);
      }
      case 'unsaved':
        throw this.#keepUnsaved(outcome);
      case 'refused':
        return await this.#newerLoginOrEnd(before, refreshToken, isStale, outcome.error);
    }
  }

  /**
   * Records that a login ended, unless the service still takes its token: some answer 401 on a route that they lack.
   *
   * @returns the error to throw
   */
  async #endIfRejected(login: Credentials): Promise<SyncError> {
    const { http, store, account } = this.#options;
    // Before it is due, a token is replaced only after a 401.
    if (account !== undefined && !this.#isDue(login)) {
      const asked = { ...account, http, policy: RETRIES.tokens, needsProof: true };
      const who = await whoAmI(this.#context, asked, tokenOf(login));
      if (who.kind === 'rejected') await recordEndedLogin(this.#context, store, login);
      else if (who.wasTaken) return notTakenNow(NO_TRIES, 'is accepted elsewhere');
    }
    return loginEnded(store);
  }

  /** @returns the error to throw */
  #keepUnsaved(unsaved: Unsaved): unknown {
    this.#state = { name: 'unsaved', unsaved };
    return unsaved.error;
  }

  /**
   * After `invalid_grant`: returns a newer login from the store, else records that this one ended.
   */
  async #newerLoginOrEnd(
    before: Credentials,
    refreshToken: Secret,
    isStale: IsStale,
    refusal: SyncError,
  ): Promise<Credentials> {
    const stored = await this.#load(NEVER);
    const isSame = stored.tokens.refreshToken?.equals(refreshToken) === true;
    if (!isSame && !isStale(stored)) return stored;
    const { store } = this.#options;
    await recordEndedLogin(this.#context, store, before);
    throw store.kind === 'environment' ? loginEnded(store, refusal) : refusal;
  }

  /** Loads a login of this service and this athlete. */
  async #load(signal: AbortSignal): Promise<Credentials> {
    const { store, profile, profiles = [profile], attended = false } = this.#options;
    const found = await store.load(signal);
    if (found === undefined) throw notLoggedIn(profile, profiles, loginHint(attended));
    if (store.kind !== 'environment') refuseForeign(found, this.#options);
    this.#lastRead = found;
    return found;
  }

  /** Loads a login that the service has not ended. */
  async #loadLive(): Promise<Credentials> {
    const { store } = this.#options;
    const found = await this.#load(this.#context.signal);
    if (found.endedAt === undefined) return found;
    throw store.kind === 'environment' ? loginEnded(store) : endedAt(found.endedAt);
  }

  readonly #isExpired = ({ tokens }: Credentials): boolean =>
    tokens.accessToken === undefined ||
    (tokens.accessExpiresAt !== undefined && this.#context.clock.now() >= tokens.accessExpiresAt);

  /** Has the access token expired, or will it soon? */
  readonly #isDue = (credentials: Credentials): boolean => {
    if (this.#isExpired(credentials)) return true;
    const { accessExpiresAt, obtainedAt } = credentials.tokens;
    if (accessExpiresAt === undefined) return false;
    const skew = Math.min(EXPIRY_SKEW_MS, (accessExpiresAt - obtainedAt) * EXPIRY_SKEW_SHARE);
    return this.#context.clock.now() >= accessExpiresAt - skew;
  };
}

const LOGIN_AT_RISK = phrase`The platform renewed the login, but the new tokens could not be stored. The old ones may no longer work: if the next command says that the login has ended, run ${sync('login')}.`;

function tokenOf({ tokens }: Credentials): Secret {
  if (tokens.accessToken === undefined) throw new Error('a login in use without an access token');
  return tokens.accessToken;
}

/** Refuses a login of another service, or of another athlete than the one this run began with. */
function refuseForeign(found: Credentials, options: SessionOptions): void {
  const { profile, service, accountId, loginId, unnamed } = options;
  if (found.service !== service) {
    throw new SyncError(
      'AUTH_REQUIRED',
      `The login of profile "${profile}" is for ${found.service}, not for ${service}.`,
      {
        hint: phrase`Run ${sync('login')} for this platform, or keep both: ${sync('login', '--profile', 'NAME')}.`,
        details: { service: found.service },
      },
    );
  }
  const sameLogin = loginId !== undefined && found.loginId === loginId;
  // Two logins of unknown athletes may be those of two athletes.
  const isUnknown = accountId === undefined && loginId !== undefined;
  const sameLedger = accountId !== undefined || found.unnamed === unnamed;
  const sameAthlete = found.accountId === accountId && sameLedger && !isUnknown;
  if (!sameLogin && !sameAthlete) {
    const wasNamed = accountId !== undefined || loginId !== undefined;
    throw new SyncError(
      'AUTH_REQUIRED',
      wasNamed
        ? `Another login replaced the login of profile "${profile}" during this command.`
        : `The configuration does not name the athlete of the login of profile "${profile}".`,
      { hint: phrase`Run the command again; if that does not help, run ${sync('login')}.` },
    );
  }
}
