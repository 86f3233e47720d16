import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
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
import { portOwner } from './port-owner.ts';
import { type StartAddress, createStartAddress } from './start-address.ts';

/** The browser waits this long for the outcome at most, in ms. */
const HOLD_LIMIT_MS = 90_000;
/** How long pages on their way may take when the server closes, in ms. */
const FAREWELL_MS = 1_000;
/** Nobody sends this little listener a long request. */
const REQUEST_LIMIT_MS = 10_000;
/** How often to look for a port that is free on both addresses of `localhost`. */
const FREE_PORT_ATTEMPTS = 5;

export interface CallbackServer {
  /**
   * The redirect URI, letter by letter as it was given: services compare it as a string. Where its
   * port is 0, with the one that is really listened on.
   */
  readonly redirectUri: string;
  /**
   * Makes an address for the command line of a browser: opened, it leads to the authorization URL.
   * See {@link StartAddress}. Called once.
   */
  offerStart(
    authorizationUrl: string,
  ): { readonly address: string } & Pick<StartAddress, 'misused' | 'end'>;
  /** The one callback that is accepted. Rejects with the signal's reason when it is aborted. */
  waitForCallback(signal: AbortSignal): Promise<CheckedCallback>;
  /**
   * Takes the place of a callback (somebody pasted the address): from now on none is accepted.
   * `false`: one was accepted already.
   */
  claim(): boolean;
  /** How it went. The browser, which has been waiting for that, is shown this page. */
  finish(page: LandingPage): void;
  /** Lets pages on their way arrive, then ends. May be called twice. */
  close(): Promise<void>;
}

export interface CallbackServerOptions {
  /** `http`, a loopback host, and the path to listen on; port 0 takes any that is free. */
  readonly redirectUri: string;
  readonly expected: ExpectedAnswer;
  readonly platform: NodeJS.Platform;
  /** The user who runs this process; undefined on a system without user IDs. */
  readonly userId: number | undefined;
  /** Something came that looked like a callback and was not ours. */
  readonly onRefused: (why: string) => void;
}

/**
 * Listens for the redirect of the authorize endpoint (RFC 8252 section 7.3), on the loopback
 * interface only. Requests with a wrong path, method, host or state are refused and change nothing:
 * the wait goes on. The first callback with the right state is accepted, and no other after it.
 *
 * @throws SyncError `PORT_IN_USE`; `CONFIG` if this machine does not let us listen there.
 */
export async function startCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  let accept: (callback: CheckedCallback) => void = () => undefined;
  const accepted = new Promise<CheckedCallback>((resolve) => (accept = resolve));
  let taken: { readonly query: string | undefined } | undefined;
  let outcome: LandingPage | undefined;
  let start: StartAddress | undefined;
  const held = new Set<ServerResponse>();

  function onCallback(query: string, response: ServerResponse): void {
    const result = checkCallback(new URLSearchParams(query), options.expected);
    if (result.kind === 'refused') {
      const why = explainRefusal(result.why);
      options.onRefused(why);
      send(response, refusedPage(why));
      return;
    }
    if (taken === undefined) {
      taken = { query };
      accept(result);
    } else if (taken.query !== query) {
      send(response, alreadyAnsweredPage());
      return;
    }
    // The same callback again is the browser asking twice: it gets the same answer.
    if (outcome === undefined) hold(response);
    else send(response, outcome);
  }

  async function onStart(
    address: StartAddress,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const answer = await address.open(request);
    if ('to' in answer) {
      response.writeHead(302, { ...PAGE_HEADERS, location: answer.to, connection: 'close' });
      response.end();
    } else {
      send(response, answer);
    }
  }

  function hold(response: ServerResponse): void {
    held.add(response);
    const timer = setTimeout(() => send(response, stillWorkingPage()), HOLD_LIMIT_MS).unref();
    response.once('close', () => {
      clearTimeout(timer);
      held.delete(response);
    });
  }

  // Its port is 0, which no host header names, until the real one is known.
  const expected = new URL(options.redirectUri);
  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const [path = '', query = ''] = splitTarget(request.url ?? '');
    if (request.headers.host?.toLowerCase() !== expected.host) {
      send(response, nothingHerePage('This address answers to its own name only.', 403));
    } else if (start !== undefined && request.url === start.path && request.method === 'GET') {
      void onStart(start, request, response);
    } else if (path !== expected.pathname) {
      send(response, nothingHerePage('The login waits at another address.', 404));
    } else if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      send(response, nothingHerePage('The login waits for a redirect of the browser.', 405));
    } else {
      onCallback(query, response);
    }
  }

  const { servers, port } = await listen(options, onRequest);
  expected.port = String(port);

  let closed: Promise<void> | undefined;
  const close = async () => {
    for (const response of held) send(response, outcome ?? stillWorkingPage());
    const ended = servers.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    for (const server of servers) server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const server of servers) server.closeAllConnections();
    }, FAREWELL_MS);
    await Promise.all(ended);
    clearTimeout(timer);
  };
  return {
    redirectUri: withRealPort(options.redirectUri, expected),
    offerStart(authorizationUrl) {
      start = createStartAddress(authorizationUrl, options.userId);
      return { ...start, address: expected.origin + start.path };
    },
    async waitForCallback(signal) {
      signal.throwIfAborted();
      let onAbort: (() => void) | undefined;
      const aborted = new Promise<never>((_resolve, reject) => {
        onAbort = () => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
      });
      try {
        return await Promise.race([accepted, aborted]);
      } finally {
        if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
      }
    },
    claim() {
      if (taken !== undefined) return false;
      taken = { query: undefined };
      return true;
    },
    finish(page) {
      outcome ??= page;
      start?.end();
      taken ??= { query: undefined };
      for (const response of held) send(response, outcome);
    },
    close: () => (closed ??= close()),
  };
}

