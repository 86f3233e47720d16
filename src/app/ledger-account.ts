import { existsSync } from 'node:fs';
import type { WhoAmI } from '../api/account.ts';
import { CONTINUES, SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import {
  type Account,
  type Config,
  accountKey,
  environmentToken,
  requireBaseUrl,
  tokenKeyPrefix,
} from '../config/config.ts';
import { serviceId } from '../config/endpoints.ts';
import { changeProfile } from '../config/config-write.ts';
import {
  accountByToken,
  moveAccount,
  hasAccountLike,
  rememberTokenAccount,
} from '../ledger/accounts.ts';
import { type Database, openDatabase } from '../ledger/database.ts';
import { moveCopies } from '../ledger/outbox.ts';
import { ledgerPath } from './config.ts';
import { sha256 } from '../system/this-process.ts';

/*
 * The ledger is one file for all accounts of this user. Each row of it has a key: the account that
 * the upload or record belongs to. What one account sent must not count as sent for another, so the
 * key is the athlete, if the service names one. The userinfo endpoint does; the interface does not
 * require it.
 *
 *   https://training.example athlete:42             the service named the athlete
 *   https://training.example profile:work           a stored login; athlete unknown
 *   https://training.example profile:work 8c41      the same, after a login of another athlete
 *   https://training.example profile:work token:1f  a token from the environment; athlete unknown
 *   https://training.example named:ada              the same; SYNC_ACCOUNT names the athlete
 *
 * Usually `sync login` learns the athlete and saves it in the profile, or saves the name of the ledger if the
 * service names no athlete: then nothing here is called.
 * This file is for the other cases, and asks the service before anything is sent:
 *
 * - The service did not answer during the login. The profile then holds a random login ID in place
 *   of the athlete ({@link keyOfLogin}).
 * - The token comes from the environment, so that no profile describes it ({@link keyOfToken}).
 *
 * Example: Ada uploads 100 rides as athlete:42, and logs in again while userinfo answers 503. The next
 * `sync upload` asks again. If it answers "42", none of the rides is sent again; if "43", Ben logged in,
 * and Ada's rides do not count as his. If it answers 503 again, the command fails with exit code 5: as
 * profile:work it would send all rides again.
 */

/**
 * Returns the ledger key for a stored login that was made without a known athlete. Saves the
 * athlete in the profile if the service names one now.
 *
 * A service that named an athlete before has to do so again: until then nothing is sent.
 *
 * @param ask asks the service who is logged in. @throws SyncError as a token source does
 * @throws SyncError `NETWORK`, `SERVICE_UNAVAILABLE`, `AUTH_EXPIRED`: nothing was sent.
 *   `AUTH_REQUIRED` if another process logged in or out with this profile meanwhile.
 */
export async function keyOfLogin(
  config: Config,
  ask: () => Promise<WhoAmI>,
  onWarning: (text: string) => void,
): Promise<string> {
  const { paths, profile, loginId, unnamedLedger } = config;
  const keyOfProfile = accountKey(config, undefined);
  const who = await ask();
  const namedBefore = await withDatabase(config, (database) => hasNamedAthlete(database, config));
  switch (who.kind) {
    case 'known': {
      const { account } = who;
      const isSameLogin = await changeProfile(paths, profile, { account, ofLogin: loginId });
      if (!isSameLogin) throw loginChanged(profile);
      return accountKey(config, account);
    }
    case 'unreachable':
      if (namedBefore) throw accountUnknown(who.error);
      // A watcher opens a login again after each change of the profile.
      if (!config.isUnnamed)
        await changeProfile(paths, profile, { unnamed: unnamedLedger, ofLogin: loginId });
      return keyOfProfile;
    case 'rejected':
      if (namedBefore) throw loginRejected();
      break;
    case 'unknown':
      if (namedBefore) {
        onWarning(
          'The platform no longer names the account of a login: what it confirmed earlier is unknown for this login.',
        );
      }
  }
  // The service does not name accounts: without a login ID, later commands do not ask again.
  await changeProfile(paths, profile, {
    loginId: null,
    unnamed: unnamedLedger,
    ofLogin: loginId,
  });
  return keyOfProfile;
}

/**
 * Returns the ledger key for a token from the environment. The ledger remembers the athlete of a
 * token, so the service is asked once for each token. If it does not name accounts, the user's name for the
 * athlete makes the key, which takes over what this token sent; without one, a digest of the token does.
 *
 * @param athleteName default: `SYNC_ACCOUNT`, which must not contradict the service
 * @throws SyncError `NETWORK`, `SERVICE_UNAVAILABLE`, `AUTH_EXPIRED`, `CONFIG`: nothing was sent.
 */
export async function keyOfToken(
  config: Config,
  token: Secret,
  athleteName: string | undefined,
  ask: () => Promise<WhoAmI>,
): Promise<string> {
  const byDigest = digestKey(config, token);
  const byName = namedKey(config, athleteName) ?? byDigest;
  return await withDatabase(config, async (database) => {
    const settled = settledKey(database, config, token, athleteName);
    if (settled !== undefined) return settled;
    const who = await ask();
    if (who.kind === 'rejected') throw loginRejected();
    if (who.kind === 'unreachable') {
      const { error } = who;
      if (error.code === 'NETWORK' || hasNamedAthlete(database, config))
        throw accountUnknown(error);
      return byName;
    }
    const key = who.kind === 'known' ? accountKey(config, who.account) : byName;
    if (athleteName === undefined) refuseOtherName(config, key);
    rememberTokenAccount(database, byDigest, key);
    for (const before of [byDigest, byName]) {
      moveCopies(config.paths.stateDir, before, key);
      moveAccount(database, before, key);
    }
    return key;
  });
}

/**
 * Returns the account that this machine knows. Sends no request, and creates no file.
 *
 * @param athleteName as for {@link keyOfToken}
 * @returns the account, undefined if the service has not named it yet; and its ledger key, after a logout that
 *   of the last one
 */
export async function knownAccount(
  config: Config,
  athleteName?: string,
): Promise<{ readonly key: string; readonly account: Account | undefined }> {
  const keyOfProfile = accountKey(config, config.account);
  const token = environmentToken(config);
  const { account, formerAccount } = config;
  if (token === undefined) return { key: accountKey(config, account ?? formerAccount), account };
  const settled = existsSync(ledgerPath(config.paths))
    ? await withDatabase(config, (database) => settledKey(database, config, token, athleteName))
    : undefined;
  const key = settled ?? namedKey(config, athleteName) ?? digestKey(config, token);
  if (key === keyOfProfile) return { key, account: config.account };
  const [, , id] = NAMED.exec(key) ?? [];
  return { key, account: id === undefined ? undefined : { id } };
}

/**
 * Returns the ledger key of a token that an earlier command settled. Undefined if it has to ask the service: none did, or
 * the user has named the athlete since.
 *
 * @throws SyncError `CONFIG` as {@link refuseOtherName} does
 */
function settledKey(
  database: Database,
  config: Config,
  token: Secret,
  athleteName?: string,
): string | undefined {
  const key = accountByToken(database, digestKey(config, token));
  if (key === undefined) return undefined;
  if (athleteName === undefined) refuseOtherName(config, key);
  const byName = namedKey(config, athleteName) ?? key;
  return key === byName || key.startsWith(athletePrefix(config)) ? key : undefined;
}

/** Matches a ledger key that names an athlete, with the service and the athlete. */
const NAMED = /^(\S+) (?:athlete|named):(.+)$/s;

/** Names the athlete of a ledger key for people; undefined if the key names none. */
export function athleteOf(key: string): string | undefined {
  const [, service = '', athlete] = NAMED.exec(key) ?? [];
  return athlete === undefined ? undefined : `${athlete} at ${service}`;
}

/** @throws SyncError `CONFIG` if `SYNC_ACCOUNT` names another athlete than the service does */
function refuseOtherName(config: Config, key: string): void {
  const { athleteName } = config;
  const prefix = athletePrefix(config);
  if (athleteName === undefined || !key.startsWith(prefix)) return;
  const id = key.slice(prefix.length);
  if (id === athleteName) return;
  throw new SyncError(
    'CONFIG',
    `SYNC_ACCOUNT is "${athleteName}", but the platform says that the token belongs to ${id}.`,
    { hint: 'Unset SYNC_ACCOUNT: it is for platforms that do not name the athlete.' },
  );
}

/** Returns the ledger key of an athlete whom the user names; undefined if there is no name. */
function namedKey(config: Config, name = config.athleteName): string | undefined {
  return name === undefined ? undefined : `${serviceId(requireBaseUrl(config))} named:${name}`;
}

function digestKey(config: Config, token: Secret): string {
  return `${tokenKeyPrefix(config)}${sha256(token.reveal()).slice(0, 16)}`;
}

function athletePrefix(config: Config): string {
  return accountKey(config, { id: '' });
}

/**
 * Returns whether this service ever named an athlete. If not, the ledger holds nothing that could be sent
 * twice.
 */
function hasNamedAthlete(database: Database, config: Config): boolean {
  return hasAccountLike(database, athletePrefix(config));
}

async function withDatabase<T>(
  config: Config,
  task: (database: Database) => T | Promise<T>,
): Promise<T> {
  const database = openDatabase(ledgerPath(config.paths));
  try {
    return await task(database);
  } finally {
    database.close();
  }
}

function loginChanged(profile: string): SyncError {
  return new SyncError(
    'AUTH_REQUIRED',
    `Another process logged in or out with profile "${profile}" during this command.`,
    { hint: 'Run the command again.' },
  );
}

function accountUnknown(error: SyncError): SyncError {
  return error.with({
    message: `${error.message} Nothing was sent: the athlete of this login is not known yet.`,
    hint: error.hint ?? CONTINUES,
  });
}

export function loginRejected(): SyncError {
  return new SyncError('AUTH_EXPIRED', 'The platform no longer accepts this login.', {
    hint: phrase`Run ${sync('login')}; if the token is in the environment, set a new one.`,
  });
}
