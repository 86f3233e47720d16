import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Clock } from '../base/time.ts';
import { authorizeUrl } from './authorize-url.ts';
import { type CheckedCallback, checkPastedAddress } from './callback.ts';
import { type CallbackServer, startCallbackServer } from './callback-server.ts';
import { createAuthorizationSecrets } from './pkce.ts';

export interface AuthorizeOptions {
  /** To listen on, and to send as it is; port 0 takes any that is free. */
  readonly redirectUri: string;
  /** The authorize endpoint (interface 4.5). */
  readonly endpoint: URL;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly onRefused: (why: string) => void;
}

/** An authorization request that is out, and the listener that waits for its answer. */
export interface Authorization {
  /** Holds the state: to be shown to the person, and never an argument of a process. */
  readonly url: string;
  readonly redirectUri: string;
  readonly verifier: Secret;
  /** Shows the browser how it went, and ends. */
  readonly server: Pick<CallbackServer, 'finish' | 'close'>;
  /** What a browser is started with, in place of {@link url}. */
  readonly start: ReturnType<CallbackServer['offerStart']>;
  /**
   * The answer: the callback, or an address that somebody pasted, whichever comes first.
   *
   * @param paste asks for such an address once; absent: nobody can be asked.
   * @throws SyncError `AUTH_TIMEOUT`; the signal's reason.
   */
  waitForAnswer(
    options: {
      readonly clock: Clock;
      readonly timeoutMs: number;
      readonly onTimeout: () => SyncError;
      readonly paste: ((signal: AbortSignal) => Promise<string>) | undefined;
      readonly onPasteRefused: (message: string) => void;
    },
    signal: AbortSignal,
  ): Promise<CheckedCallback>;
}

/** @throws SyncError `PORT_IN_USE`, `CONFIG`. */
export async function beginAuthorization(options: AuthorizeOptions): Promise<Authorization> {
  const { state, verifier, challenge } = createAuthorizationSecrets();
  const expected = { state, origin: options.endpoint.origin };
  const server = await startCallbackServer({ ...options, expected });
  const { redirectUri } = server;
  const url = authorizeUrl({ ...options, redirectUri, state, challenge }).href;

  /** Asks until an address is the right one; undefined if a callback was faster after all. */
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
    url,
    redirectUri,
    verifier,
    server,
    start: server.offerStart(url),
    async waitForAnswer({ clock, timeoutMs, onTimeout, paste, onPasteRefused }, signal) {
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
