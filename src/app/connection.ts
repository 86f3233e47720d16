import { type Config, accountKey, environmentToken, requireBaseUrl } from '../config/config.ts';
import { type EndpointName, endpointUrl } from '../config/endpoints.ts';
import { statedKind } from '../config/platforms.ts';
import type { PlatformKind } from '../config/settings.ts';
import type { WhoAmI } from '../api/account.ts';
import type { ServiceClient } from '../api/client.ts';
import { hearSignals } from '../system/signals.ts';
import type { AppContext } from './context.ts';
import type { ConnectOptions, OpenConnection } from './open-connection.ts';

export interface Service {
  /** Resolves once there is a login to send with. @throws SyncError as a token source does */
  readonly client: () => Promise<ServiceClient>;
  /** Returns the address of an endpoint, for `--dry-run`. */
  readonly url: (endpoint: EndpointName) => URL;
  /** Name of the file part of an upload. */
  readonly filePart: string;
  /** The kind of the platform, if the user or the table of platforms states it. */
  readonly kind: PlatformKind | undefined;
}

/** The service, contacted on first use; until then no login is read. */
export interface Connection extends Service {
  /**
   * Returns the ledger's account key for this login. If the athlete is still unknown, asks the service
   * once, unless `offline`: then nothing is asked, and it is that of the last login after a logout.
   *
   * @throws SyncError if the ledger needs the athlete and the service cannot say now who it is.
   */
  ledgerAccount(options: { readonly offline: boolean }): Promise<string>;
  /** Returns who is logged in, and whether the service takes the login. */
  whoIs(signal: AbortSignal): Promise<WhoAmI>;
  close(): Promise<void>;
}

/** Prepares a connection to the service; loads and opens it with the first request. */
export function connect(context: AppContext, config: Config, options: ConnectOptions): Connection {
  let opened: Promise<OpenConnection> | undefined;
  const load = async () => {
    const heard = hearSignals();
    const { openConnection } = await import('./open-connection.ts');
    await heard;
    return await openConnection(context, config, options);
  };
  const open = () => (opened ??= load());
  return {
    async client() {
      const connection = await open();
      await connection.logIn(context.signal);
      return connection.client;
    },
    url: (endpoint) => endpointUrl(requireBaseUrl(config), config.endpoints[endpoint]),
    filePart: config.get('endpoint.filePart'),
    kind: statedKind(config),
    async ledgerAccount({ offline }) {
      const token = environmentToken(config);
      const { account, loginId } = config;
      const isSettled = account !== undefined || loginId === undefined;
      if (token === undefined && isSettled && !offline) return accountKey(config, account);
      const { keyOfLogin, keyOfToken, knownAccount } = await import('./ledger-account.ts');
      const { athleteName } = options;
      if (offline) return (await knownAccount(config, athleteName)).key;
      const ask = async () => await (await open()).whoIs(context.signal);
      return token === undefined
        ? await keyOfLogin(config, ask, context.warn)
        : await keyOfToken(config, token, athleteName, ask);
    },
    whoIs: async (signal) => await (await open()).whoIs(signal, true),
    async close() {
      if (opened === undefined) return;
      await opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}

export async function withConnection<T>(
  context: AppContext,
  config: Config,
  options: ConnectOptions,
  task: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connect(context, config, options);
  try {
    return await task(connection);
  } finally {
    await connection.close();
  }
}
