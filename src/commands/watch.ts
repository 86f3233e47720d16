import { SyncError, isAbort, sourceOf } from '../base/errors.ts';
import { lockFolders } from '../daemon/registration.ts';
import { isLoginFailure } from '../watch/circuit-breaker.ts';
import { HealthReporter } from './watch/health.ts';
import type { Login } from './watch-login.ts';
import type { WatchCommandOptions, WatchNeeds } from './watch-needs.ts';
import { watchOneLogin } from './watch-round.ts';
import { Announcer } from './watch-announcer.ts';

/**
 * Watches until it is stopped by the signal.
 *
 * @throws SyncError `BUSY` if one of the folders is watched already, `STORAGE`, `CONFIG`; a dead login
 *   only where none can be stored (tokens from the environment).
 */
export async function runWatch(options: WatchCommandOptions, needs: WatchNeeds): Promise<void> {
  const health = new HealthReporter(needs.registration, options.folders, needs.clock);
  try {
    await watchOnAndOn(options, needs, health);
  } catch (error) {
    if (!needs.signal.aborted || !isAbort(error)) throw error;
  }
  needs.report({ event: 'stopped', queued: health.waiting });
}

/** Each round is one login; the next begins when somebody logs in. */
async function watchOnAndOn(
  options: WatchCommandOptions,
  needs: WatchNeeds,
  health: HealthReporter,
): Promise<void> {
  const announcer = new Announcer(needs);
  let login = await firstLogin(options, needs);
  try {
    announcer.started(options.folders);
    for (;;) {
      const next = await watchOneLogin(options, needs, { login, health, announcer });
      if (next === 'stopped') return;
      const { opened, locks } = login;
      login = next;
      if (locks !== next.locks) locks.release();
      await opened.close();
    }
  } finally {
    login.locks.release();
    await login.opened.close();
  }
}

/** Where the login cannot be had for now, recordings are found and kept until it can. */
async function firstLogin(options: WatchCommandOptions, needs: WatchNeeds): Promise<Login> {
  const marker = needs.loginMarker();
  let why: SyncError | undefined;
  const opened = await needs.open('online').catch((error: unknown) => {
    if (!(error instanceof SyncError) || !passes(error)) throw error;
    if (isLoginFailure(error.code) && !needs.loginCanChange) throw error;
    why = error;
    return needs.open('offline');
  });
  try {
    const locks = await lockFolders({ ...needs, account: opened.account }, options.folders);
    return { opened, marker, locks, why };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Returns whether recordings can be queued until this failure is over. */
function passes({ code }: SyncError): boolean {
  return ['login', 'keychain', 'network', 'service'].includes(sourceOf(code));
}
