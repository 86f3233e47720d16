import { statSync } from 'node:fs';
import { RETRIES } from '../../api/retry.ts';
import type { AppContext } from '../context.ts';
import { connect } from '../connection.ts';
import { configFor } from '../config.ts';
import { loginRejected } from '../ledger-account.ts';
import { openLedger } from '../ledger.ts';
import { zoneFor } from '../zone.ts';
import type { Context } from '../../base/context.ts';
import { type ErrorCode, type Failure, SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { openLoginStore } from '../../credentials/open-store.ts';
import { type Config, requireBaseUrl, hasEnvironmentTokens } from '../../config/config.ts';
import { serviceId } from '../../config/endpoints.ts';
import { notLoggedIn } from '../../auth/login-errors.ts';
import { type Registration, lockScope } from '../../daemon/registration.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import type { MonitorOptions } from '../../devices/monitor.ts';
import { moveWellness } from '../../ledger/accounts.ts';
import { moveCopies } from '../../ledger/outbox.ts';
import { watchMarks } from '../../ledger/watch-marks.ts';
import type { Lock } from '../../system/process-lock.ts';
import type { WatchMachine } from '../../watch/parts.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { isLoginFailure } from '../../watch/send/circuit-breaker.ts';
import { AT_ONCE } from '../../watch/send/sender.ts';

export interface WatchSetup extends WatchMachine {
  readonly context: Pick<Context, 'clock' | 'random' | 'signal' | 'trace'>;
  readonly stateDir: string;
  readonly profile: string;
  readonly registration: Registration;
  /** `sync login` can help: the tokens are not from the environment. */
  readonly loginCanChange: boolean;
  /** Returns a text that changes with every login and logout; cheap. */
  readonly loginMarker: () => string;
  /**
   * Opens the login and its ledger, from the current configuration. `offline`: without a request,
   * and with a placeholder for an account that only a request could tell.
   */
  readonly open: (how: 'online' | 'offline') => Promise<OpenLogin>;
  /** How devices are found; undefined if only folders are watched. */
  readonly monitor: MonitorOptions | undefined;
  /** Titles and serial numbers of devices that are left alone. */
  readonly ignoredDevices: readonly string[];
  /** Called about every minute while the loop of the watcher runs. */
  readonly onAlive?: (() => void) | undefined;
  /** @param waiting recordings that are still to be sent */
  readonly report: (notice: WatchNotice, waiting: number) => void;
}

/** What `--once` needs: it is in no registry. */
export type OnceSetup = Omit<WatchSetup, 'registration' | 'report'> & {
  /** @param at the time of the notice; absent: now */
  readonly report: (notice: WatchNotice, at?: Date) => void;
};

export type OpenLogin = Awaited<ReturnType<typeof openLogin>>;

export interface WatchLogin {
  readonly opened: OpenLogin;
  /** {@link WatchSetup.loginMarker} from before it was read. */
  readonly marker: string;
  readonly locks: Lock;
  /** Why it cannot be used, if that is known from the start. */
  readonly why?: Failure | undefined;
}

/** Opens the login and its ledger. @param once for `--once`: patient, and may ask the user */
export async function openLogin(context: AppContext, once: boolean, how: 'online' | 'offline') {
  const { clock, io } = context;
  // The login may have changed the configuration.
  const config = configFor(context);
  const baseUrl = requireBaseUrl(config);
  const connection = connect(context, config, {
    // One more than the uploads, so that no other request delays them.
    connections: AT_ONCE + 1,
    attended: once && io.interactive,
    // The watcher's own pauses are longer, and can be interrupted.
    ...(once ? {} : { retry: RETRIES.none }),
  });
  try {
    const account = await connection.ledgerAccount({ offline: how === 'offline' });
    const ledger = openLedger(config, account, clock);
    const now = () => clock.now();
    return {
      account,
      service: serviceId(baseUrl),
      /** Undefined if it is unknown, or after a logout. Read again: it may have become known just now. */
      athlete: configFor(context).account?.id,
      unnamedLedger: config.unnamedLedger,
      // Offline, the account may be a placeholder: nothing is sent for it.
      delivers: how === 'online',
      ledger,
      marks: watchMarks(ledger.database, account, now),
      client: connection.client,
      url: connection.url,
      filePart: connection.filePart,
      // Read again: the athlete may travel, or set a zone.
      zone: () => zoneFor(configFor(context), context),
      prefer: config.get('prefer'),
      sameRide: config.get('sameRide'),
      loginEndsAt: (signal: AbortSignal) => loginEndsAt(context, config, signal),
      /** Asks the service whether it takes the login; refreshes a token that is due. @throws SyncError */
      useLogin: async (signal: AbortSignal) => {
        const who = await connection.whoIs(signal);
        if (who.kind === 'rejected') throw loginRejected();
        if (who.kind === 'unreachable' && !who.wasTaken) throw who.error;
      },
      /** Takes over the recordings that are kept for another account. */
      takeOver: (before: string) => {
        moveCopies(config.paths.stateDir, before, account);
        moveWellness(ledger.database, before, account);
      },
      close: async () => {
        ledger.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Returns when the refresh token ends (ms since the epoch), if that is known; reads the store.
 *
 * @throws SyncError `AUTH_REQUIRED`, or if the store cannot be read now
 */
async function loginEndsAt(
  { env, platform, programDir }: AppContext,
  config: Config,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (hasEnvironmentTokens(config)) return undefined;
  const store = openLoginStore(config, { env, platform, programDir, attended: false });
  const found = await store.load(signal);
  if (found === undefined) {
    const hint = phrase`Run ${sync('login')}; the watcher then continues.`;
    throw notLoggedIn(config.profile, config.profiles, hint);
  }
  const { refreshExpiresAt: ends, accessExpiresAt = 0 } = found.tokens;
  // Without its refresh token, a login lasts as long as its access token.
  return ends && Math.max(ends, accessExpiresAt);
}

/** Returns a text that changes when a file is replaced. */
export function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}

/** Opens the first login. If that fails for now, recordings are found and kept until it works. */
export async function firstLogin(scope: WatchScope, setup: WatchSetup): Promise<WatchLogin> {
  let why: SyncError | undefined;
  const login = await openStored(setup, 'online').catch((error: unknown) => {
    if (!(error instanceof SyncError) || isLasting(error.code)) throw error;
    if (isLoginFailure(error.code) && !setup.loginCanChange) throw error;
    why = error;
    return openStored(setup, 'offline');
  });
  try {
    return { ...login, locks: await lockFor(login.opened, scope, setup), why };
  } catch (error) {
    await login.opened.close();
    throw error;
  }
}

/** Opens the login that is stored now; once more if that records who it is, since the marker then changes. */
async function openStored(
  { loginMarker, open }: WatchSetup,
  how: 'online' | 'offline',
): Promise<Pick<WatchLogin, 'opened' | 'marker'>> {
  const before = loginMarker();
  const first = await open(how);
  const marker = loginMarker();
  if (marker === before) return { opened: first, marker };
  await first.close();
  return { opened: await open(how), marker };
}

function isLasting(code: ErrorCode): boolean {
  return ['USAGE', 'CONFIG', 'STORAGE', 'BUSY', 'INTERRUPTED', 'INPUT_INVALID'].includes(code);
}

function lockFor(
  { account }: OpenLogin,
  scope: WatchScope,
  { context, stateDir, profile }: WatchSetup,
): Promise<Lock> {
  return lockScope(context, { stateDir, profile, account }, scope);
}

/**
 * Reads the login that is stored now, to continue with instead of `before`.
 *
 * @returns a failure if it belongs to another athlete: the recordings are not theirs
 * @throws SyncError if it cannot be read, or another process watches the same for its account
 */
export async function nextLogin(
  before: WatchLogin,
  scope: WatchScope,
  setup: WatchSetup,
): Promise<WatchLogin | Failure> {
  const { opened, marker } = await openStored(setup, 'online');
  try {
    const why = whyNot(before.opened, opened, setup.profile);
    if (why !== undefined) {
      await opened.close();
      return why;
    }
    if (opened.account === before.opened.account) return { opened, marker, locks: before.locks };
    const locks = await lockFor(opened, scope, setup);
    opened.takeOver(before.opened.account);
    return { opened, marker, locks };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Returns why a watcher with this login must not go on: the user logged out, or another athlete logged in. */
export async function changedLogin(
  { opened }: WatchLogin,
  { open, profile }: WatchSetup,
): Promise<Failure | undefined> {
  const now = await open('offline');
  await now.close();
  return whyNot(opened, now, profile);
}

/** Another service has its own athletes: a user who moved there is not asked. */
function whyNot(before: OpenLogin, after: OpenLogin, profile: string): Failure | undefined {
  if (before.service !== after.service) return undefined;
  if (before.athlete === undefined) {
    return after.unnamedLedger === before.unnamedLedger ? undefined : otherAthlete(profile);
  }
  if (after.athlete === before.athlete) return undefined;
  return after.athlete === undefined ? loggedOut(profile) : otherAthlete(profile);
}

function otherAthlete(profile: string): Failure {
  return {
    code: 'AUTH_REFUSED',
    message: `Another athlete logged in with profile "${profile}"; these recordings are not sent to their account.`,
    hint: 'Log in as before, or stop this watcher and start it again to send them there.',
  };
}

function loggedOut(profile: string): Failure {
  const hint = phrase`Run ${sync('login')}; the watcher then continues.`;
  const { code, message } = notLoggedIn(profile, [profile], hint);
  return { code, message, hint };
}

export function isFailure(found: WatchLogin | Failure): found is Failure {
  return 'code' in found;
}

export function asError({ code, message, hint }: Failure): SyncError {
  return new SyncError(code, message, { hint });
}