/** @param real the same address, with the port that is listened on */
function withRealPort(redirectUri: string, real: URL): string {
  if (new URL(redirectUri).port !== '0') return redirectUri;
  return redirectUri.replace(/^([^/]*\/\/[^/]*:)0+(?=\/|$)/, `$1${real.port || '80'}`);
}

/** Path and query of a request target in origin form (RFC 9112 section 3.2.1); nothing is decoded. */
function splitTarget(target: string): string[] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
}

function send(response: ServerResponse, page: LandingPage): void {
  if (response.headersSent) return;
  // One page a connection: nothing stays open when the login is over.
  response.writeHead(page.status, { ...PAGE_HEADERS, connection: 'close' });
  response.end(renderPage(page));
}

/**
 * `localhost` is listened on at both of its addresses: the browser may take either, and on the other
 * one nobody else may sit and take the code (RFC 8252 section 8.3).
 */
async function listen(
  options: CallbackServerOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ servers: Server[]; port: number }> {
  const redirectUri = new URL(options.redirectUri);
  const wanted = redirectUri.port === '' ? 80 : Number(redirectUri.port);
  const hosts =
    redirectUri.hostname === 'localhost'
      ? ['127.0.0.1', '::1']
      : [redirectUri.hostname.replace(/^\[(.*)\]$/, '$1')];
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    let port = wanted;
    try {
      for (const host of hosts) {
        const server = await listenOn(host, port, onRequest).catch((cause: unknown) => {
          if (servers.length > 0 && hasNoAddress(cause)) return undefined;
          throw cause;
        });
        if (server === undefined) continue;
        servers.push(server);
        port = (server.address() as AddressInfo).port;
      }
      return { servers, port };
    } catch (cause) {
      for (const server of servers) server.close();
      const inUse = systemCode(cause) === 'EADDRINUSE';
      if (inUse && wanted === 0 && attempt < FREE_PORT_ATTEMPTS) continue;
      throw inUse
        ? await portInUse(redirectUri, port, options.platform)
        : new SyncError(
            'CONFIG',
            `${options.redirectUri} cannot be listened on: ${messageOf(cause)}.`,
            {
              cause,
              hint: 'Choose another port: `sync login --port PORT`.',
            },
          );
    }
  }
}

/** A machine without IPv6. */
function hasNoAddress(cause: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(systemCode(cause) ?? '');
}

function listenOn(
  host: string,
  port: number,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(
      { requestTimeout: REQUEST_LIMIT_MS, headersTimeout: REQUEST_LIMIT_MS },
      onRequest,
    );
    server.maxConnections = 64;
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Where `sync sandbox` listens unless it is told otherwise. */
const SANDBOX_PORT = 8918;

async function portInUse(
  redirectUri: URL,
  port: number,
  platform: NodeJS.Platform,
): Promise<SyncError> {
  const owner = await portOwner(port, platform);
  const whose = owner === undefined ? '' : ` by ${owner.name} (process ${String(owner.pid)})`;
  const other = new URL(redirectUri);
  const next = port < 65_535 ? port + 1 : port - 1;
  other.port = String(next === SANDBOX_PORT ? next + 1 : next);
  return new SyncError('PORT_IN_USE', `Port ${String(port)} is in use${whose}.`, {
    hint:
      `End that program, or choose another port: \`sync login --port ${other.port}\`. ` +
      `The service has to know that address, too: register ${other.href} as a redirect URI.`,
    details: { port, ...(owner === undefined ? {} : { owner: owner.name, pid: owner.pid }) },
  });
}
