import { openSession } from '../auth/open-session.ts';
import type { Config } from '../config/config.ts';
import type { Deps } from '../app/deps.ts';
import type { Secret } from '../base/secret.ts';
import type { Http } from '../api/http.ts';

export interface TokenNeeds {
  readonly config: Config;
  readonly deps: Deps;
  readonly http: Http;
  readonly onWarning: (warning: string) => void;
}

export interface TokenReport {
  /** The one thing that this command is there to reveal. */
  readonly accessToken: Secret;
  /** ms since 1970; absent: the service did not say. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[] | undefined;
}

/**
 * A valid access token, refreshed first where its time is up.
 *
 * @throws SyncError `AUTH_REQUIRED`, `AUTH_EXPIRED`, `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`, `NETWORK`,
 *   `SERVICE_UNAVAILABLE`, `CONFIG`, `INTERRUPTED`.
 */
export async function runToken(needs: TokenNeeds): Promise<TokenReport> {
  const { config, deps, http, onWarning } = needs;
  const attended = deps.io.interactive;
  const session = openSession(config, { ...deps, http, attended, onWarning });
  try {
    const accessToken = await session.accessToken(deps.signal);
    const { tokens } = await session.credentials(deps.signal);
    return { accessToken, expiresAt: tokens.accessExpiresAt, scopes: tokens.scopes };
  } finally {
    await session.close();
  }
}
