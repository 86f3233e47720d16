import type { Env } from '../deps.ts';
import type { Http } from './http.ts';

/** The {@link Http} for this environment; its implementation is loaded when the first is wanted. */
export async function openHttp(options: {
  env: Env;
  version: string;
  connections: number;
}): Promise<Http> {
  const { env, connections } = options;
  const userAgent = `athlete-sync/${options.version}`;
  const either = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = {
    httpProxy: either('HTTP_PROXY'),
    httpsProxy: either('HTTPS_PROXY'),
    noProxy: withLoopback(either('NO_PROXY')),
  };
  if (proxy.httpProxy === undefined && proxy.httpsProxy === undefined) {
    const { createNodeHttp } = await import('./node-http.ts');
    return createNodeHttp({ userAgent, connections });
  }
  const { createProxiedHttp } = await import('./undici-http.ts');
  return createProxiedHttp({ userAgent, connections, proxy });
}

/** What runs on this machine (the sandbox) is never reached by way of a proxy. */
function withLoopback(noProxy: string | undefined): string {
  return [
    ...(noProxy === undefined ? [] : [noProxy]),
    'localhost',
    '127.0.0.1',
    '[::1]',
    '::1',
  ].join(',');
}
