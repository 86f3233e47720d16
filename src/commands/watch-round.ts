import { SyncError } from '../base/errors.ts';
import { notItsLogin } from '../watch/refusal-backoff.ts';
import { isLoginFailure } from '../watch/circuit-breaker.ts';
import { type HealthReporter, isoTime } from './watch/health.ts';
import { type Outbox, openOutbox } from '../watch/outbox.ts';
import type { WatchNotice } from '../watch/report.ts';
import { Watcher, type WatcherNeeds } from '../watch/watcher.ts';
import { type Login, asError, isFailure, nextLogin } from './watch-login.ts';
import type { OpenWatch, WatchCommandOptions, WatchNeeds } from './watch-needs.ts';
import { LOGIN_SHORT_MS, type Announcer } from './watch-announcer.ts';

/** Between two looks at how long the login lasts, in ms. */
const LOGIN_CHECK_MS = 12 * 3_600_000;

/** Between two looks at a login that could not be read, in ms. */
const LOOK_AGAIN_MS = 30_000;

/** One login at work. */
export interface Round {
  readonly login: Login;
  readonly health: HealthReporter;
  readonly announcer: Announcer;
}

/**
 * Watches with one login until the watcher is stopped, or until there is one to go on with: somebody
 * logged in while this one was of no use. Recordings are found and kept all the time.
 *
 * @throws SyncError a dead login, where none can be stored (tokens from the environment)
 */
export async function watchOneLogin(
  options: WatchCommandOptions,
  needs: WatchNeeds,
  round: Round,
): Promise<'stopped' | Login> {
  const { login, health, announcer } = round;
  const { opened } = login;
  const { clock } = needs;
  const ended = new AbortController();
  const signal = AbortSignal.any([needs.signal, ended.signal]);
  const outbox = openOutbox(needs.stateDir, opened.outboxRows, () => clock.now());
  const watcher: Watcher = new Watcher(options, {
    ...watcherNeeds(needs, opened, outbox),
    report: (event) => {
      if (event.event === 'login-needed' && !needs.loginCanChange) ended.abort(asError(event));
      health.note(errorFact(event, clock.now()));
      change(true);
      announcer.tell(event);
    },
    signal,
    onChange: () => change(false),
    onRescanned: () => errand(beat()),
    onTick: () => {
      if (Math.abs(clock.now() - loginCheckedAt) >= LOGIN_CHECK_MS && isInUse())
        errand(checkLogin());
      if (isLookDue()) errand(lookForLogin());
      health.write();
    },
  });
  const change = (force: boolean) => {
    health.update(watcher, outbox.count, force);
  };

  // Waited for at the end: what one login still has to say must not be written over the next one's.
  const errands = new Set<Promise<void>>();
  const errand = (task: Promise<void>) => {
    errands.add(task);
    void task.finally(() => errands.delete(task));
  };

  const isInUse = () => opened.delivers && watcher.breaker.state.state !== 'login-needed';
  let next: Login | undefined;
  let looking = false;
  let seen = login.marker;
  /** A look that failed is not made again at once, unless something has changed. */
  let failed = { marker: '', message: '', until: 0 };
  const isLookDue = () => {
    if (looking || next !== undefined) return false;
    // Nothing but this look finds out that the service answers again.
    if (!opened.delivers && watcher.breaker.waitMs === 0) return true;
    if (!needs.loginCanChange || watcher.breaker.state.state === 'closed') return false;
    const marker = needs.loginMarker();
    return marker !== seen && (marker !== failed.marker || clock.monotonic() >= failed.until);
  };
  const lookForLogin = async () => {
    looking = true;
    const marker = needs.loginMarker();
    try {
      const found = await nextLogin(login, options.folders, needs);
      if (isFailure(found)) {
        seen = marker;
        watcher.hinder(found);
      } else {
        next = found;
        watcher.leave();
      }
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      if (signal.aborted) return;
      const { message } = error;
      if (isLoginFailure(error.code)) seen = marker;
      else if (message !== failed.message) announcer.tell({ event: 'problem', message });
      failed = { marker, message, until: clock.monotonic() + LOOK_AGAIN_MS };
      watcher.hinder(error);
    } finally {
      looking = false;
    }
  };

  /** One that was found at the last moment, and is not gone on with. */
  const leftBehind = async () => {
    if (next === undefined) return;
    if (next.locks !== login.locks) next.locks.release();
    await next.opened.close();
  };

  let loginCheckedAt = -Infinity;
  const checkLogin = async () => {
    loginCheckedAt = clock.now();
    try {
      const endsAt = await lifetime({ ...needs, signal }, opened, announcer);
      if (endsAt === undefined) return;
      health.note({ refreshEndsAt: isoTime(endsAt) });
      announcer.lasts(endsAt - clock.now(), isoTime(endsAt));
      change(true);
    } catch (error) {
      if (signal.aborted || !(error instanceof SyncError)) return;
      // A locked keychain or a service that is away is told when something has to be sent.
      if (isLoginFailure(error.code)) watcher.hinder(error);
    }
  };

  const beat = async () => {
    if (needs.heartbeat === undefined || watcher.breaker.state.state === 'login-needed') return;
    try {
      await needs.heartbeat(signal);
      health.note({ lastHeartbeatAt: isoTime(clock.now()) });
    } catch (error) {
      if (signal.aborted) return;
      const message = `The heartbeat was not delivered: ${(error as Error).message}`;
      health.note({ lastError: { at: isoTime(clock.now()), message } });
    }
  };

  try {
    health.note({ account: opened.account, refreshEndsAt: undefined });
    if (login.why !== undefined) watcher.hinder(login.why);
    else if (announcer.loginNeeded) await tryNewLogin(needs, opened, watcher, announcer);
    change(true);
    const end = await watcher.run();
    if (ended.signal.aborted) throw ended.signal.reason;
    if (end === 'left' && next !== undefined) {
      const found: Login = next;
      next = undefined;
      return found;
    }
    return 'stopped';
  } finally {
    ended.abort();
    await Promise.allSettled(errands);
    change(true);
    await leftBehind();
  }
}

