import { isLoopback } from '../http/middleware.ts';
import type { Settings } from '../settings.ts';
import type { Table } from '../store.ts';

export interface RegisteredClient {
  readonly id: string;
  /** The platform's name for it: the `source` of its records is `oauth:APP_ID`. */
  readonly appId: string;
  readonly name: string;
  /** null for a public client, which authenticates by PKCE alone. */
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
  /** A program registered it (RFC 7591). */
  readonly isRegistered?: boolean;
}

const DEFAULT_REDIRECT_URIS: readonly string[] = [
  'http://127.0.0.1:8917/login',
  'http://localhost:8917/login',
  'http://[::1]:8917/login',
];

export const PUBLIC_CLIENT_ID = 'sandbox-client';
const CONFIDENTIAL_CLIENT = {
  id: 'sandbox-confidential',
  secret: 'sandbox-secret',
} as const;

export function defaultClients(furtherRedirectUris: readonly string[] = []): RegisteredClient[] {
  const redirectUris = [...DEFAULT_REDIRECT_URIS, ...furtherRedirectUris];
  return [
    {
      id: PUBLIC_CLIENT_ID,
      appId: 'app-1',
      name: 'sync on this computer',
      secret: null,
      redirectUris,
    },
    { ...CONFIDENTIAL_CLIENT, appId: 'app-2', name: 'sync with a client secret', redirectUris },
  ];
}

/** What decides about the clients of a platform. */
export interface KnownClients {
  readonly clients: readonly RegisteredClient[];
  readonly registered: Table<RegisteredClient>;
  readonly settings: Settings;
}

/** Returns the client of an ID, unless the platform has forgotten it. */
export function findClient(
  { clients, registered, settings }: KnownClients,
  id: string,
): RegisteredClient | undefined {
  const forgets = settings.current.registration === 'forgets';
  return clients.find((client) => client.id === id) ?? (forgets ? undefined : registered.get(id));
}

/**
 * Whether this redirect URI is registered. With `exact`, URIs are compared as strings, like deployed
 * services do. Otherwise the port of a plain-http loopback address is ignored (RFC 8252 section 7.3).
 */
export function redirectUriAllowed(client: RegisteredClient, uri: string, exact: boolean): boolean {
  const { redirectUris } = client;
  if (exact || !URL.canParse(uri)) return redirectUris.includes(uri);
  return redirectUris.map(withoutLoopbackPort).includes(withoutLoopbackPort(uri));
}

function withoutLoopbackPort(uri: string): string {
  const url = new URL(uri);
  if (url.protocol === 'http:' && isLoopback(url)) url.port = '';
  return url.href;
}
