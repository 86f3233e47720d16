import { type ErrorCode, SyncError, isAbort } from '../../base/errors.ts';
import { lockScope } from '../../daemon/registration.ts';
import { DeviceMonitor } from '../../devices/monitor.ts';
import { UploadTally } from '../../upload/tally.ts';
import { isLoginFailure } from '../../watch/circuit-breaker.ts';
import type { DeviceTarget } from '../../watch/device-folders.ts';
import { type Outbox, openOutbox } from '../../watch/outbox.ts';
import { notItsLogin } from '../../watch/refusal-backoff.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { Watcher, type WatcherOptions, type WatcherTarget } from '../../watch/watcher.ts';
import { Announcer, LOGIN_SHORT_MS } from './announcer.ts';
import { type HealthFacts, HealthReporter, isoTime } from './health.ts';
import {
  type Login,
  type OpenLogin,
  type WatchSetup,
  asError,
  isFailure,
  nextLogin,
} from './login.ts';

/** Interval of checks of when the login ends (ms). */
const LOGIN_CHECK_MS = 12 * 3_600_000;
/** Pause before a login that could not be read is tried again (ms). */
const SEARCH_RETRY_MS = 10_000;

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
  const tally = new UploadTally();
  let days = setup.wellness ? 0 : undefined;
  const announcer = new Announcer(setup.context, (notice) => {
    if (notice.event === 'upload') tally.add(notice.item);
    if (notice.event === 'day' && notice.item.outcome === 'pushed') days = (days ?? 0) + 1;
    setup.report(notice, health.waiting);
  });
  let monitor: DeviceMonitor | undefined;
  try {
    let login: Login | undefined = await firstLogin(options, setup);
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
  const { uploaded, duplicate, rejected } = tally.report.summary;
  const queued = health.waiting;
  const counts = { uploaded, duplicate, rejected, ...(days === undefined ? {} : { days }), queued };
  setup.report({ event: 'stopped', ...counts }, queued);
}

/** What all rounds share. */
interface Shared {
  readonly health: HealthReporter;
  readonly announcer: Announcer;
  readonly devices: Omit<DeviceTarget, 'claim'> | undefined;
}

/** Returns the devices for all rounds, with what the watcher before this one knew of absent ones. */
function devicesOf(source: DeviceMonitor, { registration }: WatchSetup): Shared['devices'] {
  return { source, away: new Map(registration.earlierAway.map((device) => [device.key, device])) };
}

