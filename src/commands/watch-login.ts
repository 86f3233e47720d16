import { notLoggedIn } from '../auth/login-errors.ts';
import { SyncError } from '../base/errors.ts';
import type { Lock } from '../system/process-lock.ts';
import { lockFolders } from '../daemon/registration.ts';
import type { Failure } from '../watch/circuit-breaker.ts';
import type { OpenWatch, WatchNeeds } from './watch-needs.ts';

/** A login that is watched with. */
export interface Login {
  readonly opened: OpenWatch;
  /** {@link WatchNeeds.loginMarker}, from before it was read. */
  readonly marker: string;
  /** On the folders, for its account. */
  readonly locks: Lock;
  /** Why it cannot be used, where that is known from the beginning. */
  readonly why?: Failure | undefined;
}

/**
 * Reads the login that is there now, to go on with instead of `before`.
 *
 * @returns why it is not to be used: what is in the folders belongs to whom it was recorded for.
 * @throws SyncError it cannot be read, or another process watches these folders for its account
 */
export async function nextLogin(
  before: Login,
  folders: readonly string[],
  needs: WatchNeeds,
): Promise<Login | Failure> {
  const marker = needs.loginMarker();
  const opened = await needs.open('online');
  try {
    const why = whyNot(before.opened, opened, needs.profile);
    if (why !== undefined) {
      await opened.close();
      return why;
    }
    const { account } = opened;
    if (account === before.opened.account) return { opened, marker, locks: before.locks };
    const locks = await lockFolders({ ...needs, account }, folders);
    opened.adopt(before.opened.account);
    return { opened, marker, locks };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A service of its own has athletes of its own: who moved there is asked nothing. */
function whyNot(before: OpenWatch, after: OpenWatch, profile: string): Failure | undefined {
  const known = before.athlete !== undefined && before.service === after.service;
  if (!known || after.athlete === before.athlete) return undefined;
  return after.athlete === undefined ? loggedOut(profile) : somebodyElse(profile);
}

/** What is in the folders is not theirs: it is not sent to their account unless they ask for it. */
function somebodyElse(profile: string): Failure {
  return {
    code: 'AUTH_REFUSED',
    message: `Somebody else logged in with profile "${profile}"; these recordings are not sent to their account.`,
    hint: 'Log in as before, or stop this and start it again to send them there.',
  };
}

function loggedOut(profile: string): Failure {
  const hint = 'Run `sync login`; the watcher then continues.';
  const { code, message } = notLoggedIn(profile);
  return { code, message, hint };
}

/** A {@link Failure} is no login. */
export function isFailure(found: Login | Failure): found is Failure {
  return 'code' in found;
}

/** What was found out by somebody else, to be thrown. */
export function asError({ code, message, hint }: Failure): SyncError {
  return new SyncError(code, message, { hint });
}
