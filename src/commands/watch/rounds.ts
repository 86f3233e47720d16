import { existsSync } from 'node:fs';
import { type ErrorCode, SyncError, isAbort } from '../../base/errors.ts';
import { Tasks } from '../../base/tasks.ts';
import { lockScope } from '../../daemon/registration.ts';
import { DeviceMonitor } from '../../devices/monitor.ts';
import { Tally } from '../../app/outcomes.ts';
import { checkDatabase } from '../../ledger/database.ts';
import { isLoginFailure } from '../../watch/send/circuit-breaker.ts';
import type { DeviceAccess, WatchSignal, WatcherOptions } from '../../watch/parts.ts';
import { Outbox } from '../../watch/send/outbox.ts';
import { notItsLogin } from '../../watch/send/refusal-backoff.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { Watcher } from '../../watch/watcher.ts';
import { LOGIN_ENDS_SOON_MS } from '../../app/words/watchers.ts';
import { Announcer } from './announcer.ts';
import { type HealthFacts, HealthReporter, isoTime } from './health.ts';
import { type WatchLogin, type WatchSetup, asError, markOf } from './login.ts';
import { LoginSearch } from './login-search.ts';

/** Interval of checks of when the login ends (ms). */
const LOGIN_CHECK_MS = 12 * 3_600_000;

/**
 * Watches until the signal is aborted. Each round has one login; the next round begins when the user
 * logs in again.
 *
 * @throws SyncError `BUSY` if another process watches one of the folders, `STORAGE`, `CONFIG`; a login
 *   failure only if no login can be stored (tokens from the environment)
 */
