import type { WhoAmI } from '../auth/account.ts';
import { type Config, accountKey } from '../config/config.ts';
import type { Deps } from './deps.ts';
import type { ServiceClient } from '../api/client.ts';
import type { RetryPolicy } from '../api/retry.ts';

export interface ConnectOptions {
  readonly version: string;
  /** Requests under way at once. */
  readonly connections: number;
  /** Somebody is there who can answer an unlock prompt. */
  readonly attended: boolean;
  readonly onWarning: (text: string) => void;
  /** The service asked for a pause that is long enough to be noticed. */
  readonly onPause: (text: string) => void;
  /** For `--verbose`: one line a request. */
  readonly trace: (line: string) => void;
  readonly retry?: RetryPolicy;
}

/** The service, reached when it is first asked for; until then no login is read. */
export interface Connection {
  client(): Promise<ServiceClient>;
  /**
   * What the ledger files this login's work under. Where it is not known yet whose login it is, the
   * service is asked once, unless `offline` (a dry run, which sends nothing).
   *
   * @throws SyncError where that has to be known and cannot be told now.
   */
  ledgerAccount(options: { readonly offline: boolean }): Promise<string>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** What is loaded and opened with the first request. */
export interface OpenConnection {
  readonly client: ServiceClient;
  /** Whose login it is. @throws SyncError as a token source does, where there is no token to ask with. */
  whoIs(signal: AbortSignal): Promise<WhoAmI>;
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
      const { access, refresh } = config.environmentTokens;
      const token = access ?? refresh;
      const settled = config.account !== undefined || config.loginId === undefined;
      if (token === undefined && (settled || offline)) return accountKey(config, config.account);
      const { keyOfLogin, keyOfToken } = await import('./ledger-account.ts');
      const ask = async () => await (await open()).whoIs(deps.signal);
      return token === undefined
        ? await keyOfLogin(config, ask, options.onWarning)
        : await keyOfToken(config, token, offline, ask);
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
