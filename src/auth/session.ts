import { type GivenSecret, secretFor } from '../credentials/client-secret.ts';
import {
  type CredentialStore,
  type Credentials,
  type PreparedSave,
  loginBegan,
} from '../credentials/store.ts';
import { SyncError, isTemporary } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Http } from '../api/http.ts';
import { deliveryOf } from '../api/http-failure.ts';
import type { TokenSource } from '../api/client.ts';
import type { Clock } from '../base/time.ts';
import { recordAlive, recordEnd } from './login-ages.ts';
import { withLoginLock } from './login-lock.ts';
import { type SharedTask, shareTask } from './shared-task.ts';
import { refreshTokens } from './token-endpoint.ts';

/** A token is replaced this long before its time is up, in ms; a short-lived one later. */
const EXPIRY_SKEW_MS = 60_000;
const EXPIRY_SKEW_SHARE = 0.1;

/**
 * A refresh that is under way when the program is told to stop is given this long to be answered,
 * in ms: with a rotating token, an answer that is not awaited is a login lost.
 */
const STOP_GRACE_MS = 2_900;

/** How often at least to try to store what a refresh brought, and the pause between, in ms. */
const SAVE_ATTEMPTS = 3;
const SAVE_PAUSE_MS = 300;
/** How long to try if the old tokens have ended, in ms: others wait for the lock. */
const SAVE_LIMIT_MS = 60_000;
/** Time limit for recording how a refresh went, where no token depends on it (ms). */
const NOTE_LIMIT_MS = 3_000;

export interface SessionNeeds {
  readonly profile: string;
  readonly stateDir: string;
  readonly http: Http;
  readonly clock: Clock;
  readonly store: CredentialStore;
  /** The service that is going to be talked to, as {@link Credentials.service}. */
  readonly service: string;
  readonly tokenUrl: URL;
  /** The athlete for whom this program keeps its books; another one's tokens are not used. */
  readonly accountId: string | undefined;
  /** The login that it came to know the athlete by, or still has to. */
  readonly loginId?: string | undefined;
  /** Wins over the stored one, where it is for the same client: see {@link secretFor}. */
  readonly clientSecret: GivenSecret | undefined;
}

/** A login in use: the one place that reads, refreshes and replaces stored tokens. */
export interface Session extends TokenSource {
  /**
   * Begins to load the login, so that it is there when it is needed: while files are hashed. What
   * goes wrong is told when a token is asked for.
   */
  start(): void;
  /** The login as it is stored, without a request. @throws SyncError as {@link TokenSource}. */
  credentials(signal: AbortSignal): Promise<Credentials>;
  /** Stops what is under way, without breaking a refresh off in the middle. May be called twice. */
  close(): Promise<void>;
}

/**
 * Refreshes are done one at a time, over all processes of this machine: under the lock, the store is
 * read again, what another process fetched is used, else the tokens are refreshed and stored before
 * anything uses them. No refresh is sent unless its tokens can be saved, and the store records that
 * it began. Only `invalid_grant`, while the store holds nothing newer, ends a login; that is recorded
 * beside it, until the next login.
 */
