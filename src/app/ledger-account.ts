import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { WhoAmI } from '../auth/account.ts';
import { type Account, type Config, accountKey } from '../config/config.ts';
import { changeProfile } from '../config/config-write.ts';
import { SyncError } from '../base/errors.ts';
import {
  accountByToken,
  adoptAccount,
  hasAccountLike,
  rememberTokenAccount,
} from '../ledger/accounts.ts';
import { type Database, openDatabase } from '../ledger/database.ts';
import type { Secret } from '../base/secret.ts';
import { ledgerPath } from './config.ts';

/** Asks the service whose login it is. @throws SyncError as a token source does */
type Ask = () => Promise<WhoAmI>;

/**
 * What the ledger files the work of a stored login under whose athlete could not be told when it was
 * made. It may be somebody else's than the one before: nothing is taken for granted. On a service
 * that has said before whose login it is, nothing is delivered until it says so again; under
 * another name, everything that it ever confirmed would be forgotten, and sent once more.
 *
 * @throws SyncError `NETWORK`, `SERVICE_UNAVAILABLE`, `AUTH_EXPIRED`: nothing was sent; `AUTH_REQUIRED`.
 */
export async function accountOfLogin(
  config: Config,
  ask: Ask,
  onWarning: (text: string) => void,
): Promise<string> {
  const { paths, profile, loginId } = config;
  const who = await ask();
  const wasTold = await withDatabase(config, (database) => saysWho(database, config));
  if (wasTold && who.kind === 'unreachable') throw notNow(who.error);
  if (wasTold && who.kind === 'rejected') throw notAccepted();
  if (who.kind === 'unreachable') return accountKey(config, undefined);
  if (who.kind === 'known') {
    const { account } = who;
    if (!(await changeProfile(paths, profile, { account, ofLogin: loginId }))) {
      throw new SyncError(
        'AUTH_REQUIRED',
        `Somebody logged in or out with profile "${profile}" in the meantime.`,
        { hint: 'Start the command again.' },
      );
    }
    return accountKey(config, account);
  }
  if (wasTold) {
    onWarning(
      'The service does not say any more whose login this is: what it confirmed before is not known for this one.',
    );
  }
  await changeProfile(paths, profile, { loginId: null, ofLogin: loginId });
  return accountKey(config, undefined);
}

/**
 * What the ledger files the work of a token from the environment under. A service that does not say
 * whose it is: what this very token did is still remembered.
 *
 * @param offline the service is not asked.
 * @throws SyncError `NETWORK`, `SERVICE_UNAVAILABLE`, `AUTH_EXPIRED`: nothing was sent.
 */
export async function accountOfToken(
  config: Config,
  token: Secret,
  offline: boolean,
  ask: Ask,
): Promise<string> {
  const byToken = tokenKey(config, token);
  return await withDatabase(config, async (database) => {
    const remembered = accountByToken(database, byToken);
    if (remembered !== undefined) return remembered;
    if (offline) return byToken;
    const who = await ask();
    if (who.kind === 'rejected') throw notAccepted();
    if (who.kind === 'unreachable') {
      const { error } = who;
      if (error.code === 'NETWORK' || saysWho(database, config)) throw notNow(error);
      return byToken;
    }
    const account = who.kind === 'known' ? accountKey(config, who.account) : byToken;
    rememberTokenAccount(database, byToken, account);
    adoptAccount(database, byToken, account);
    return account;
  });
}

/**
 * Whose login this is, as far as this machine knows: nobody is asked, and nothing is made.
 *
 * @returns the account, undefined where nobody said yet; and what the ledger files its work under
 */
export async function knownAccount(
  config: Config,
): Promise<{ readonly key: string; readonly account: Account | undefined }> {
  const stored = accountKey(config, config.account);
  const { access, refresh } = config.environmentTokens;
  const token = access ?? refresh;
  if (token === undefined) return { key: stored, account: config.account };
  const byToken = tokenKey(config, token);
  const key = existsSync(ledgerPath(config))
    ? await withDatabase(config, (database) => accountByToken(database, byToken) ?? byToken)
    : byToken;
  if (key === stored) return { key, account: config.account };
  const anybody = accountKey(config, { id: '' });
  return { key, account: key.startsWith(anybody) ? { id: key.slice(anybody.length) } : undefined };
}

function tokenKey(config: Config, token: Secret): string {
  const digest = createHash('sha256').update(token.reveal()).digest('hex').slice(0, 16);
  return `${accountKey(config, undefined)} token:${digest}`;
}

/** Has this service ever said whose login it was? Else there is nothing to forget. */
function saysWho(database: Database, config: Config): boolean {
  return hasAccountLike(database, accountKey(config, { id: '' }));
}

async function withDatabase<T>(
  config: Config,
  task: (database: Database) => T | Promise<T>,
): Promise<T> {
  const database = openDatabase(ledgerPath(config));
  try {
    return await task(database);
  } finally {
    database.close();
  }
}

function notNow(error: SyncError): SyncError {
  return new SyncError(
    error.code,
    `The service cannot say now whose login this is, and nothing is sent before it does. ${error.message}`,
    { hint: 'Try again later; the same command continues.', cause: error, details: error.details },
  );
}

function notAccepted(): SyncError {
  return new SyncError('AUTH_EXPIRED', 'The service does not accept this login any more.', {
    hint: 'Run `sync login`; where the token is in the environment, set a new one.',
  });
}
