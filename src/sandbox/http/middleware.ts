import type { Context, MiddlewareHandler } from 'hono';
import { ApiProblem } from './problem.ts';

/** Whether the URL names this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Refuses host names other than loopback, against DNS rebinding by web pages. */
export const loopbackOnly: MiddlewareHandler = async (c, next) => {
  const url = new URL(c.req.url);
  if (!isLoopback(url)) {
    const text = `The sandbox answers on loopback names only, not on "${url.hostname}"`;
    throw new ApiProblem(403, text);
  }
  await next();
};

/**
 * Refuses requests that a web page of another origin sends, before their bodies are read or logged: pages
 * could mint tokens, read the request log or log in.
 *
 * @param except methods that they may use: a page may lead the browser to an address with GET, as logins do
 */
export function ownPagesOnly(except: readonly string[] = []): MiddlewareHandler {
  return async (c, next) => {
    if (!except.includes(c.req.method) && isFromOtherPage(c)) {
      throw new ApiProblem(403, 'The sandbox cannot be called by other web sites');
    }
    await next();
  };
}

/** Was the request sent by a page of another origin? (Fetch: `Origin`, `Sec-Fetch-Site`) */
function isFromOtherPage(c: Context): boolean {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site') ?? 'none';
  const foreign = origin !== undefined && origin !== new URL(c.req.url).origin;
  return foreign || !['none', 'same-origin'].includes(site);
}
