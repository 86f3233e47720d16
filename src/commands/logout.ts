import { withIsoTimes } from '../base/time.ts';
import type { CommandModule } from '../app/command.ts';
import type { AppContext } from '../app/context.ts';
import { configFor } from '../app/config.ts';
import { refuseUnknownProfile } from '../app/profiles.ts';
import { withHttp } from '../app/with-http.ts';
import { withLoginLock } from '../auth/login-lock.ts';
import { type RevokeOutcome, revokeTokenOf } from '../auth/revoke.ts';
import type { Http } from '../api/http.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { NEVER } from '../base/tasks.ts';
import { type Config, hasEnvironmentTokens } from '../config/config.ts';
import { changeProfile } from '../config/config-write.ts';
import { openLoginStore } from '../credentials/open-store.ts';
import type { CredentialStore, Credentials } from '../credentials/store.ts';
import { duration } from '../terminal/words.ts';
import { forgetClient } from './login/client.ts';
import { loadUndamaged } from './login/store.ts';
import { who } from './login/words.ts';

interface LogoutFlags {
  readonly localOnly: boolean;
  readonly forgetClient: boolean;
}

interface Revocation extends Pick<RevokeOutcome, 'message'> {
  readonly token: 'refresh token' | 'access token';
  readonly outcome: RevokeOutcome['outcome'] | 'not-tried';
  /** When the token expires at the service, if it was not revoked; ms since 1970. */
  readonly expiresAt?: number | undefined;
}

type LogoutReport = Awaited<ReturnType<typeof logOut>>;

/** Time limit for revoking all tokens (ms); after it, the login is deleted unrevoked. */
const REVOKE_LIMIT_MS = 20_000;

export const logout: CommandModule = {
  declare: (command) =>
    command
      .option('--local-only', 'delete the login from this machine, but do not revoke it', false)
      .option('--forget-client', 'also forget the client ID, so that the next login asks', false),
  examples: ['sync logout', 'sync logout --profile work'],
  documents: ['login.md'],

  async run(context, flags: LogoutFlags) {
    const config = configFor(context);
    const report = await withHttp(context, (http) => logOut(context, config, http, flags));
    if (!report.wasLoggedIn) refuseUnknownProfile(context, config.profile);
    if (flags.forgetClient) await forgetClient(config, config.get('baseUrl'));
    const forgotten = flags.forgetClient
      ? ['The client ID is forgotten here; the platform keeps the application.']
      : [];
    const text = joinTexts([logoutText(report, context.clock.now()), ...forgotten]);
    context.output.result(
      {
        type: 'logout',
        ...report,
        revocations: report.revocations.map((one) => withIsoTimes(one, 'expiresAt')),
      },
      text,
    );
    return ExitCode.ok;
  },
};

/**
 * Ends the login in an order that leaves no wrong state behind, however far it comes:
 *
 * 1. Mark the stored login as ended. If the store cannot be changed, nothing else happens.
 * 2. Revoke its tokens at the service. A token that cannot be revoked is reported.
 * 3. Delete the login, then the account in the configuration. Deleting needs no space on a disk.
 *
 * If the store has no login, the account stays in the configuration: its login may be in another state
 * folder.
 *
 * After a crash in between, the store still has the tokens: the next logout revokes and deletes them.
 *
 * @throws SyncError `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`, `CONFIG`, `STORAGE`, `BUSY`, `INTERRUPTED`;
 *   its message names the completed steps.
 */
async function logOut(context: AppContext, config: Config, http: Http, { localOnly }: LogoutFlags) {
  const store = openLoginStore(config, { ...context, attended: context.io.interactive });
  const { paths, profile } = config;
  return await withLoginLock(context, { stateDir: paths.stateDir, profile }, async () => {
    // A damaged login cannot be revoked, but it can be deleted.
    const login = await loadUndamaged(store, context.signal);
    if (login !== undefined && !localOnly) await markEnded(context, store, login);
    const revocations =
      login === undefined ? [] : await revokeAll(context, config, http, login, localOnly);
    const wasLoggedIn = await deleteLogin(store, revocations);
    if (wasLoggedIn) await forgetAccount(config);
    return {
      profile,
      /** `false`: there was no login to delete. */
      wasLoggedIn,
      account: config.account,
      service: login?.service,
      store: store.describe(),
      revocations,
      /** Tokens in the environment stay in use while the variables are set. */
      environmentTokens: hasEnvironmentTokens(config),
    };
  });
}

/**
 * Marks a login as ended, which also proves that the store can be changed.
 *
 * @throws SyncError if it cannot; the login stays unchanged
 */
