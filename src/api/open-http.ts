import type { Context } from '../base/context.ts';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import type { Http } from './http.ts';
import { type Proxy, proxyFor, proxySettings } from './proxy.ts';

/**
 * Returns the error for every https request if Node.js checks no certificates: anyone on the way could
 * pose as the service, and get the login.
 */
export function uncheckedTls(env: Env): SyncError | undefined {
  // Node.js compares with this text alone.
  if (env[UNCHECKED] !== '0') return undefined;
  return new SyncError('CONFIG', `No certificate is checked, because ${UNCHECKED} is 0.`, {
    hint:
      `Unset ${UNCHECKED}. If the service or a proxy uses an authority of its own, name the file ` +
      'of its certificate: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.',
    details: { variable: UNCHECKED },
  });
}

const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Opens the {@link Http} for this environment. Loads an implementation when it is called first.
 *
 * `send` rejects https requests while certificates are not checked: {@link uncheckedTls}.
 *
 * @throws SyncError `CONFIG` that names the variable with an invalid proxy.
 */
export async function openHttp(options: {
  env: Env;
  version: string;
  connections: number;
}): Promise<Http> {
  const { env, connections } = options;
  const userAgent = `athlete-sync/${options.version}`;
  const settings = proxySettings(env);
  const { createNodeHttp } = await import('./node-http.ts');
  const direct = createNodeHttp({ userAgent, connections });
  const proxies = new Set([settings.http, settings.https].filter((one) => one !== undefined));
  const unchecked = uncheckedTls(env);
  if (unchecked !== undefined) return httpAlone(direct, unchecked);
  if (proxies.size === 0) return direct;
  const { createProxiedHttp } = await import('./undici-http.ts');
  const proxied = new Map<Proxy, Http>(
    [...proxies].map((proxy) => [proxy, createProxiedHttp({ userAgent, connections, proxy })]),
  );
  return {
    send(request) {
      const proxy = proxyFor(request.url, settings);
      return ((proxy && proxied.get(proxy)) ?? direct).send(request);
    },
    async close() {
      await Promise.all([direct, ...proxied.values()].map((http) => http.close()));
    },
  };
}

/** Sends plain http requests, which go to this machine only, and rejects the others. */
function httpAlone(http: Http, error: SyncError): Http {
  return {
    send: (request) =>
      request.url.protocol === 'http:' ? http.send(request) : Promise.reject(error),
    close: () => http.close(),
  };
}

/**
 * Traces each request in one line: method, path, status or failure, duration. The line holds no query,
 * header or body.
 */
export function tracedHttp({ clock, trace }: Context, http: Http): Http {
  return {
    async send(request) {
      const started = clock.monotonic();
      const line = (end: string) =>
        trace(
          `${request.method} ${request.url.pathname} ${end} ${Math.round(clock.monotonic() - started)} ms`,
        );
      try {
        const response = await http.send(request);
        line(String(response.status));
        return response;
      } catch (error) {
        line(error instanceof SyncError ? error.message : 'failed');
        throw error;
      }
    },
    close: () => http.close(),
  };
}
