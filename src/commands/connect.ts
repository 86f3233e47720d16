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
  /** What the ledger files this login's work under. May ask the service who the token belongs to. */
  ledgerAccount(): Promise<string>;
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
    async ledgerAccount() {
      const { access, refresh } = config.environmentTokens;
      if (access === undefined && refresh === undefined) return accountKey(config, config.account);
      const account = await (await open()).whoIs(deps.signal);
      if (account !== undefined) return accountKey(config, account);
      // A service that does not say who it is: what this very token did is still remembered.
      const token = (access ?? refresh)?.reveal() ?? '';
      const { createHash } = await import('node:crypto');
      const digest = createHash('sha256').update(token).digest('hex').slice(0, 16);
      return `${accountKey(config, undefined)} token:${digest}`;
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
