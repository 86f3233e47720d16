import type { Http } from '../api/http.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { secretFor } from '../credentials/open-store.ts';
import type { Credentials } from '../credentials/store.ts';
import { revokeToken } from './token-endpoint.ts';

/** `unsupported`: the service cannot revoke; `failed`: the token may still work there. */
export interface RevokeOutcome {
  readonly outcome: 'revoked' | 'unsupported' | 'failed';
  /** Why it failed. */
  readonly message?: string;
  readonly isUnreachable?: boolean;
}

/** Revokes a token of a login at the service that issued it; never rejects. An absent token counts as revoked. */
export async function revokeTokenOf(
  context: Context,
  http: Http,
  config: Config,
  login: Credentials,
  kind: 'refresh' | 'access',
): Promise<RevokeOutcome> {
  const { accessToken, refreshToken } = login.tokens;
  const [token, other] =
    kind === 'access' ? [accessToken, refreshToken] : [refreshToken, accessToken];
  if (token === undefined) return { outcome: 'revoked' };
  const url = endpointUrl(new URL(login.service), config.endpoints.revoke);
  const client = { id: login.clientId, secret: secretFor(login, config) };
  try {
    const request = { client, token, other, kind: `${kind}_token` } as const;
    const outcome = await revokeToken(context, { http, url }, request);
    return { outcome };
  } catch (error) {
    const isOurs = error instanceof SyncError;
    return {
      outcome: 'failed',
      message: isOurs ? error.message : 'no answer in time',
      isUnreachable: context.signal.aborted || (isOurs && error.code === 'NETWORK'),
    };
  }
}
