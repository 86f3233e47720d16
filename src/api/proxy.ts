import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import { isLoopback } from '../config/settings.ts';

/** A proxy of the environment. */
export interface Proxy {
  /** The variable that names it, such as `https_proxy`. */
  readonly variable: string;
  /** Its address, perhaps with a user name and a password: never show it. */
  readonly address: string;
}

/** The proxy settings of an environment. */
export interface ProxySettings {
  readonly http: Proxy | undefined;
  readonly https: Proxy | undefined;
  /** The value of `NO_PROXY`; '' if it is not set. */
  readonly noProxy: string;
}

/** @throws SyncError `CONFIG` that names the variable with an invalid address. */
export function proxySettings(env: Env): ProxySettings {
  const http = proxyIn(env, 'HTTP_PROXY');
  return {
    http,
    https: proxyIn(env, 'HTTPS_PROXY') ?? http,
    noProxy: valueOf(env, 'NO_PROXY')?.[1].trim() ?? '',
  };
}

/** Returns the proxy for a request, or undefined if it is sent directly. */
export function proxyFor(url: URL, settings: ProxySettings): Proxy | undefined {
  // Plain http is allowed only to this machine, and no proxy may see such a request's token.
  if (isLoopback(url) || isExempt(url, settings.noProxy)) return undefined;
  return url.protocol === 'https:' ? settings.https : settings.http;
}

/** Names a proxy for people: its address without password, and its variable. */
export function proxyName({ address, variable }: Proxy): string {
  return `${new URL(address).origin} (${variable})`;
}

/**
 * Returns whether `NO_PROXY` names this host. As in curl, an entry covers a host and its subdomains, and may have
 * a port; `*` covers all hosts.
 */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', entryPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      const covers = hostname === name || hostname.endsWith(`.${name}`);
      return name !== '' && covers && (entryPort === undefined || entryPort === ownPort);
    });
}

/** Returns the proxy of a variable. The scheme is optional, as in curl: `proxy.example:3128`. */
function proxyIn(env: Env, name: string): Proxy | undefined {
  const found = valueOf(env, name);
  if (found === undefined) return undefined;
  const [variable, value] = found;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:\/\//i.test(address)) return { variable, address };
  // The address is not shown: it may hold a password.
  throw new SyncError('CONFIG', `${variable} is not the address of a proxy that can be used.`, {
    hint: 'Write it as http://HOST:PORT, or unset it.',
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
