import { BlockList, isIP } from 'node:net';
import type { Context } from '../base/context.ts';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import type { Http } from './http.ts';
import type { Proxy } from './http-failure.ts';
import { isLoopback } from '../config/settings.ts';

/**
 * Returns the error for every https request if Node.js checks no certificates: anyone on the way could
 * pose as the service, and get the login.
 */
export function uncheckedTls(env: Env): SyncError | undefined {
  // Node.js compares with this text alone.
  if (env[UNCHECKED] !== '0') return undefined;
  return new SyncError('CONFIG', `No certificate is checked, because ${UNCHECKED} is 0.`, {
    hint:
      `Unset ${UNCHECKED}. If the platform or a proxy uses an authority of its own, name the file ` +
      'of its certificate: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.',
    details: { variable: UNCHECKED },
  });
}

const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Opens the {@link Http} for this environment. Loads an implementation when it is called first.
 *
 * `send` rejects https requests while certificates are not checked: {@link uncheckedTls}. It traces each request in
 * one line: method, path, status or failure, duration. The line holds no query, header or body.
 *
 * @throws SyncError `CONFIG` that names the variable with an invalid proxy.
 */
export async function openHttp({
  env,
  connections,
  clock,
  trace,
}: Pick<Context, 'clock' | 'trace'> & {
  readonly env: Env;
  readonly connections: number;
}): Promise<Http> {
  const settings = proxySettings(env);
  const unchecked = uncheckedTls(env);
  const { createNodeHttp } = await import('./node-http.ts');
  const direct = createNodeHttp(connections);
  let proxied: Http | undefined;
  if (settings.proxy !== undefined) {
    const { createProxiedHttp } = await import('./undici-http.ts');
    proxied = createProxiedHttp({ connections, proxy: settings.proxy });
  }
  return {
    async send(request) {
      const { method, url } = request;
      const started = clock.monotonic();
      const line = (end: string) =>
        trace(`${method} ${url.pathname} ${end} ${Math.round(clock.monotonic() - started)} ms`);
      try {
        // Plain http goes to this machine only.
        if (unchecked !== undefined && url.protocol !== 'http:') throw unchecked;
        const isProxied = proxyFor(url, settings) !== undefined;
        const response = await ((isProxied ? proxied : undefined) ?? direct).send(request);
        line(String(response.status));
        return response;
      } catch (error) {
        line(error instanceof SyncError ? error.message : 'failed');
        throw error;
      }
    },
    async close() {
      await Promise.all([direct.close(), proxied?.close()]);
    },
  };
}

type ProxySettings = ReturnType<typeof proxySettings>;

/** @throws SyncError `CONFIG` that names the variable with an invalid address. */
export function proxySettings(env: Env) {
  return {
    proxy: proxyIn(env, 'HTTPS_PROXY') ?? proxyIn(env, 'HTTP_PROXY'),
    /** The value of `NO_PROXY`; '' if it is not set. */
    noProxy: valueOf(env, 'NO_PROXY')?.[1].trim() ?? '',
  };
}

/** Returns the proxy for a request, or undefined if it is sent directly. */
export function proxyFor(url: URL, settings: ProxySettings): Proxy | undefined {
  // Plain http is allowed only to this machine, and no proxy may see such a request's token.
  return isLoopback(url) || isExempt(url, settings.noProxy) ? undefined : settings.proxy;
}

/**
 * Returns whether `NO_PROXY` names this host. As in curl, an entry covers a host and its subdomains, an address, or
 * a network (`10.0.0.0/8`, `fd00::/8`), and may have a port; `*` covers all hosts.
 */
function isExempt({ hostname, port }: URL, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const ownPort = port || '443';
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', entryPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      const covers = hostname === name || hostname.endsWith(`.${name}`);
      const isPort = entryPort === undefined || entryPort === ownPort;
      const isNamed = name !== '' && (covers || isInNetwork(hostname, name));
      return (isNamed && isPort) || isInNetwork(hostname, entry);
    });
}

/** @param network an address without a port, perhaps with the length of its prefix */
function isInNetwork(hostname: string, network: string): boolean {
  const host = hostname.replace(/[[\]]/g, '');
  const family = isIP(host);
  const most = family === 6 ? 128 : 32;
  const [address = '', bits = String(most)] = network.replace(/[[\]]/g, '').split('/');
  const prefix = /^\d+$/.test(bits) ? Number(bits) : Infinity;
  if (family === 0 || isIP(address) !== family || prefix > most) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(address, prefix, type);
  return list.check(host, type);
}

/** Returns the proxy of a variable. The scheme is optional, as in curl: `proxy.example:3128`. */
function proxyIn(env: Env, name: string): Proxy | undefined {
  const found = valueOf(env, name);
  if (found === undefined) return undefined;
  const [variable, value] = found;
  try {
    const address = value.includes('://') ? value : `http://${value}`;
    const { protocol, username, password, host } = new URL(address);
    const user = `${username}:${password}`;
    // undici takes no path, and decodes the user's name and password. The bundler drops a call without a use.
    const isReadable = decodeURIComponent(user) !== '';
    if (isReadable && /^https?:$/.test(protocol)) {
      return { variable, address: `${protocol}//${user}@${host}` };
    }
  } catch {
    // The cause holds the address, and that may hold a password.
  }
  throw new SyncError('CONFIG', `${variable} is not the address of a proxy that can be used.`, {
    hint: 'Write it as http://HOST:PORT, or unset it. In a password, %25 stands for a %.',
  });
}

/** Returns the variable's name and value. Lower case wins over upper case, as in curl. */
function valueOf(env: Env, name: string): readonly [string, string] | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = env[variable];
    if (value !== undefined && value !== '') return [variable, value];
  }
  return undefined;
}
