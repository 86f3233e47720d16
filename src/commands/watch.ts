import { SyncError, isAbort } from '../base/errors.ts';
import { lockFolders, takeLock } from '../watch/folder-lock.ts';
import { isLoginFailure } from '../watch/circuit-breaker.ts';
import { lifeLock, readOne, watchId } from '../watch/health.ts';
import { HealthKeeper } from '../watch/health-keeper.ts';
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
  const id = watchId(needs.login, options.folders);
  const life = await takeLock(lifeLock(needs.stateDir, id), needs.clock);
  if (life === undefined) throw sameWatch(id, needs);
  const keeper = new HealthKeeper(
    { id, pid: needs.pid, profile: needs.profile },
    options.folders,
    needs,
  );
  try {
    await watchOnAndOn(options, needs, keeper);
  } catch (error) {
    if (!needs.signal.aborted || !isAbort(error)) throw error;
  } finally {
    keeper.stopped();
    life.release();
  }
  needs.report({ event: 'stopped', queued: keeper.health.queue.waiting });
}

/** Each round is one login; the next begins when somebody logs in. */
async function watchOnAndOn(
  options: WatchCommandOptions,
  needs: WatchNeeds,
  keeper: HealthKeeper,
): Promise<void> {
  const announcer = new Announcer(needs);
  let login = await firstLogin(options, needs);
  try {
    announcer.started(options.folders);
    for (;;) {
      const next = await watchOneLogin(options, needs, { login, keeper, announcer });
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

function passes({ code }: SyncError): boolean {
  const lasting = ['USAGE', 'CONFIG', 'STORAGE', 'BUSY', 'INTERRUPTED', 'INPUT_INVALID'];
  return !lasting.includes(code);
}

function sameWatch(id: string, { stateDir, clock }: WatchNeeds): SyncError {
  const holder = readOne(stateDir, id, clock.now());
  const who = holder === undefined ? '' : ` by process ${holder.pid}, since ${holder.since}`;
  const folders = holder?.folders.map(({ path }) => path).join(', ') ?? 'This';
  return new SyncError('BUSY', `${folders}: being watched already${who}.`, {
    hint: 'See `sync status`; `sync daemon stop` ends the one in the background.',
    details: holder === undefined ? {} : { pid: holder.pid, since: holder.since },
  });
}
