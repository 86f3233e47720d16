import { existsSync } from 'node:fs';
import { SyncError, isAbort } from '../../base/errors.ts';
import { lockScope } from '../../daemon/registration.ts';
import { scopeOf } from '../../daemon/registry.ts';
import { DeviceMonitor } from '../../devices/monitor.ts';
import { checkDatabase } from '../../ledger/database.ts';
import type { DeviceAccess, WatchSignal, WatcherOptions } from '../../watch/parts.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { isLoginFailure } from '../../watch/send/circuit-breaker.ts';
import { Outbox } from '../../watch/send/outbox.ts';
import { notItsLogin } from '../../watch/send/refusal-backoff.ts';
import { Watcher } from '../../watch/watcher.ts';
import { Tally } from '../outcomes.ts';
import { LOGIN_ENDS_SOON_MS } from '../words/watchers.ts';
import { Announcer } from './announcer.ts';
import { type HealthFacts, HealthReporter, isoTime } from './health.ts';
import {
  type WatchLogin,
  type WatchSetup,
  asError,
  changedLogin,
  firstLogin,
  isFailure,
  markOf,
  nextLogin,
} from './login.ts';

/** Interval of checks of when the login ends (ms). */
const LOGIN_CHECK_MS = 12 * 3_600_000;
/** Pause before a login that could not be read is read again (ms). */
const SEARCH_RETRY_MS = 10_000;
/** Shortest interval of checks of the whole ledger (ms). */
const LEDGER_CHECK_MS = 10_000;
const REPLACED =
  'It was deleted or replaced. The watcher continues with the present file, or a new one. Nothing is doubled: the platform recognises recordings.';

/** What all logins of one process share. */
interface Shared {
  readonly health: HealthReporter;
  readonly announcer: Announcer;
  readonly devices: Omit<DeviceAccess, 'claim'> | undefined;
}

/**
 * Watches until the signal is aborted, with one login after another. The next login is opened and locked before the
 * watcher of the last one ends. It takes over the registration, the locks, the devices, the copies and the counts.
 *
 * @throws SyncError `BUSY` if another process watches one of the folders, `STORAGE`, `CONFIG`; a login
 *   failure only if no login can be stored (tokens from the environment)
 */
export async function superviseWatcher(options: WatcherOptions, setup: WatchSetup): Promise<void> {
  const { context, registration, ignoredDevices } = setup;
  const { clock, signal } = context;
  const health = new HealthReporter(registration, options, clock);
  const tally = new Tally('recording');
  let days = setup.wellness ? 0 : undefined;
  const announcer = new Announcer(context, (notice) => {
    if (notice.event === 'upload') tally.add(notice.item);
    if (notice.event === 'day' && notice.item.outcome === 'pushed') days = (days ?? 0) + 1;
    setup.report(notice, health.waiting);
  });
  let monitor: DeviceMonitor | undefined;
  try {
    let login: WatchLogin | undefined = await firstLogin(options, setup);
    announcer.announce({ event: 'started', ...scopeOf(options) });
    if (setup.monitor !== undefined) monitor = await DeviceMonitor.start(context, setup.monitor);
    // With what the watcher before this one knew of absent devices.
    const away = new Map(registration.earlierAway.map((device) => [device.key, device]));
    const devices = monitor && { source: monitor, away, ignoredDevices };
    while (login !== undefined) {
      login = await new SupervisedWatcher(options, setup, login, {
        health,
        announcer,
        devices,
      }).run();
    }
  } catch (error) {
    if (!signal.aborted || !isAbort(error)) throw error;
  } finally {
    monitor?.close();
  }
  const { uploaded, duplicate, rejected } = tally.counts;
  const { waiting: queued, incomplete } = health;
  const counts = {
    ...{ uploaded, duplicate, rejected, queued },
    ...(days === undefined ? {} : { days }),
    ...(incomplete === 0 ? {} : { incomplete }),
  };
  setup.report({ event: 'stopped', ...counts }, queued);
}

/** The watcher of one login, which it owns: {@link SupervisedWatcher.run} closes it. */
class SupervisedWatcher {
  readonly #options: WatcherOptions;
  readonly #setup: WatchSetup;
  readonly #login: WatchLogin;
  readonly #shared: Shared;
  readonly #outbox: Outbox;
  readonly #watcher: Watcher;
  #loginCheckedAt = -Infinity;
  /** The login to continue with. */
  #next: WatchLogin | undefined;
  #isSearching = false;
  /** Of the login that was read last. */
  #marker: string;
  /** Of the login that was checked last. */
  #checkedMarker: string;
  /** Time of the next login search, if there is a login (monotonic clock, ms). */
  #searchAgainAt = -Infinity;
  /** Why no login could be read; reported once. */
  #searchProblem: string | undefined;
  #ledgerProblem: string | undefined;
  /** The state of the ledger's file at the last check, and when the next one may be (monotonic clock, ms). */
  #checkedLedger: string | undefined;
  #ledgerCheckAt = -Infinity;