async function markEnded(
  { clock, signal }: AppContext,
  store: CredentialStore,
  login: Credentials,
): Promise<void> {
  try {
    await store.save({ ...login, endedAt: login.endedAt ?? clock.now() }, signal);
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
    // There is no space for the mark, but the login can be deleted.
    if (error.details['disk'] === 'full') return;
    throw before(error, 'Nothing was revoked: the login could not be deleted afterwards.');
  }
}

async function deleteLogin(
  store: CredentialStore,
  revocations: readonly Revocation[],
): Promise<boolean> {
  try {
    return await store.delete(NEVER);
  } catch (error) {
    const isRevoked = revocations.some(({ outcome }) => outcome === 'revoked');
    const done = isRevoked ? 'The login was revoked, but not deleted' : 'The login was not deleted';
    throw before(error, `${done} from ${store.describe()}.`);
  }
}

/** Ends the login in the profile, which keeps the athlete's ID alone: `sync explain` reads that ledger. */
async function forgetAccount({ account, paths, profile, profiles }: Config): Promise<void> {
  if (!profiles.includes(profile)) return;
  const former = account === undefined ? {} : { account: { id: account.id } };
  try {
    await changeProfile(paths, profile, { ...former, loginId: null, loggedOut: true });
  } catch (error) {
    const done = `The login was deleted, but ${paths.configFile} still names its account.`;
    throw before(error, done, phrase`${sync('login')} replaces it.`);
  }
}

/** Returns an error that begins with the completed steps and ends with the `next` one; returns other faults unchanged. */
function before(
  error: unknown,
  done: string,
  next = phrase`Then run ${sync('logout')} again.`,
): unknown {
  if (!(error instanceof SyncError)) return error;
  const { message, hint } = error;
  return error.with({
    message: `${done} ${message}`,
    hint: hint === undefined ? next : phrase`${hint} ${next}`,
  });
}

/** Revokes the refresh token first: many services end the whole login with it. */
async function revokeAll(
  context: AppContext,
  config: Config,
  http: Http,
  login: Credentials,
  localOnly: boolean,
): Promise<readonly Revocation[]> {
  // Ctrl-C ends the requests, as the time limit does; the login is deleted in any case.
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(REVOKE_LIMIT_MS)]);
  const revocations: Revocation[] = [];
  /** Why the service cannot be reached: the next token does not wait for the same failure. */
  let unreachable: string | undefined;
  for (const kind of ['refresh', 'access'] as const) {
    if (login.tokens[`${kind}Token`] === undefined) continue;
    const token = `${kind} token` as const;
    const left = { token, expiresAt: login.tokens[`${kind}ExpiresAt`] };
    if (localOnly) revocations.push({ ...left, outcome: 'not-tried' });
    else if (unreachable !== undefined) {
      revocations.push({ ...left, outcome: 'failed', message: unreachable });
    } else {
      const own = { ...context, signal };
      const { isUnreachable, ...result } = await revokeTokenOf(own, http, config, login, kind);
      revocations.push({ ...(result.outcome === 'revoked' ? { token } : left), ...result });
      if (isUnreachable === true) unreachable = result.message;
    }
  }
  return revocations;
}

function logoutText(report: LogoutReport, now: number): Text {
  const { account, profile, revocations, store } = report;
  const lines = [
    report.wasLoggedIn
      ? `Logged out${account === undefined ? '' : ` ${who(account)}`}: the login was deleted from ${store}.`
      : `There was no login to delete (profile "${profile}").`,
    ...(report.wasLoggedIn || account === undefined
      ? []
      : [
          `The configuration names ${who(account)}: that login may be in another state folder (SYNC_STATE_DIR).`,
        ]),
    ...revocations.flatMap((revocation) => revocationText(revocation, now)),
  ];
  if (report.environmentTokens) {
    lines.push('SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is still set, and is still used.');
  }
  return joinTexts(lines);
}

function revocationText({ token, outcome, message, expiresAt }: Revocation, now: number): string[] {
  const left =
    expiresAt === undefined || expiresAt <= now
      ? ''
      : ` It works for ${duration(expiresAt - now)} more.`;
  switch (outcome) {
    case 'revoked':
      return [];
    case 'not-tried':
      return [`The ${token} was not revoked at the platform (--local-only).${left}`];
    case 'unsupported':
      return [`The platform cannot revoke tokens; the ${token} expires later.${left}`];
    case 'failed':
      return [
        `The ${token} could not be revoked at the platform: ${(message ?? 'no reason given').replace(/\.$/, '')}.${left}`,
        'You can end the login on the web site of the platform.',
      ];
  }
}
