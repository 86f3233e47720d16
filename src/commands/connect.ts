import { existsSync } from 'node:fs';
import { type Account, type Config, accountKey } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { ServiceClient } from '../service/client.ts';
import type { RetryPolicy } from '../service/retry.ts';

export interface ConnectOptions {
  readonly version: string;
  /** Requests under way at once. */
  readonly connections: number;
  /** Somebody is there who can answer an unlock prompt. */
  readonly attended: boolean;
  readonly onWarning: (text: string) => void;
  /** For `--verbose`: one line a request. */
  readonly trace: (line: string) => void;
  readonly retry?: RetryPolicy;
}

/** The service, reached when it is first asked for; until then no login is read. */
export interface Connection {
  client(): Promise<ServiceClient>;
  /**
   * What the ledger files this login's work under. For a token from the environment the service is
   * asked once whose it is, unless `offline` (a dry run, which sends nothing).
   */
  ledgerAccount(options: { readonly offline: boolean }): Promise<string>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** What is loaded and opened with the first request. */
export interface OpenConnection {
  readonly client: ServiceClient;
  /** The athlete that the token belongs to; undefined where the service does not say. */
  whoIs(signal: AbortSignal): Promise<Account | undefined>;
  close(): Promise<void>;
}

export function connect(config: Config, deps: Deps, options: ConnectOptions): Connection {
  let opened: Promise<OpenConnection> | undefined;
  const open = () =>
    (opened ??= import('./open-connection.ts').then(({ openConnection }) =>
      openConnection(config, deps, options),
    ));
  return {
    client: async () => (await open()).client,
    async ledgerAccount({ offline }) {
      const byToken = await environmentKey(config);
      if (byToken === undefined) return accountKey(config, config.account);
      return await rememberedAccount(config, byToken, async () => {
        if (offline) return undefined;
        const account = await (await open()).whoIs(deps.signal);
        return account === undefined ? byToken : accountKey(config, account);
      });
    },
    async close() {
      if (opened === undefined) return;
      await opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}

/**
 * What the ledger files the work of a token from the environment under as long as nobody knows whose
 * it is: where a service does not say that, what this very token did is still remembered. Undefined
 * where there is no such token.
 */
async function environmentKey(config: Config): Promise<string | undefined> {
  const { access, refresh } = config.environmentTokens;
  const token = access ?? refresh;
  if (token === undefined) return undefined;
  const { createHash } = await import('node:crypto');
  const digest = createHash('sha256').update(token.reveal()).digest('hex').slice(0, 16);
  return `${accountKey(config, undefined)} token:${digest}`;
}

/**
 * Whose login this is, as far as this machine knows: nobody is asked, nothing is made. `key` is what
 * the ledger files its work under.
 */
export async function knownAccount(
  config: Config,
): Promise<{ readonly key: string; readonly account: Account | undefined }> {
  const byToken = await environmentKey(config);
  const stored = accountKey(config, config.account);
  if (byToken === undefined) return { key: stored, account: config.account };
  const key = await rememberedAccount(config, byToken);
  if (key === stored) return { key, account: config.account };
  const anybody = accountKey(config, { id: '' });
  return { key, account: key.startsWith(anybody) ? { id: key.slice(anybody.length) } : undefined };
}

/** What was found out about a token before; else what `ask` finds out, which is remembered; else `name`. */
async function rememberedAccount(
  config: Config,
  name: string,
  ask?: () => Promise<string | undefined>,
): Promise<string> {
  const { openDatabase } = await import('../ledger/database.ts');
  const { facts } = await import('../ledger/facts.ts');
  const { ledgerPath } = await import('./open-ledger.ts');
  if (ask === undefined && !existsSync(ledgerPath(config))) return name;
  const database = openDatabase(ledgerPath(config));
  try {
    const known = facts(database).find(name);
    if (known !== undefined) return known;
    const found = await ask?.();
    if (found !== undefined) facts(database).remember(name, found);
    return found ?? name;
  } finally {
    database.close();
  }
}
