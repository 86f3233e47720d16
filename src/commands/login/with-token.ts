import type { AppContext } from '../../app/context.ts';
import { whoAmI } from '../../api/account.ts';
import { RETRIES } from '../../api/retry.ts';
import { refreshTokens } from '../../auth/token-endpoint.ts';
import { type NewTokens, decodeTokenResponse } from '../../auth/token-response.ts';
import { SyncError } from '../../base/errors.ts';
import { JsonTooDeep, parseJson } from '../../base/json.ts';
import { NEVER } from '../../base/tasks.ts';
import { accountUrls } from '../../config/config.ts';
import { endpointUrl } from '../../config/endpoints.ts';
import type { LoginAttempt } from './store.ts';
import { readStdin } from './target.ts';

/** Reads a token response from stdin for `--with-token`, and tries its access token. */
export async function tokensFromStdin(
  context: AppContext,
  { config, http, baseUrl, clientId, clientSecret }: LoginAttempt,
): Promise<NewTokens> {
  context.output.say('Reading the token response from stdin.');
  const tokens = readTokens(await readStdin(context), context.clock.now());
  // Only a 401 counts here. The login asks for the account again, with retries, when it is stored.
  const asked = {
    ...accountUrls(config, baseUrl),
    http,
    policy: RETRIES.none,
    needsProof: true,
  };
  const who = await whoAmI(context, asked, tokens.accessToken);
  if (who.kind !== 'rejected') return tokens;
  if (tokens.refreshToken === undefined) {
    throw new SyncError('AUTH_REFUSED', 'The platform does not accept the token from stdin.', {
      hint: 'It may be too old, or for another platform: check the address.',
    });
  }
  // The access token has expired. The refresh is not interrupted: it may use up the refresh token.
  return await refreshTokens(
    { ...context, signal: NEVER },
    { http, url: endpointUrl(baseUrl, config.endpoints.token) },
    {
      client: { id: clientId, secret: clientSecret },
      refreshToken: tokens.refreshToken,
      before: tokens,
    },
  );
}

function readTokens(text: string, now: number): NewTokens {
  const hint = 'Pipe in the whole answer of the token endpoint: {"access_token": "...", ...}.';
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    // The parser's message would quote the input, which may be a token.
    const problem = error instanceof JsonTooDeep ? error.message : 'the input on stdin is not JSON';
    throw new SyncError('CONFIG', `--with-token: ${problem}.`, { hint });
  }
  try {
    const context = { now, askedScopes: undefined };
    return decodeTokenResponse(parsed, context, '--with-token: the input on stdin');
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    throw error.with({ code: 'CONFIG', hint });
  }
}
