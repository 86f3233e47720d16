import { SyncError, messageOf } from '../base/errors.ts';
import { secretIn } from '../config/config.ts';
import type { Credentials, SessionStore } from '../credentials/store.ts';
import type { TokenStore, Tokens } from './types.ts';

/** Names the only login of a client, in place of an athlete. */
export const LOGIN_ID = 'client';

export function memoryStore(tokens: Tokens): TokenStore {
  let current = tokens;
  return {
    load: () => Promise.resolve(current),
    save(next) {
      current = next;
      return Promise.resolve();
    },
  };
}

/** Returns the {@link SessionStore} over a store of the package's user. */
export function credentialStore(
  store: TokenStore,
  {
    service,
    clientId,
    clientSecret,
  }: Pick<Credentials, 'service' | 'clientSecret'> & { readonly clientId: string | undefined },
  now: () => number,
): SessionStore {
  /** What a {@link TokenStore} does not keep: when a refresh began, when the login ended. */
  let notes: Partial<Credentials> = {};
  let noted: string | undefined;
  const save = async (credentials: Credentials): Promise<void> => {
    const { accessToken, refreshToken, accessExpiresAt, scopes } = credentials.tokens;
    const { refreshStartedAt, endedAt } = credentials;
    await attempt('save', () =>
      store.save({
        accessToken: accessToken?.reveal(),
        refreshToken: refreshToken?.reveal(),
        expiresAt: accessExpiresAt,
        scopes,
      }),
    );
    notes = { refreshStartedAt, endedAt };
    noted = refreshToken?.reveal();
  };
  return {
    kind: 'file',
    describe: () => "the client's store",
    async load() {
      const found: Tokens = (await attempt('load', () => store.load())) ?? {};
      const accessToken = secretIn('accessToken', found.accessToken);
      const refreshToken = secretIn('refreshToken', found.refreshToken);
      if (accessToken === undefined && refreshToken === undefined) return undefined;
      return {
        service,
        clientId: clientId ?? '',
        clientSecret,
        accountId: undefined,
        loginId: LOGIN_ID,
        // Notes of other tokens: there was another login.
        ...(noted === refreshToken?.reveal() ? notes : {}),
        tokens: {
          accessToken,
          refreshToken,
          scopes: found.scopes,
          obtainedAt: now(),
          accessExpiresAt: found.expiresAt,
          refreshExpiresAt: undefined,
        },
      };
    },
    save,
    async prepareSave(credentials) {
      if (clientId === undefined) throw noClientId(credentials);
      await save(credentials);
      return { commit: save, discard: () => undefined };
    },
  };
}

function noClientId({ tokens: { accessExpiresAt } }: Credentials): SyncError {
  const since =
    accessExpiresAt === undefined ? '' : ` (${new Date(accessExpiresAt).toISOString()})`;
  return new SyncError(
    'CONFIG',
    `The access token has ended${since}, and a client without clientId cannot refresh it.`,
    {
      hint: 'Give createClient the clientId that the tokens were issued to. If the sandbox has a clock of its own (now), give the client the same one.',
    },
  );
}

async function attempt<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    throw new SyncError('STORAGE', `The client's store failed to ${what}: ${messageOf(cause)}`, {
      hint: 'Fix the store. The tokens so far stay in use.',
      cause,
    });
  }
}
