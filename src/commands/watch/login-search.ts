import { SyncError } from '../../base/errors.ts';
import { isLoginFailure } from '../../watch/send/circuit-breaker.ts';
import type { Watcher } from '../../watch/watcher.ts';
import type { WatcherOptions } from '../../watch/parts.ts';
import { type WatchLogin, type WatchSetup, isFailure, nextLogin } from './login.ts';

/** Pause before a login that could not be read is tried again (ms). */
const SEARCH_RETRY_MS = 10_000;

interface SearchingRound {
  readonly signal: AbortSignal;
  readonly watcher: Pick<Watcher, 'breaker' | 'deliveryFailed' | 'leave'>;
  /** Reports a failure that may pass, once for each message. */
  readonly onProblem: (message: string) => void;
}

type SearchState =
  | { readonly state: 'idle' }
  | { readonly state: 'running' }
  /** It failed for now: the same marker is tried again only after `retryAt` (monotonic clock, ms). */
  | {
      readonly state: 'failed';
      readonly marker: string;
      readonly message: string;
      readonly retryAt: number;
    }
  | { readonly state: 'found'; readonly login: WatchLogin };

/** Searches for the next login, while the current one does not work, or lost its ledger. */
export class LoginSearch {
  readonly #login: WatchLogin;
  readonly #scope: WatcherOptions;
  readonly #setup: WatchSetup;
  readonly #round: SearchingRound;
  #state: SearchState = { state: 'idle' };
  #marker: string;

  constructor(login: WatchLogin, scope: WatcherOptions, setup: WatchSetup, round: SearchingRound) {
    this.#login = login;
    this.#scope = scope;
    this.#setup = setup;
    this.#round = round;
    this.#marker = login.marker;
  }

  /** The login to continue with; undefined: there is none yet. */
  get found(): WatchLogin | undefined {
    return this.#state.state === 'found' ? this.#state.login : undefined;
  }

  get isDue(): boolean {
    const { breaker } = this.#round.watcher;
    const { loginCanChange, loginMarker, context } = this.#setup;
    const state = this.#state;
    if (state.state === 'running' || state.state === 'found') return false;
    if (this.#login.opened.ledger.database.isReplaced()) {
      return state.state === 'idle' || context.clock.monotonic() >= state.retryAt;
    }
    // Only a search finds out whether the service answers again.
    if (!this.#login.opened.delivers && breaker.waitMs === 0) return true;
    if (!loginCanChange || breaker.state.state === 'closed') return false;
    const marker = loginMarker();
    if (marker === this.#marker) return false;
    if (state.state !== 'failed' || marker !== state.marker) return true;
    return context.clock.monotonic() >= state.retryAt;
  }

  /** Reads the login that is stored now, and keeps it if it can be used. */
  async run(): Promise<void> {
    const { clock } = this.#setup.context;
    const { signal, watcher, onProblem } = this.#round;
    const before = this.#state;
    const marker = this.#setup.loginMarker();
    this.#state = { state: 'running' };
    try {
      const found = await nextLogin(this.#login, this.#scope, this.#setup);
      if (isFailure(found)) {
        this.#state = { state: 'idle' };
        this.#marker = marker;
        watcher.deliveryFailed(found, Infinity);
      } else {
        this.#state = { state: 'found', login: found };
        watcher.leave();
      }
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const { message } = error;
      const retryAt = clock.monotonic() + SEARCH_RETRY_MS;
      this.#state = { state: 'failed', marker, message, retryAt };
      if (signal.aborted) return;
      if (isLoginFailure(error.code)) this.#marker = marker;
      else if (before.state !== 'failed' || message !== before.message) onProblem(message);
      watcher.deliveryFailed(error);
    }
  }

  /** Closes a login that was found too late to be used. */
  async closeUnused(): Promise<void> {
    const { found } = this;
    if (found === undefined) return;
    if (found.locks !== this.#login.locks) found.locks.release();
    await found.opened.close();
  }
}
