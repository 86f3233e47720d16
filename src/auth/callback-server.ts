import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { unlessAborted } from '../base/tasks.ts';
import {
  type CheckedCallback,
  type ExpectedAnswer,
  checkCallback,
  explainRefusal,
} from './callback.ts';
import {
  type LandingPage,
  PAGE_HEADERS,
  alreadyAnsweredPage,
  nothingHerePage,
  refusedPage,
  renderPage,
  stillWorkingPage,
} from './landing-page.ts';
import { listenOnLoopback } from './loopback-listener.ts';
import { type StartAddress, createStartAddress } from './start-address.ts';

/** Longest time that the browser waits for the outcome of the login (ms). */
const HOLD_LIMIT_MS = 90_000;
/** Grace period for responses in flight when the server closes (ms). */
const CLOSE_GRACE_MS = 1_000;

export interface CallbackServerOptions {
  /** `http`, a loopback host, and the path to listen on; port 0 takes any free port. */
  readonly redirectUri: string;
  readonly expected: ExpectedAnswer;
  /** The user who runs this process; undefined on a system without user IDs. */
  readonly userId: number | undefined;
  /** The profile that the pages' commands name. */
  readonly profile?: string | undefined;
  /**
   * Called for a request that looked like the callback of another login: once for each reason, because
   * any web page can send thousands.
   */
  readonly onRefused: (why: string) => void;
}

/**
 * Listens for the redirect of the authorize endpoint, on the loopback interface only. Requests with
 * a wrong path, method, host or state are refused and change nothing. The first callback with the
 * right state is accepted, and no other after it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3 - loopback redirect
 */
export class CallbackServer {
  /**
   * The redirect URI, letter by letter as given: services compare it as a string. Only a
   * port of 0 is replaced by the real one.
   */
  readonly redirectUri: string;
  readonly #options: CallbackServerOptions;
  readonly #servers: readonly Server[];
  readonly #address: URL;
  readonly #accepted = withResolver<CheckedCallback>();
  /** The query of the accepted answer; '' for a pasted address, or after the end. */
  #acceptedQuery: string | undefined;
  /** The page that callbacks get when the login is over. */
  readonly #outcome = withResolver<LandingPage>();
  #start: StartAddress | undefined;
  /** Reasons that `onRefused` was called with. */
  readonly #reported = new Set<string>();
  #closed: Promise<void> | undefined;

  private constructor(options: CallbackServerOptions, servers: readonly Server[], port: number) {
    this.#options = options;
    this.#servers = servers;
    this.#address = new URL(options.redirectUri);
    this.#address.port = String(port);
    this.redirectUri = withRealPort(options.redirectUri, this.#address);
    for (const server of servers) {
      server.on('request', (request, response) => this.#onRequest(request, response));
    }
  }

  /**
   * Starts listening.
   *
   * @throws SyncError `PORT_IN_USE`; `CONFIG` if this machine does not allow to listen there.
   */
  static async start(options: CallbackServerOptions): Promise<CallbackServer> {
    const { servers, port } = await listenOnLoopback(options.redirectUri);
    return new CallbackServer(options, servers, port);
  }

  /**
   * Creates an address for the command line of a browser, which redirects to the authorization URL.
   * Called once. See {@link StartAddress}.
   */
  offerStart(authorizationUrl: string): StartAddress & { readonly address: string } {
    this.#start = createStartAddress(authorizationUrl, this.#options.userId);
    return { ...this.#start, address: this.#address.origin + this.#start.path };
  }

  /** Waits for the one answer that is accepted. Rejects with the signal's reason. */
  async waitForAnswer(signal: AbortSignal): Promise<CheckedCallback> {
    return await unlessAborted(this.#accepted.promise, signal);
  }

  /** Accepts the first answer to the login: a callback, or a pasted address, which has no query here. */
  accept(answer: CheckedCallback, query = ''): void {
    if (this.#acceptedQuery !== undefined) return;
    this.#acceptedQuery = query;
    this.#accepted.resolve(answer);
  }

  finish(page: LandingPage): void {
    this.#outcome.resolve(page);
    this.#start?.end();
    this.#acceptedQuery ??= '';
  }

  /** Lets responses in flight arrive, then stops listening. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#outcome.resolve(stillWorkingPage());
    const ended = this.#servers.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    for (const server of this.#servers) server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const server of this.#servers) server.closeAllConnections();
    }, CLOSE_GRACE_MS);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    // The request target in origin form (RFC 9112 section 3.2.1), not decoded.
    const { url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const start = this.#start;
    // Another host name means DNS rebinding.
    if (request.headers.host?.toLowerCase() !== this.#address.host) {
      this.#send(response, nothingHerePage('This address answers only to its own host name.', 403));
    } else if (start !== undefined && url === start.path && request.method === 'GET') {
      void this.#onStart(start, request, response);
    } else if (path !== this.#address.pathname) {
      this.#send(response, nothingHerePage('The login waits at another address.', 404));
    } else if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      this.#send(response, nothingHerePage('The login waits for a redirect of the browser.', 405));
    } else {
      this.#onCallback(url.slice(path.length + 1), response);
    }
  }

  #onCallback(query: string, response: ServerResponse): void {
    const result = checkCallback(new URLSearchParams(query), this.#options.expected);
    if (result.kind === 'refused') {
      const why = explainRefusal(result.why);
      if (!this.#reported.has(why)) this.#options.onRefused(why);
      this.#reported.add(why);
      this.#send(response, refusedPage(why));
      return;
    }
    this.accept(result, query);
    if (this.#acceptedQuery !== query) {
      this.#send(response, alreadyAnsweredPage());
      return;
    }
    // A repeated callback is the browser loading the page again: it gets the same page.
    const timer = setTimeout(() => this.#send(response, stillWorkingPage()), HOLD_LIMIT_MS).unref();
    void this.#outcome.promise.then((page) => {
      clearTimeout(timer);
      this.#send(response, page);
    });
  }

  async #onStart(
    address: StartAddress,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const answer = await address.open(request);
    if ('to' in answer) {
      response.writeHead(302, { ...PAGE_HEADERS, location: answer.to, connection: 'close' });
      response.end();
    } else {
      this.#send(response, answer);
    }
  }

  #send(response: ServerResponse, page: LandingPage): void {
    if (response.headersSent) return;
    // One page per connection, so that none stays open when the login is over.
    response.writeHead(page.status, { ...PAGE_HEADERS, connection: 'close' });
    response.end(renderPage(page, this.#options.profile));
  }
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** Replaces port 0. @param real the same address with the real port */
function withRealPort(redirectUri: string, real: URL): string {
  if (new URL(redirectUri).port !== '0') return redirectUri;
  return redirectUri.replace(/^([^/]*\/\/[^/]*:)0+(?=\/|$)/, `$1${real.port || '80'}`);
}
