import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { type CheckedCallback, checkPastedAddress } from './callback.ts';
import { CallbackServer, type CallbackServerOptions } from './callback-server.ts';
import { createAuthorizationSecrets } from './pkce.ts';

export interface AuthorizeOptions extends Omit<CallbackServerOptions, 'expected'> {
  /** The authorize endpoint (interface 4.5). */
  readonly endpoint: URL;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export type Authorization = Awaited<ReturnType<typeof beginAuthorization>>;

interface WaitOptions {
  readonly timeoutMs: number;
  readonly timeoutError: SyncError;
  /** Asks the user once for the address that the browser ended at; absent without a terminal. */
  readonly paste: ((signal: AbortSignal) => Promise<string>) | undefined;
}

/**
 * Starts the listener for the callback, and builds the authorization URL.
 *
 * @throws SyncError `PORT_IN_USE`, `CONFIG`.
 */
export async function beginAuthorization(options: AuthorizeOptions) {
  const { state, verifier, challenge } = createAuthorizationSecrets();
  const expected = { state, origin: options.endpoint.origin };
  const server = await CallbackServer.start({ ...options, expected });
  const { redirectUri } = server;
  const url = authorizationUrl(options, { redirectUri, state, challenge });

  return {
    /** The authorization URL. It contains the state: show it to the user, never pass it to a process. */
    url,
    redirectUri,
    verifier,
    server,
    /** The address to start a browser with, in place of `url`. */
    start: server.offerStart(url),
    /**
     * Waits for the callback, or for a pasted address if that comes first.
     *
     * @throws SyncError `timeoutError`; the signal's reason.
     */
    async waitForAnswer(
      { clock, signal, warn }: Context,
      { timeoutMs, timeoutError, paste }: WaitOptions,
    ): Promise<CheckedCallback> {
      const over = new AbortController();
      const stop = AbortSignal.any([signal, over.signal]);
      const answer = server.waitForAnswer(stop);
      const pasted = async (ask: (signal: AbortSignal) => Promise<string>) => {
        for (;;) {
          const result = checkPastedAddress(await ask(stop), redirectUri, expected);
          if (result.kind !== 'refused') {
            server.accept(result);
            return await answer;
          }
          warn(result.message);
        }
      };
      const timeout = clock.sleep(timeoutMs, stop).then(() => {
        throw timeoutError;
      });
      const ends = [answer, timeout, ...(paste === undefined ? [] : [pasted(paste)])];
      try {
        return await Promise.race(ends);
      } finally {
        over.abort(new SyncError('INTERRUPTED', 'The login is over.'));
        await Promise.allSettled(ends);
      }
    },
  };
}

/**
 * Returns the address that the browser is sent to (interface 4.5). It contains the state: never log
 * it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 - authorization request
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4.3 - the challenge in it
 */
export function authorizationUrl(
  { endpoint, clientId, scopes }: Pick<AuthorizeOptions, 'endpoint' | 'clientId' | 'scopes'>,
  request: { readonly redirectUri: string; readonly state: Secret; readonly challenge: string },
): string {
  const url = new URL(endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: request.redirectUri,
    scope: scopes.join(' '),
    state: request.state.reveal(),
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  })
    .toString()
    // Some services read `+` as a plus sign; all of them read %20 as a space.
    .replaceAll('+', '%20');
  return url.href;
}
