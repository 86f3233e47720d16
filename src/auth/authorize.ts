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
  readonly onTimeout: () => SyncError;
  /** Asks the user once for the address that the browser ended at; absent without a terminal. */
  readonly paste: ((signal: AbortSignal) => Promise<string>) | undefined;
  readonly onPasteRefused: (message: string) => void;
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

  /** Asks until the user pastes the right address; undefined if a callback came first. */
  async function pasted(
    paste: (signal: AbortSignal) => Promise<string>,
    onRefused: (message: string) => void,
    signal: AbortSignal,
  ): Promise<CheckedCallback | undefined> {
    for (;;) {
      const result = checkPastedAddress(await paste(signal), redirectUri, expected);
      if (result.kind !== 'refused') return server.claim() ? result : undefined;
      onRefused(result.message);
    }
  }

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
     * @throws SyncError `AUTH_TIMEOUT`; the signal's reason.
     */
    async waitForAnswer(
      { clock, signal }: Context,
      { timeoutMs, onTimeout, paste, onPasteRefused }: WaitOptions,
    ): Promise<CheckedCallback> {
      const over = new AbortController();
      const late = new AbortController();
      const limit = clock
        .sleep(timeoutMs, over.signal)
        .then(() => late.abort(onTimeout()))
        .catch(() => undefined);
      const either = AbortSignal.any([signal, late.signal, over.signal]);
      const callback = server.waitForCallback(either);
      const fromPaste =
        paste === undefined
          ? callback
          : pasted(paste, onPasteRefused, either).then((answer) => answer ?? callback);
      try {
        return await Promise.race([callback, fromPaste]);
      } finally {
        over.abort(new SyncError('INTERRUPTED', 'The login is over.'));
        await Promise.allSettled([limit, callback, fromPaste]);
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
