import { SyncError, isAbort } from '../errors.ts';
import type { Lock } from '../ledger/lock.ts';
import { lockFolders, takeLock } from '../watch/folder-lock.ts';
import { Gate, isLoginFailure } from '../watch/gate.ts';
import { lifeLock, readOne, watchId } from '../watch/health.ts';
import { HealthKeeper } from '../watch/health-keeper.ts';
import { ROOT_CHECK_MS } from '../watch/watcher.ts';
import type { OpenWatch, WatchCommandOptions, WatchNeeds } from './watch-needs.ts';
import { watchOneLogin } from './watch-round.ts';
import { WatchTalk } from './watch-talk.ts';

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
  const talk = new WatchTalk(needs);
  let athlete: string | undefined;
  for (;;) {
    const marker = needs.loginMarker();
    const opened = await openPatiently(needs, keeper, talk);
    let locks: Lock | undefined;
    try {
      const { account } = opened;
      athlete ??= opened.athlete;
      if (opened.athlete !== athlete) {
        const why = opened.athlete === undefined ? loggedOut() : somebodyElse(needs.profile);
        talk.tell({ event: 'login-needed', ...why });
        keeper.note({ loginMessage: why.message });
        keeper.gate({ state: 'login', failure: why });
        keeper.write(true);
        await opened.close();
        await changed(needs, marker);
        continue;
      }
      keeper.note({ loginMessage: undefined });
      locks = await lockFolders({ ...needs, account }, options.folders);
      keeper.note({ account });
      talk.started(options.folders);
      if ((await watchOneLogin(options, needs, { opened, marker, keeper, talk })) === 'stopped')
        return;
    } finally {
      locks?.release();
      await opened.close();
    }
  }
}

/** Asks for the login until it can be had; only what nothing but a person can mend ends it. */
async function openPatiently(
  needs: WatchNeeds,
  keeper: HealthKeeper,
  talk: WatchTalk,
): Promise<OpenWatch> {
  const { clock, signal } = needs;
  const gate = new Gate(() => clock.now(), needs.random);
  for (;;) {
    const marker = needs.loginMarker();
    try {
      return await needs.open();
    } catch (error) {
      if (!(error instanceof SyncError) || !passes(error)) throw error;
      if (isLoginFailure(error.code) && !needs.loginCanChange) throw error;
      gate.failed(error);
      keeper.gate(gate.state);
      keeper.write(true);
      talk.hindered(gate, error);
      if (isLoginFailure(error.code)) await changed(needs, marker);
      await clock.sleep(gate.waitMs ?? 0, signal);
    }
  }
}

/** Resolves when somebody may have logged in. */
async function changed({ loginMarker, clock, signal }: WatchNeeds, marker: string): Promise<void> {
  while (loginMarker() === marker) await clock.sleep(ROOT_CHECK_MS, signal);
}

/** What is in the folders is not theirs: it is not sent to their account unless they ask for it. */
function somebodyElse(profile: string) {
  return {
    code: 'AUTH_REQUIRED',
    message: `Somebody else logged in with profile "${profile}"; these recordings are not sent to their account.`,
    hint: 'Log in as before, or stop this and start it again to send them there.',
  } as const;
}

function loggedOut() {
  const hint = 'Run `sync login`; the watcher goes on by itself.';
  return { code: 'AUTH_REQUIRED', message: 'Nobody is logged in any more.', hint } as const;
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