export function createSession(needs: SessionNeeds): Session {
  const { store, clock, profile } = needs;
  const closing = new AbortController();
  let cached: Credentials | undefined;
  /** The newest login that was seen, good or not. */
  let seen: Credentials | undefined;
  let early:
    | { readonly found: Promise<Credentials | undefined>; cancel: (why: unknown) => void }
    | undefined;
  let task: SharedTask<Credentials> | undefined;
  /** Told by the service to be dead: not sent again by this process. */
  let dead: Secret | undefined;
  /** Tokens that could not be stored, and the refresh token that they took the place of. */
  let unsaved: { readonly credentials: Credentials; readonly replaced: Secret } | undefined;

  const isOver = ({ tokens }: Credentials) =>
    tokens.accessToken === undefined ||
    (tokens.accessExpiresAt !== undefined && clock.now() >= tokens.accessExpiresAt);

  const isDue = (credentials: Credentials) => {
    if (isOver(credentials)) return true;
    const { accessExpiresAt, obtainedAt } = credentials.tokens;
    if (accessExpiresAt === undefined) return false;
    const skew = Math.min(EXPIRY_SKEW_MS, (accessExpiresAt - obtainedAt) * EXPIRY_SKEW_SHARE);
    return clock.now() >= accessExpiresAt - skew;
  };

  /** A login that may be used for this service and this athlete. */
  async function load(signal: AbortSignal): Promise<Credentials> {
    const found = await (takeEarly(signal) ?? store.load(signal));
    if (found === undefined) throw notLoggedIn(profile);
    if (store.kind !== 'environment') refuseForeign(found, needs);
    seen = found;
    return found;
  }

  /** A login that the service has not ended. */
  async function loadLive(signal: AbortSignal): Promise<Credentials> {
    const found = await load(signal);
    if (found.endedAt !== undefined && store.kind !== 'environment') throw endedAt(found.endedAt);
    return found;
  }

  function takeEarly(signal: AbortSignal): Promise<Credentials | undefined> | undefined {
    if (early === undefined) return undefined;
    const { found, cancel } = early;
    early = undefined;
    const onAbort = () => cancel(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    return found.finally(() => signal.removeEventListener('abort', onAbort));
  }

  async function refresh(stop: AbortSignal, isStale: (c: Credentials) => boolean) {
    const before = await loadLive(stop);
    if (unsaved !== undefined) {
      const { credentials, replaced } = unsaved;
      unsaved = undefined;
      if (before.tokens.refreshToken?.equals(replaced) === true) {
        await save(credentials, replaced);
        if (!isStale(credentials)) return credentials;
        return await refreshFrom(credentials, stop, isStale);
      }
    }
    return isStale(before) ? await refreshFrom(before, stop, isStale) : before;
  }

  async function refreshFrom(
    before: Credentials,
    stop: AbortSignal,
    isStale: (c: Credentials) => boolean,
  ): Promise<Credentials> {
    const { refreshToken } = before.tokens;
    if (refreshToken === undefined || dead?.equals(refreshToken) === true) throw ended(store);
    const prepared = await prepareSave(before, stop);
    // From here until the answer is stored, Ctrl-C has to wait.
    const grace = graceAfter(stop, clock);
    let isAnswered = false;
    try {
      stop.throwIfAborted();
      const tokens = await refreshTokens(
        { http: needs.http, clock, url: needs.tokenUrl },
        {
          client: { id: before.clientId, secret: secretFor(before, needs.clientSecret) },
          refreshToken,
          before: before.tokens,
        },
        grace.signal,
      );
      isAnswered = true;
      const credentials = {
        ...before,
        loggedInAt: loginBegan(before),
        refreshStartedAt: undefined,
        tokens,
      };
      await save(credentials, refreshToken, prepared);
      recordAge((where) => recordAlive(where, needs.service, clock.now() - loginBegan(before)));
      return credentials;
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'AUTH_EXPIRED')) {
        // Without an answer, or with one that was not saved, the mark stays, as after a crash.
        if (!isAnswered && !grace.signal.aborted && !isFateUnknown(error)) await note(before);
        throw error;
      }
      const now = await load(NEVER);
      if (now.tokens.refreshToken?.equals(refreshToken) !== true && !isStale(now)) return now;
      dead = refreshToken;
      const end = { beganAt: loginBegan(before), endedAt: clock.now() };
      await note({ ...before, refreshStartedAt: undefined, endedAt: end.endedAt });
      recordAge((where) => recordEnd(where, needs.service, end));
      throw store.kind === 'environment' ? ended(store, error) : error;
    } finally {
      grace.end();
      prepared.discard();
    }
  }

  async function prepareSave(before: Credentials, stop: AbortSignal): Promise<PreparedSave> {
    try {
      const refreshStartedAt = before.refreshStartedAt ?? clock.now();
      return await store.prepareSave({ ...before, refreshStartedAt }, stop);
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      throw new SyncError(
        error.code,
        `The login was not refreshed, because its new tokens could not be saved. ${error.message}`,
        { hint: error.hint, cause: error, details: error.details },
      );
    }
  }

  /** Records how a refresh went. A record that fails is made by the next process that tries. */
  async function note(credentials: Credentials): Promise<void> {
    try {
      await store.save(credentials, AbortSignal.timeout(NOTE_LIMIT_MS));
    } catch {
      // The tokens in the store are as good, or as bad, as they were.
    }
  }

  /** A record that fails costs a warning before the end of a later login, and nothing else. */
  function recordAge(record: (stateDir: string) => void): void {
    if (store.kind === 'environment') return;
    try {
      record(needs.stateDir);
    } catch {
      // As above.
    }
  }

  async function save(
    credentials: Credentials,
    replaced: Secret,
    prepared?: PreparedSave,
  ): Promise<void> {
    const began = clock.monotonic();
    const isRotated = credentials.tokens.refreshToken?.equals(replaced) !== true;
    for (let attempt = 1; ; attempt++) {
      try {
        if (attempt === 1 && prepared !== undefined) await prepared.commit(credentials);
        else await store.save(credentials, NEVER);
        return;
      } catch (error) {
        const inTime = clock.monotonic() - began < SAVE_LIMIT_MS;
        if (inTime && (isRotated || attempt < SAVE_ATTEMPTS)) {
          await clock.sleep(SAVE_PAUSE_MS);
          continue;
        }
        unsaved = { credentials, replaced };
        throw notStored(error);
      }
    }
  }

  /**
   * A login that is not stale, by whatever way. A token that the service just gave is not stale,
   * however short it lives.
   */
  async function obtain(
    isStale: (c: Credentials) => boolean,
    signal: AbortSignal,
  ): Promise<Credentials> {
    for (;;) {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      if (cached !== undefined && !isStale(cached)) return cached;
      if (task?.stopping === true) await task.stop(undefined);
      const joined = task;
      const current = task ?? begin(isStale);
      const result = await current.join(signal);
      // Another caller began it, and may have wanted less.
      if (joined === undefined || !isStale(result)) return result;
    }
  }

  function begin(isStale: (c: Credentials) => boolean): SharedTask<Credentials> {
    const started: SharedTask<Credentials> = shareTask(async (stop) => {
      try {
        cached = undefined;
        const found = await loadLive(stop);
        if (isStale(found) || unsaved !== undefined) {
          cached = await (store.kind === 'environment'
            ? refresh(stop, isStale)
            : withLoginLock(needs, stop, () => refresh(stop, isStale)));
        } else {
          cached = found;
        }
        return cached;
      } finally {
        if (task === started) task = undefined;
      }
    });
    task = started;
    return started;
  }

  return {
    start() {
      if (cached !== undefined || early !== undefined || closing.signal.aborted) return;
      const stop = new AbortController();
      const found = store.load(AbortSignal.any([stop.signal, closing.signal]));
      found.catch(() => undefined);
      early = { found, cancel: (why) => stop.abort(why) };
    },
    async accessToken(signal) {
      try {
        return tokenOf(await obtain(isDue, signal));
      } catch (error) {
        // Due is not over: where a new one cannot be had now, the one there is serves.
        const canWait = error instanceof SyncError && isTemporary(error.code);
        if (seen === undefined || isOver(seen) || !canWait) throw error;
        return tokenOf(seen);
      }
    },
    async replace(rejected, signal) {
      const isStale = (credentials: Credentials) =>
        isDue(credentials) || tokenOf(credentials).equals(rejected);
      const token = tokenOf(await obtain(isStale, signal));
      if (token.equals(rejected)) throw ended(store);
      return token;
    },
    scopes: async (signal) => (seen ?? (await load(signal))).tokens.scopes,
    async credentials(signal) {
      return cached ?? (await load(signal));
    },
    async close() {
      closing.abort(new SyncError('INTERRUPTED', 'The session was closed.'));
      await task?.stop(closing.signal.reason);
    },
  };
}