  constructor(options: WatcherOptions, setup: WatchSetup, login: WatchLogin, shared: Shared) {
    const { stateDir, profile, context } = setup;
    const { opened, marker } = login;
    const { devices } = shared;
    const owner = { stateDir, profile, account: opened.account };
    this.#options = options;
    this.#setup = setup;
    this.#login = login;
    this.#shared = shared;
    this.#marker = marker;
    this.#checkedMarker = marker;
    this.#outbox = new Outbox(stateDir, opened.account, opened.ledger.mark);
    this.#watcher = new Watcher(context, options, {
      ...setup,
      ...opened,
      client: async () => {
        await this.#checkOwner();
        return await opened.client();
      },
      outbox: this.#outbox,
      deviceAccess: devices && {
        ...devices,
        claim: (folders, signal) => lockScope({ ...context, signal }, owner, { folders }),
      },
      report: (notice) => this.#onNotice(notice),
      onSignal: (signal) => this.#onSignal(signal),
    });
  }

  /** @returns the login to continue with; undefined after the signal was aborted */
  async run(): Promise<WatchLogin | undefined> {
    const { opened, why, locks } = this.#login;
    const { health, announcer } = this.#shared;
    let next: WatchLogin | undefined;
    try {
      const { account } = opened;
      health.note({ account, ledger: undefined, refreshEndsAt: undefined });
      if (why !== undefined) this.#watcher.breaker.failed(why);
      else if (announcer.loginNeeded) await this.#tryLogin();
      this.#updateHealth(true);
      await this.#watcher.run();
      if (!this.#setup.context.signal.aborted) next = this.#next;
      return next;
    } finally {
      this.#updateHealth(true);
      if (next === undefined && this.#next !== undefined) await discard(this.#next, locks);
      if (next?.locks !== locks) locks.release();
      await opened.close();
    }
  }

  #onNotice(notice: WatchNotice): void {
    const { loginCanChange, context } = this.#setup;
    if (notice.event === 'login-needed' && !loginCanChange) this.#watcher.fail(asError(notice));
    this.#shared.health.note(errorFact(notice, context.clock.now()));
    this.#updateHealth(true);
    this.#shared.announcer.announce(notice);
  }

  #onSignal(signal: WatchSignal): void {
    if (signal === 'changed') {
      this.#updateHealth(false);
      return;
    }
    if (signal === 'alive') {
      this.#setup.onAlive?.();
      return;
    }
    // Requests beside the watcher end with it, before the next one reports its health.
    if (this.#mustCheckLogin()) this.#watcher.beside((end) => this.#checkLogin(end));
    this.#checkLedger();
    if (this.#mustSearch()) this.#watcher.beside((end) => this.#search(end));
    // What an earlier update held back.
    this.#setup.registration.writeHealth(false);
  }

  /** Returns whether there may be another login that works, or the ledger of this one was replaced. */
  #mustSearch(): boolean {
    const { context, loginCanChange, loginMarker } = this.#setup;
    const { delivers, ledger } = this.#login.opened;
    const { breaker } = this.#watcher;
    if (this.#isSearching || this.#next !== undefined) return false;
    // Only a search finds out whether the service answers again.
    if (!delivers && breaker.waitMs === 0) return true;
    if (context.clock.monotonic() < this.#searchAgainAt) return false;
    if (ledger.database.isReplaced()) return true;
    return loginCanChange && breaker.state.state !== 'closed' && loginMarker() !== this.#marker;
  }

  /** Opens and locks the login that is stored now. If it can be used, the watcher makes room for it. */
  async #search(end: AbortSignal): Promise<void> {
    const marker = this.#setup.loginMarker();
    this.#isSearching = true;
    try {
      const found = await nextLogin(this.#login, this.#options, this.#setup);
      this.#searchProblem = undefined;
      if (isFailure(found)) {
        this.#marker = marker;
        this.#watcher.breaker.failed(found, Infinity);
      } else {
        this.#next = found;
        this.#watcher.leave();
      }
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      if (end.aborted) return;
      const { code, message } = error;
      this.#searchAgainAt = this.#setup.context.clock.monotonic() + SEARCH_RETRY_MS;
      if (isLoginFailure(code)) this.#marker = marker;
      else if (message !== this.#searchProblem) {
        this.#shared.announcer.announce({ event: 'problem', message });
      }
      this.#searchProblem = message;
      this.#watcher.breaker.failed(error);
    } finally {
      this.#isSearching = false;
    }
  }

  /** Reports a ledger that was deleted or replaced, which a search then reopens, or damaged. */
  #checkLedger(): void {
    const { path, database } = this.#login.opened.ledger;
    const replaced = database.isReplaced() ? `${path}: ${REPLACED}` : undefined;
    const problem = existsSync(path) ? (this.#damage(path) ?? replaced) : replaced;
    if (problem === this.#ledgerProblem) return;
    this.#ledgerProblem = problem;
    this.#shared.health.note({ ledger: problem });
    if (problem === undefined) this.#updateHealth(true);
    else this.#onNotice({ event: 'problem', message: problem });
  }

  /** Returns how the ledger is damaged. Reads it again only after a change. */
  #damage(path: string): string | undefined {
    const state = markOf(path);
    const now = this.#setup.context.clock.monotonic();
    if (state === this.#checkedLedger || now < this.#ledgerCheckAt) return this.#ledgerProblem;
    this.#checkedLedger = state;
    this.#ledgerCheckAt = now + LEDGER_CHECK_MS;
    try {
      checkDatabase(path);
      return undefined;
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      return `${error.message}. ${String(error.hint)}`;
    }
  }

  #updateHealth(force: boolean): void {
    this.#shared.health.update(this.#watcher, this.#outbox.all.length, force);
  }

  /** Uses the login once, since an earlier watcher lost its login. */
  async #tryLogin(): Promise<void> {
    try {
      await this.#login.opened.useLogin(this.#setup.context.signal);
      this.#shared.announcer.loginWorks();
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const failure = notItsLogin(error);
      if (isLoginFailure(failure.code)) this.#watcher.breaker.failed(failure);
    }
  }

  #mustCheckLogin(): boolean {
    const passedMs = Math.abs(this.#setup.context.clock.now() - this.#loginCheckedAt);
    const isInUse = this.#watcher.breaker.state.state !== 'login-needed';
    const isDue = passedMs >= LOGIN_CHECK_MS || this.#mayBeAnother();
    return isDue && this.#login.opened.delivers && isInUse;
  }

  /** Returns whether the user may have logged in or out since the last check. */
  #mayBeAnother(): boolean {
    const { loginCanChange, loginMarker } = this.#setup;
    return loginCanChange && loginMarker() !== this.#checkedMarker;
  }

  /** Checks that the stored login is still of this watcher's athlete. @throws SyncError if it is not */
  async #checkOwner(): Promise<void> {
    if (!this.#mayBeAnother()) return;
    const marker = this.#setup.loginMarker();
    const why = await changedLogin(this.#login, this.#setup);
    if (why === undefined) {
      this.#checkedMarker = marker;
      return;
    }
    this.#watcher.breaker.failed(why, Infinity);
    throw asError(why);
  }

  /** Checks the owner of the login, and when it ends. Warns if that is soon. */
  async #checkLogin(end: AbortSignal): Promise<void> {
    const { clock } = this.#setup.context;
    const { health, announcer } = this.#shared;
    this.#loginCheckedAt = clock.now();
    try {
      await this.#checkOwner();
      const endsAt = await this.#renewedEnd(end);
      if (endsAt === undefined) return;
      health.note({ refreshEndsAt: isoTime(endsAt) });
      announcer.lasts(endsAt - clock.now(), isoTime(endsAt));
      this.#updateHealth(true);
    } catch (error) {
      if (end.aborted || !(error instanceof SyncError)) return;
      // A locked keychain or an outage is reported when there is something to send.
      if (isLoginFailure(error.code)) this.#watcher.breaker.failed(error);
    }
  }

  /** Returns when the login ends. A login that ends soon is used once: that may renew it. */
  async #renewedEnd(end: AbortSignal): Promise<number | undefined> {
    const { context, loginCanChange } = this.#setup;
    const { opened } = this.#login;
    const endsAt = await opened.loginEndsAt(end);
    const isShort = endsAt !== undefined && endsAt - context.clock.now() < LOGIN_ENDS_SOON_MS;
    if (!isShort || this.#shared.announcer.loginNeeded || !loginCanChange) return endsAt;
    await opened.useLogin(end);
    return await opened.loginEndsAt(end);
  }
}

/** Closes a login that was found too late to be used. */
async function discard({ opened, locks }: WatchLogin, kept: WatchLogin['locks']): Promise<void> {
  if (locks !== kept) locks.release();
  await opened.close();
}

function errorFact(notice: WatchNotice, now: number): HealthFacts {
  switch (notice.event) {
    case 'obstacle':
    case 'login-needed':
    case 'days-waiting':
    case 'problem': {
      const { message } = notice;
      const of = 'path' in notice ? `${notice.path}: ` : '';
      return { lastError: { at: isoTime(now), message: `${of}${message}` } };
    }
    default:
      return {};
  }
}
