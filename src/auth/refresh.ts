import type { Http } from '../api/http.ts';
import type { RetryPolicy } from '../api/retry.ts';
import { deliveryOf } from '../api/http-failure.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Clock } from '../base/time.ts';
import { NEVER } from '../base/tasks.ts';
import type { Credentials, PreparedSave, SessionStore } from '../credentials/store.ts';
import { refreshTokens } from './token-endpoint.ts';
import type { NewTokens } from './token-response.ts';

/**
 * Grace period for a refresh in flight when the program stops (ms). If the service rotates refresh
 * tokens, an unread answer is a lost login.
 */
const STOP_GRACE_MS = 2_900;

/** Attempts to save refreshed tokens, at least, and the pause between them (ms). */
const SAVE_ATTEMPTS = 3;
const SAVE_PAUSE_MS = 300;
/** Time limit for saving tokens that replaced the stored ones (ms): other processes wait. */
const SAVE_LIMIT_MS = 60_000;
/** Time limit for recording the outcome of a refresh, if no token depends on it (ms). */
const NOTE_LIMIT_MS = 3_000;

export interface RefreshOptions {
  readonly http: Http;
  readonly tokenUrl: URL;
  readonly store: SessionStore;
  /** Returns the client secret to send with a login's tokens, as `secretFor` does. */
  readonly secretOf: (login: Credentials) => Secret | undefined;
  /** As `retry` of an {@link Endpoint}. */
  readonly retry?: RetryPolicy;
}

/** Refreshed tokens that the store did not take. The service may have ended the stored ones. */
export interface Unsaved {
  readonly kind: 'unsaved';
  readonly credentials: Credentials;
  /** The stored refresh token, which they replace. */
  readonly replaced: Secret;
  readonly error: unknown;
}

export type RefreshOutcome =
  | { readonly kind: 'saved'; readonly credentials: Credentials }
  | Unsaved
  /** `invalid_grant`: the service no longer accepts the refresh token. */
  | { readonly kind: 'refused'; readonly error: SyncError };

/**
 * Refreshes a login, in an order that never costs a login:
 *
 * 1. Prove that new tokens can be saved. Record in the store that a refresh began.
 * 2. Send the refresh token. The service may end it now.
 * 3. Save the new tokens. Only then may they be used.
 *
 * The caller holds the login lock, and has read `before` under it.
 *
 * @throws SyncError if there are no new tokens; the stored ones stay in use.
 */
export async function refreshLogin(
  context: Context,
  options: RefreshOptions,
  before: Credentials,
  refreshToken: Secret,
): Promise<RefreshOutcome> {
  const { clock, signal: stop } = context;
  const { http, tokenUrl, store, secretOf, retry } = options;
  const prepared = await prepareSave(context, store, before);
  // From here until the new tokens are saved, Ctrl-C waits.
  const grace = gracePeriod(stop, clock);
  try {
    let tokens: NewTokens;
    try {
      stop.throwIfAborted();
      tokens = await refreshTokens(
        { ...context, signal: grace.signal },
        { http, url: tokenUrl, retry },
        {
          client: { id: before.clientId, secret: secretOf(before) },
          refreshToken,
          before: before.tokens,
        },
      );
    } catch (error) {
      if (error instanceof SyncError && error.code === 'AUTH_EXPIRED') {
        return { kind: 'refused', error };
      }
      // If the service may have acted, `refreshStartedAt` stays in the store, as after a crash.
      if (!grace.signal.aborted && !isFateUnknown(error)) await note(store, before);
      throw error;
    }
    const credentials = { ...before, refreshStartedAt: undefined, tokens };
    return await saveRefreshed(context, store, credentials, refreshToken, prepared);
  } finally {
    grace.end();
    prepared.discard();
  }
}

async function prepareSave(
  { clock, signal }: Context,
  store: SessionStore,
  before: Credentials,
): Promise<PreparedSave> {
  try {
    const refreshStartedAt = before.refreshStartedAt ?? clock.now();
    return await store.prepareSave({ ...before, refreshStartedAt }, signal);
  } catch (error) {
    const isOther = !(error instanceof SyncError) || ['INTERRUPTED', 'CONFIG'].includes(error.code);
    if (isOther) throw error;
    throw error.with({
      message: `The login was not refreshed, because its new tokens could not be saved. ${error.message}`,
    });
  }
}

/**
 * Saves refreshed tokens, with several attempts. If they replaced the refresh token, it keeps
 * trying for a minute: the stored one has probably ended.
 */
export async function saveRefreshed(
  { clock }: Context,
  store: SessionStore,
  credentials: Credentials,
  replaced: Secret,
  prepared?: PreparedSave,
): Promise<Exclude<RefreshOutcome, { kind: 'refused' }>> {
  const began = clock.monotonic();
  const rotated = isRotated(credentials, replaced);
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt === 1 && prepared !== undefined) await prepared.commit(credentials);
      else await store.save(credentials, NEVER);
      return { kind: 'saved', credentials };
    } catch (error) {
      const inTime = clock.monotonic() - began < SAVE_LIMIT_MS;
      if (!inTime || (!rotated && attempt >= SAVE_ATTEMPTS)) {
        return { kind: 'unsaved', credentials, replaced, error: notSaved(error) };
      }
      await clock.sleep(SAVE_PAUSE_MS);
    }
  }
}

/** Returns whether refreshed tokens hold another refresh token than the one they replace. */
export function isRotated({ tokens }: Credentials, replaced: Secret): boolean {
  return tokens.refreshToken?.equals(replaced) !== true;
}

export async function recordEndedLogin(
  { clock }: Context,
  store: SessionStore,
  login: Credentials,
): Promise<void> {
  await note(store, { ...login, refreshStartedAt: undefined, endedAt: clock.now() });
}

/** Records the outcome of a refresh in the store. If that fails, the next process repeats it. */
async function note(store: SessionStore, credentials: Credentials): Promise<void> {
  try {
    await store.save(credentials, AbortSignal.timeout(NOTE_LIMIT_MS));
  } catch {
    // The stored tokens did not change.
  }
}

/** Without new tokens: may the service have replaced the old ones nevertheless? */
function isFateUnknown(error: unknown): boolean {
  if (!(error instanceof SyncError)) return false;
  const { status } = error.details;
  switch (error.code) {
    case 'NETWORK':
    case 'SERVICE_UNAVAILABLE':
      // With a 503 the service itself states that it did nothing.
      return status !== 503 && deliveryOf(error) === 'unknown';
    case 'SERVICE_ANSWER':
      return typeof status !== 'number' || status < 300;
    default:
      return false;
  }
}

/** Returns a signal that follows `stop` after {@link STOP_GRACE_MS}. */
function gracePeriod(stop: AbortSignal, clock: Clock): { signal: AbortSignal; end(): void } {
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

function notSaved(error: unknown): unknown {
  if (!(error instanceof SyncError)) return error;
  // The session warns at its end that the old tokens may no longer work.
  return error.with({ message: `The refreshed login could not be stored. ${error.message}` });
}