/** Opens the first login. If that fails for now, recordings are found and kept until it works. */
async function firstLogin(scope: WatcherOptions, setup: WatchSetup): Promise<Login> {
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

/** The search for the next login, while the current one does not work. */
type Search =
  | { readonly state: 'idle' }
  | { readonly state: 'running' }
  /** It failed for now: the same marker is tried again only after `retryAt` (monotonic clock, ms). */
  | {
      readonly state: 'failed';
      readonly marker: string;
      readonly message: string;
      readonly retryAt: number;
    }
  | { readonly state: 'found'; readonly login: Login };

/** One login at work. It owns the login: {@link Round.run} closes it. */
class Round {
  readonly #setup: WatchSetup;
  readonly #login: Login;
  readonly #options: WatcherOptions;
  readonly #health: HealthReporter;
  readonly #announcer: Announcer;
  readonly #outbox: Outbox;
  readonly #watcher: Watcher;
  readonly #ended = new AbortController();
  /** Aborted when the round ends. */
  readonly #signal: AbortSignal;
  /** Requests beside the watcher. They end with the round, before the next one reports its health. */
  readonly #tasks = new Set<Promise<void>>();
  #search: Search = { state: 'idle' };
  /** The marker of the last login that was read. */
  #marker: string;
  #loginCheckedAt = -Infinity;
  /** An error that ends the watcher. */
  #fault: { readonly error: unknown } | undefined;

  constructor(
    options: WatcherOptions,
    setup: WatchSetup,
    login: Login,
    { health, announcer, devices }: Shared,
  ) {
    const { clock, signal } = setup.context;
    const { stateDir, profile } = setup;
    const { opened } = login;
    const owner = { stateDir, profile, account: opened.account };
    this.#setup = setup;
    this.#login = login;
    this.#options = options;
    this.#health = health;
    this.#announcer = announcer;
    this.#marker = login.marker;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#outbox = openOutbox(setup.stateDir, opened.outboxRows, () => clock.now());
    this.#watcher = new Watcher({ ...setup.context, signal: this.#signal }, options, {
      ...watcherTarget(setup, opened, this.#outbox),
      devices: devices && {
        ...devices,
        claim: (folders) => lockScope({ clock, signal: this.#signal }, owner, { folders }),
      },
      report: (notice) => this.#onNotice(notice),
      onChange: () => this.#updateHealth(false),
      onRescanned: () => this.#runBeside(() => this.#sendHeartbeat()),
      onTick: () => this.#onTick(),
    });
  }

  /**
   * Watches until the signal is aborted, or until there is another login to continue with.
   *
   * @returns the next login; undefined after the signal was aborted
   */
  async run(): Promise<Login | undefined> {
    const { opened, why, locks } = this.#login;
    let next: Login | undefined;
    try {
      this.#health.note({ account: opened.account, refreshEndsAt: undefined });
      if (why !== undefined) this.#watcher.hinder(why);
      else if (this.#announcer.loginNeeded) await this.#tryLogin();
      this.#updateHealth(true);
      const end = await this.#watcher.run();
      if (this.#fault !== undefined) throw this.#fault.error;
      if (end === 'left' && this.#search.state === 'found') next = this.#search.login;
      return next;
    } finally {
      this.#ended.abort();
      await Promise.allSettled(this.#tasks);
      this.#updateHealth(true);
      await this.#closeUnused(next);
      if (next?.locks !== locks) locks.release();
      await opened.close();
    }
  }

  /** Closes a login that was found too late to be used. */
  async #closeUnused(next: Login | undefined): Promise<void> {
    if (this.#search.state !== 'found' || next !== undefined) return;
    const { login } = this.#search;
    if (login.locks !== this.#login.locks) login.locks.release();
    await login.opened.close();
  }

  #onNotice(notice: WatchNotice): void {
    if (notice.event === 'login-needed' && !this.#setup.loginCanChange) this.#fail(asError(notice));
    this.#health.note(errorFact(notice, this.#setup.context.clock.now()));
    this.#updateHealth(true);
    this.#announcer.announce(notice);
  }

  #onTick(): void {
    const { clock } = this.#setup.context;
    const checkIsDue = Math.abs(clock.now() - this.#loginCheckedAt) >= LOGIN_CHECK_MS;
    if (checkIsDue && this.#isLoginInUse()) this.#runBeside(() => this.#checkLogin());
    if (this.#isSearchDue()) this.#runBeside(() => this.#searchLogin());
    this.#health.write();
  }

  #updateHealth(force: boolean): void {
    this.#health.update(this.#watcher, this.#outbox.count, force);
  }

  #runBeside(task: () => Promise<void>): void {
    const running = task().catch((error: unknown) => this.#fail(error));
    this.#tasks.add(running);
    void running.finally(() => this.#tasks.delete(running));
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#ended.abort(error);
  }

  #isLoginInUse(): boolean {
    return this.#login.opened.delivers && this.#watcher.breaker.state.state !== 'login-needed';
  }

  #isSearchDue(): boolean {
    const { loginCanChange, loginMarker, context } = this.#setup;
    const { breaker } = this.#watcher;
    const search = this.#search;
    if (search.state === 'running' || search.state === 'found') return false;
    // Only a search finds out whether the service answers again.
    if (!this.#login.opened.delivers && breaker.waitMs === 0) return true;
    if (!loginCanChange || breaker.state.state === 'closed') return false;
    const marker = loginMarker();
    if (marker === this.#marker) return false;
    if (search.state !== 'failed' || marker !== search.marker) return true;
    return context.clock.monotonic() >= search.retryAt;
  }

  /** Reads the login that is stored now, and ends the round if it can be used. */
  async #searchLogin(): Promise<void> {
    const { clock } = this.#setup.context;
    const before = this.#search;
    const marker = this.#setup.loginMarker();
    this.#search = { state: 'running' };
    try {
      const found = await nextLogin(this.#login, this.#options, this.#setup);
      if (isFailure(found)) {
        this.#search = { state: 'idle' };
        this.#marker = marker;
        this.#watcher.hinder(found);
      } else {
        this.#search = { state: 'found', login: found };
        this.#watcher.leave();
      }
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const { message } = error;
      const retryAt = clock.monotonic() + SEARCH_RETRY_MS;
      this.#search = { state: 'failed', marker, message, retryAt };
      if (this.#signal.aborted) return;
      if (isLoginFailure(error.code)) this.#marker = marker;
      else if (before.state !== 'failed' || message !== before.message) {
        this.#announcer.announce({ event: 'problem', message });
      }
      this.#watcher.hinder(error);
    }
  }

  /** Uses the login once: an earlier round ended because the login had. */
  async #tryLogin(): Promise<void> {
    try {
      await this.#login.opened.useLogin(this.#signal);
      this.#announcer.loginWorks();
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const failure = notItsLogin(error);
      if (isLoginFailure(failure.code)) this.#watcher.hinder(failure);
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
      if (isLoginFailure(error.code)) this.#watcher.hinder(error);
    }
  }

  /** Returns when the login ends. A login that ends soon is used once: that may renew it. */
  async #renewedEnd(): Promise<number | undefined> {
    const { context, loginCanChange } = this.#setup;
    const { opened } = this.#login;
    const endsAt = await opened.loginEndsAt(this.#signal);
    const isShort = endsAt !== undefined && endsAt - context.clock.now() < LOGIN_SHORT_MS;
    if (!isShort || this.#announcer.loginNeeded || !loginCanChange) return endsAt;
    await opened.useLogin(this.#signal);
    return await opened.loginEndsAt(this.#signal);
  }

  async #sendHeartbeat(): Promise<void> {
    const { heartbeat, context } = this.#setup;
    const needsLogin = this.#watcher.breaker.state.state === 'login-needed';
    if (heartbeat === undefined || needsLogin) return;
    try {
      await heartbeat(this.#signal);
      this.#health.note({ lastHeartbeatAt: isoTime(context.clock.now()) });
    } catch (error) {
      if (this.#signal.aborted) return;
      const message = `The heartbeat was not delivered: ${(error as Error).message}`;
      this.#health.note({ lastError: { at: isoTime(context.clock.now()), message } });
    }
  }
}

/** Returns a login and its ledger as a watcher takes them. */
export function watcherTarget(
  setup: Pick<WatchSetup, 'appVersion' | 'filesystemType' | 'recursiveEvents' | 'mtp' | 'wellness'>,
  opened: OpenLogin,
  outbox: Outbox,
) {
  const { ledger, marks, delivers, client, uploadUrl, zone, wellnessUrl } = opened;
  const { appVersion, filesystemType, recursiveEvents, mtp } = setup;
  const wellness = { records: ledger.records, zone, url: wellnessUrl };
  return {
    ...{ appVersion, filesystemType, recursiveEvents, mtp },
    ...{ marks, outbox, delivers, client, uploadUrl },
    ledger: ledger.uploads,
    known: ledger.known,
    wellness: setup.wellness ? wellness : undefined,
  } satisfies Partial<WatcherTarget>;
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