const NEVER = new AbortController().signal;

function tokenOf({ tokens }: Credentials): Secret {
  if (tokens.accessToken === undefined) throw new Error('a login in use without an access token');
  return tokens.accessToken;
}

/** The service may have replaced the tokens, although no new ones came. */
function isFateUnknown(error: unknown): boolean {
  if (!(error instanceof SyncError)) return false;
  const { status } = error.details;
  switch (error.code) {
    case 'NETWORK':
    case 'SERVICE_UNAVAILABLE':
      // By a 503, the service itself says that it did nothing.
      return status !== 503 && deliveryOf(error) === 'unknown';
    case 'SERVICE_ANSWER':
      return typeof status !== 'number' || status < 300;
    default:
      return false;
  }
}

/** A signal that follows `stop` after {@link STOP_GRACE_MS}. */
function graceAfter(stop: AbortSignal, clock: Clock): { signal: AbortSignal; end(): void } {
  const late = new AbortController();
  const finished = new AbortController();
  const onStop = () => {
    clock.sleep(STOP_GRACE_MS, finished.signal).then(
      () => late.abort(stop.reason),
      () => undefined,
    );
  };
  stop.addEventListener('abort', onStop, { once: true });
  return {
    signal: late.signal,
    end() {
      stop.removeEventListener('abort', onStop);
      finished.abort();
    },
  };
}