/** Somebody may have logged in: one call shows. */
async function tryNewLogin(
  needs: WatchNeeds,
  opened: OpenWatch,
  watcher: Watcher,
  announcer: Announcer,
): Promise<void> {
  try {
    await opened.useLogin(needs.signal);
    announcer.loginWorks();
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const failure = notItsLogin(error);
    if (isLoginFailure(failure.code)) watcher.hinder(failure);
  }
}

/** How long the login lasts. One that ends soon is used once: that may make it last longer. */
async function lifetime(
  { signal, clock, loginCanChange }: WatchNeeds,
  opened: OpenWatch,
  announcer: Announcer,
): Promise<number | undefined> {
  const endsAt = await opened.loginEndsAt(signal);
  const short = endsAt !== undefined && endsAt - clock.now() < LOGIN_SHORT_MS;
  if (!short || announcer.loginNeeded || !loginCanChange) return endsAt;
  await opened.useLogin(signal);
  return await opened.loginEndsAt(signal);
}

/** What a watcher needs of a login and its ledger. */
export function watcherNeeds(
  needs: Omit<WatchNeeds, 'registration'>,
  opened: OpenWatch,
  outbox: Outbox,
) {
  const { ledger, marks, delivers, client, uploadUrl } = opened;
  const { appVersion, filesystemType, recursiveEvents, clock, random } = needs;
  return {
    ...{ appVersion, filesystemType, recursiveEvents, clock, random },
    ...{ marks, outbox, delivers, client, uploadUrl },
    ledger: ledger.uploads,
    known: ledger.known,
  } satisfies Partial<WatcherNeeds>;
}

function errorFact(event: WatchNotice, now: number) {
  switch (event.event) {
    case 'obstacle':
    case 'login-needed':
    case 'problem':
      return { lastError: { at: isoTime(now), message: event.message } };
    default:
      return {};
  }
}
