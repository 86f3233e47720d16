import type { Context } from '../base/context.ts';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import { isLoopback } from '../config/settings.ts';
import type { Http } from './http.ts';

/**
 * Opens the {@link Http} for this environment. Loads the implementation when it is called first.
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
  const noProxy = valueOf(env, 'NO_PROXY')?.[1] ?? '';
  const proxy = {
    httpProxy: proxyAddress(env, 'HTTP_PROXY'),
    httpsProxy: proxyAddress(env, 'HTTPS_PROXY'),
    noProxy,
  };
  const { createNodeHttp } = await import('./node-http.ts');
  const direct = createNodeHttp({ userAgent, connections });
  const noneAtAll = noProxy.trim() === '*';
  if (noneAtAll || (proxy.httpProxy === undefined && proxy.httpsProxy === undefined)) return direct;
  const { createProxiedHttp } = await import('./undici-http.ts');
  const proxied = createProxiedHttp({ userAgent, connections, proxy });
  return {
    // Plain http is allowed only to this machine, and no proxy may see such a request's token.
    send: (request) => (isLoopback(request.url) ? direct : proxied).send(request),
    async close() {
      await Promise.all([direct.close(), proxied.close()]);
    },
  };
}

/** Returns the variable's name and value. Lower case wins over upper case, as in curl. */
function valueOf(env: Env, name: string): readonly [string, string] | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = env[variable];
    if (value !== undefined && value !== '') return [variable, value];
  }
  return undefined;
}

/** Returns the proxy's address. The scheme is optional, as in curl: `proxy.example:3128`. */
function proxyAddress(env: Env, name: string): string | undefined {
  const found = valueOf(env, name);
  if (found === undefined) return undefined;
  const [variable, value] = found;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(text) && /^https?:\/\//i.test(text)) return text;
  // The address is not shown: it may hold a password.
  throw new SyncError('CONFIG', `${variable} is not the address of a proxy that can be used.`, {
    hint: 'Write it as http://HOST:PORT, or unset it.',
  });
}

/**
 * Traces each request in one line: method, path, status or failure, duration. The line holds no query,
 * header or body.
 */
export function tracedHttp({ clock, trace }: Pick<Context, 'clock' | 'trace'>, http: Http): Http {
  return {
    async send(request) {
      const started = clock.now();
      const line = (end: string) =>
        trace(`${request.method} ${request.url.pathname} ${end} ${clock.now() - started} ms`);
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