/** The store failed when it mattered most: what it holds is no longer good. */
function notStored(error: unknown): unknown {
  if (!(error instanceof SyncError)) return error;
  return new SyncError(error.code, `The refreshed login could not be stored. ${error.message}`, {
    hint: 'If the next command says that the login has ended, run `sync login`.',
    cause: error,
    details: error.details,
  });
}

function refuseForeign(found: Credentials, needs: SessionNeeds): void {
  const { profile, service, accountId, loginId } = needs;
  if (found.service !== service) {
    throw new SyncError(
      'AUTH_REQUIRED',
      `The login of profile "${profile}" is for ${found.service}, not for ${service}.`,
      {
        hint: 'Run `sync login` for this service, or keep both: `sync login --profile NAME`.',
        details: { service: found.service },
      },
    );
  }
  const same = loginId !== undefined && found.loginId === loginId;
  // Two logins of which nobody knows whose they are may be two athletes'.
  const alike =
    found.accountId === accountId && !(accountId === undefined && loginId !== undefined);
  if (!same && !alike) {
    throw new SyncError(
      'AUTH_REQUIRED',
      `Somebody else logged in with profile "${profile}" in the meantime.`,
      { hint: 'Start the command again; if that does not help, run `sync login`.' },
    );
  }
}

function notLoggedIn(profile: string): SyncError {
  const flag = profile === 'default' ? '' : ` --profile ${profile}`;
  return new SyncError('AUTH_REQUIRED', `Nobody is logged in (profile "${profile}").`, {
    hint: `Run \`sync login${flag}\`. In CI, set SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN.`,
  });
}

/** @param at when the service said so; ms since 1970 */
export function endedAt(at: number): SyncError {
  const day = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return new SyncError('AUTH_EXPIRED', `The service ended this login (seen ${day} UTC).`, {
    hint: 'Run `sync login`.',
  });
}

function ended(store: CredentialStore, why?: SyncError): SyncError {
  const description = why?.details['description'];
  const because = typeof description === 'string' ? ` (${description})` : '';
  return store.kind === 'environment'
    ? new SyncError(
        'AUTH_EXPIRED',
        `The service no longer accepts the token from ${store.describe()}${because}.`,
        {
          hint: 'Set a new one; nothing is stored or refreshed for it.',
          cause: why,
          details: why?.details,
        },
      )
    : new SyncError('AUTH_EXPIRED', 'The login has ended.', { hint: 'Run `sync login`.' });
}