export async function runWatch(options: WatcherOptions, setup: WatchSetup): Promise<void> {
  const { clock, signal } = setup.context;
  const health = new HealthReporter(setup.registration, options, clock);
  const tally = new Tally('recording');
  let days = setup.wellness ? 0 : undefined;
  const announcer = new Announcer(setup.context, (notice) => {
    if (notice.event === 'upload') tally.add(notice.item);
    if (notice.event === 'day' && notice.item.outcome === 'pushed') days = (days ?? 0) + 1;
    setup.report(notice, health.waiting);
  });
  let monitor: DeviceMonitor | undefined;
  try {
    let login: WatchLogin | undefined = await firstLogin(options, setup);
    announcer.started(options);
    if (setup.monitor !== undefined) {
      monitor = await DeviceMonitor.start(setup.context, setup.monitor);
    }
    const devices = monitor && devicesOf(monitor, setup);
    while (login !== undefined) {
      login = await new Round(options, setup, login, { health, announcer, devices }).run();
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

/** Shortest interval of checks of the whole ledger (ms). */
const LEDGER_CHECK_MS = 10_000;
const REPLACED =
  'It was deleted or replaced. The watcher continues with the present file, or a new one. Nothing is doubled: the platform recognises recordings.';

interface Shared {
  readonly health: HealthReporter;
  readonly announcer: Announcer;
  readonly devices: Omit<DeviceAccess, 'claim'> | undefined;
}

/** Returns the devices for all rounds, with what the watcher before this one knew of absent ones. */
function devicesOf(
  source: DeviceMonitor,
  { registration, ignoredDevices: ignored }: WatchSetup,
): Shared['devices'] {
  const away = new Map(registration.earlierAway.map((device) => [device.key, device]));
  return { source, away, ignored };
}

/** Opens the first login. If that fails for now, recordings are found and kept until it works. */
async function firstLogin(scope: WatcherOptions, setup: WatchSetup): Promise<WatchLogin> {
  const marker = setup.loginMarker();
  let why: SyncError | undefined;
  const opened = await setup.open('online').catch((error: unknown) => {
    if (!(error instanceof SyncError) || isLasting(error.code)) throw error;
    if (isLoginFailure(error.code) && !setup.loginCanChange) throw error;
    why = error;
    return setup.open('offline');
  });
  try {
    const { stateDir, context, profile } = setup;
    const owner = { stateDir, profile, account: opened.account };
    const locks = await lockScope(context, owner, scope);
    return { opened, marker, locks, why };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function isLasting(code: ErrorCode): boolean {
  return ['USAGE', 'CONFIG', 'STORAGE', 'BUSY', 'INTERRUPTED', 'INPUT_INVALID'].includes(code);
}

/** One login at work. It owns the login: {@link Round.run} closes it. */
class Round {
  readonly #setup: WatchSetup;
  readonly #login: WatchLogin;
  readonly #health: HealthReporter;
  readonly #announcer: Announcer;
  readonly #outbox: Outbox;
  readonly #watcher: Watcher;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  /** Requests beside the watcher. They end with the round, before the next one reports its health. */
  readonly #tasks = new Tasks((error) => this.#fail(error));
  readonly #search: LoginSearch;
  #loginCheckedAt = -Infinity;
  #ledgerProblem: string | undefined;
  /** The state of the ledger's file at the last check, and when the next one may be (monotonic clock, ms). */
  #checkedLedger: string | undefined;
  #ledgerCheckAt = -Infinity;
  /** An error that ends the watcher. */
  #fault: { readonly error: unknown } | undefined;

  constructor(
    options: WatcherOptions,
    setup: WatchSetup,
    login: WatchLogin,
    { health, announcer, devices }: Shared,
  ) {
    const { clock, signal } = setup.context;
    const { stateDir, profile } = setup;
    const { opened } = login;
    const owner = { stateDir, profile, account: opened.account };
    this.#setup = setup;
    this.#login = login;
    this.#health = health;
    this.#announcer = announcer;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#outbox = new Outbox(stateDir, opened.account, opened.ledger.mark);
    this.#watcher = new Watcher({ ...setup.context, signal: this.#signal }, options, {
      ...setup,
      ...opened,
      outbox: this.#outbox,
      deviceAccess: devices && {
        ...devices,
        claim: (folders) => lockScope({ clock, signal: this.#signal }, owner, { folders }),
      },
      report: (notice) => this.#onNotice(notice),
      onSignal: (signal) => this.#onSignal(signal),
    });
    this.#search = new LoginSearch(login, options, setup, {
      signal: this.#signal,
      watcher: this.#watcher,
      onProblem: (message) => announcer.announce({ event: 'problem', message }),
    });
  }

  /**
   * Watches until the signal is aborted, or until there is another login to continue with.
   *
   * @returns the next login; undefined after the signal was aborted
   */
  async run(): Promise<WatchLogin | undefined> {
    const { opened, why, locks } = this.#login;
    let next: WatchLogin | undefined;
    try {
      const { account } = opened;
      this.#health.note({ account, ledger: undefined, refreshEndsAt: undefined });
      if (why !== undefined) this.#watcher.deliveryFailed(why);
      else if (this.#announcer.loginNeeded) await this.#tryLogin();
      this.#updateHealth(true);
      const end = await this.#watcher.run();
      if (this.#fault !== undefined) throw this.#fault.error;
      if (end === 'left') next = this.#search.found;
      return next;
    } finally {
      this.#ended.abort();
      await this.#tasks.settled();
      this.#updateHealth(true);
      if (next === undefined) await this.#search.closeUnused();
      if (next?.locks !== locks) locks.release();
      await opened.close();
    }
  }

  #onNotice(notice: WatchNotice): void {
    if (notice.event === 'login-needed' && !this.#setup.loginCanChange) this.#fail(asError(notice));
    this.#health.note(errorFact(notice, this.#setup.context.clock.now()));
    this.#updateHealth(true);
    this.#announcer.announce(notice);
  }

  #onSignal(signal: WatchSignal): void {
    switch (signal) {
      case 'changed':
        this.#updateHealth(false);
        return;
      case 'checked':
        this.#onChecked();
    }
  }

  #onChecked(): void {
    const { clock } = this.#setup.context;
    const checkIsDue = Math.abs(clock.now() - this.#loginCheckedAt) >= LOGIN_CHECK_MS;
    if (checkIsDue && this.#isLoginInUse()) this.#tasks.run(() => this.#checkLogin());
    this.#checkLedger();
    if (this.#search.isDue) this.#tasks.run(() => this.#search.run());
    this.#health.write();
  }

  /** Reports a ledger that was deleted or replaced, which the search then reopens, or damaged. */
  #checkLedger(): void {
    const { path, database } = this.#login.opened.ledger;
    const replaced = database.isReplaced() ? `${path}: ${REPLACED}` : undefined;
    const problem = existsSync(path) ? (this.#damage(path) ?? replaced) : replaced;
    if (problem === this.#ledgerProblem) return;
    this.#ledgerProblem = problem;
    this.#health.note({ ledger: problem });
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
    this.#health.update(this.#watcher, this.#outbox.all.length, force);
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#ended.abort(error);
  }

  #isLoginInUse(): boolean {
    return this.#login.opened.delivers && this.#watcher.breaker.state.state !== 'login-needed';
  }

  /** Uses the login once: an earlier round ended because the login had. */
  async #tryLogin(): Promise<void> {
    try {
      await this.#login.opened.useLogin(this.#signal);
      this.#announcer.loginWorks();
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const failure = notItsLogin(error);
      if (isLoginFailure(failure.code)) this.#watcher.deliveryFailed(failure);
    }
  }

  /** Checks when the login ends, and warns if that is soon. */
  async #checkLogin(): Promise<void> {
    const { clock } = this.#setup.context;
    this.#loginCheckedAt = clock.now();
    try {
      const endsAt = await this.#renewedEnd();
      if (endsAt === undefined) return;
      this.#health.note({ refreshEndsAt: isoTime(endsAt) });
      this.#announcer.lasts(endsAt - clock.now(), isoTime(endsAt));
      this.#updateHealth(true);
    } catch (error) {
      if (this.#signal.aborted || !(error instanceof SyncError)) return;
      // A locked keychain or an outage is reported when there is something to send.
      if (isLoginFailure(error.code)) this.#watcher.deliveryFailed(error);
    }
  }

  /** Returns when the login ends. A login that ends soon is used once: that may renew it. */
  async #renewedEnd(): Promise<number | undefined> {
    const { context, loginCanChange } = this.#setup;
    const { opened } = this.#login;
    const endsAt = await opened.loginEndsAt(this.#signal);
    const isShort = endsAt !== undefined && endsAt - context.clock.now() < LOGIN_ENDS_SOON_MS;
    if (!isShort || this.#announcer.loginNeeded || !loginCanChange) return endsAt;
    await opened.useLogin(this.#signal);
    return await opened.loginEndsAt(this.#signal);
  }
}

function errorFact(notice: WatchNotice, now: number): HealthFacts {
  switch (notice.event) {
    case 'obstacle':
    case 'login-needed':
    case 'days-waiting':
    case 'problem':
      return { lastError: { at: isoTime(now), message: notice.message } };
    default:
      return {};
  }
}
