import { createServiceClient } from '../api/client.ts';
import type { Http } from '../api/http.ts';
import { platformAt } from '../config/platforms.ts';
import { RETRIES, atMost } from '../api/retry.ts';
import type { Service } from '../app/connection.ts';
import { openLedgerAt, targetsOf } from '../app/ledger.ts';
import { type WhoAmIOptions, whoIsLoggedIn } from '../api/account.ts';
import { Session } from '../auth/session.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import {
  DEFAULT_ENDPOINTS,
  DEFAULT_FILE_PART,
  type EndpointName,
  type Endpoints,
  endpointUrl,
  serviceId,
} from '../config/endpoints.ts';
import { isSettingKey, parseSetting } from '../config/settings.ts';
import { LOGIN_ID, credentialStore, memoryStore } from './token-store.ts';
import type { ClientOptions } from './types.ts';

/** The name of the profile in whose place a client stands, for locks. */
const PROFILE = 'client';

/** What a client opens with its first operation. */
export type Opened = Awaited<ReturnType<typeof openClient>>;

/** Opens HTTP, the login, and the ledger of its athlete. */
export async function openClient(
  context: Context,
  options: ClientOptions,
  http: Http,
  baseUrl: URL,
  stateDir: string,
) {
  const { clientId, clientSecret, filePart = DEFAULT_FILE_PART, maxRetryWait } = options;
  const endpoints = endpointsOf(options);
  const id = serviceId(baseUrl);
  const url = (endpoint: EndpointName) => endpointUrl(baseUrl, endpoints[endpoint]);
  const secret = clientSecret === undefined ? undefined : new Secret(clientSecret);
  const store = 'store' in options ? options.store : memoryStore(options.tokens);
  const now = () => context.clock.now();
  const session = new Session(context, {
    profile: PROFILE,
    stateDir,
    http,
    service: id,
    accountId: undefined,
    loginId: LOGIN_ID,
    store: credentialStore(store, { service: id, clientId, clientSecret: secret }, now),
    tokenUrl: url('token'),
    retry: atMost(RETRIES.tokens, maxRetryWait),
    secretOf: (login) => login.clientSecret,
  });
  const disconnect = async () => {
    await session.close();
    await http.close();
  };
  try {
    const client = createServiceClient(context, {
      baseUrl,
      kind: options.platformKind ?? platformAt(baseUrl)?.kind,
      endpoints,
      http,
      tokens: session,
      policy: atMost(RETRIES.run, maxRetryWait),
    });
    const athlete = await athleteOf(
      context,
      {
        http,
        userinfo: url('userinfo'),
        workouts: url('workouts'),
        policy: atMost(RETRIES.answer, maxRetryWait),
      },
      session,
    );
    const account = athlete === undefined ? `profile:${PROFILE}` : `athlete:${athlete}`;
    const ledger = openLedgerAt({ stateDir, account: `${id} ${account}` }, context.clock);
    const service: Service = {
      client: () => Promise.resolve(client),
      url,
      filePart,
      kind: client.kind,
    };
    return {
      client,
      service,
      ledger,
      targets: targetsOf(service, ledger),
      async close() {
        await disconnect();
        ledger.close();
      },
    };
  } catch (error) {
    await disconnect();
    throw error;
  }
}

/** Returns the platform's paths. @throws SyncError `CONFIG` for a name or a path that cannot be used */
export function endpointsOf({ endpoints = {} }: Pick<ClientOptions, 'endpoints'>): Endpoints {
  const changed = Object.entries(endpoints).map(([name, path]) => {
    const key = `endpoint.${name}`;
    if (!(name in DEFAULT_ENDPOINTS) || !isSettingKey(key)) {
      throw new SyncError('CONFIG', `endpoints.${name}: no such endpoint.`, {
        hint: `The endpoints are: ${Object.keys(DEFAULT_ENDPOINTS).join(', ')}.`,
      });
    }
    return [name, parseSetting(key, path, `endpoints.${name}`)];
  });
  return { ...DEFAULT_ENDPOINTS, ...Object.fromEntries(changed) } as Endpoints;
}

/** Returns the identifier of the athlete who is logged in; undefined if the service names none. */
async function athleteOf(
  context: Context,
  asked: WhoAmIOptions,
  session: Session,
): Promise<string | undefined> {
  const who = await whoIsLoggedIn(context, asked, session);
  switch (who.kind) {
    case 'known':
      return who.account.id;
    case 'unknown':
      return undefined;
    case 'unreachable':
      throw who.error;
    case 'rejected':
      throw new SyncError('AUTH_EXPIRED', 'The platform no longer accepts these tokens.');
  }
}
