import { PATIENT, whoAmI } from '../auth/account.ts';
import { refreshTokens } from '../auth/token-endpoint.ts';
import { decodeTokenResponse } from '../auth/token-response.ts';
import { SyncError } from '../base/errors.ts';
import { readStdin } from './login-questions.ts';
import type { LoginRun, NewTokens } from './login-run.ts';

const NEVER = new AbortController().signal;

/** `--with-token`: tokens that somebody else fetched, tried out before they are kept. */
export async function tokensFromStdin(run: LoginRun): Promise<NewTokens> {
  const { deps, http, notify, target, url } = run;
  notify({ type: 'reading-stdin' });
  const text = await readStdin(deps.io, deps.signal);
  let parsed: unknown;
  try {
    // PowerShell puts a mark before what it pipes.
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // The parser's message would quote what may be a token.
    throw new SyncError('CONFIG', '--with-token: what is on stdin is not JSON.', {
      hint: 'Pipe in the whole answer of the token endpoint: {"access_token": "...", ...}.',
    });
  }
  let tokens;
  try {
    const context = { now: deps.clock.now(), askedScopes: undefined };
    tokens = decodeTokenResponse(parsed, context, '--with-token: what is on stdin');
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    throw new SyncError('CONFIG', error.message, {
      hint: 'Pipe in the whole answer of the token endpoint: {"access_token": "...", ...}.',
      details: error.details,
    });
  }
  // Only a clear no counts here: whose it is, is asked for with patience when it is kept.
  const policy = { ...PATIENT, attempts: 1 };
  const needs = { http, clock: deps.clock, url: url('userinfo'), policy };
  const who = await whoAmI(needs, tokens.accessToken, deps.signal);
  if (who.kind !== 'rejected') return tokens;
  if (tokens.refreshToken === undefined) {
    throw new SyncError('AUTH_REFUSED', 'The service does not accept the token from stdin.', {
      hint: 'It may be too old, or for another service: check the base URL.',
    });
  }
  // An access token that has ended since: its refresh token is what counts.
  return await refreshTokens(
    { http, clock: deps.clock, url: url('token') },
    {
      client: { id: target.clientId, secret: target.clientSecret },
      refreshToken: tokens.refreshToken,
      before: tokens,
    },
    // Not to be broken off: the refresh token may be replaced by it.
    NEVER,
  );
}
