import { timingSafeEqual } from 'node:crypto';
import { sha256 } from './random.ts';

/** An application that is registered with the platform. */
export interface Client {
  readonly id: string;
  /** What the platform calls it: `source` of its records is `oauth:APP_ID`. */
  readonly appId: string;
  /** As the consent page shows it. */
  readonly name: string;
  /** null: a public client, which proves itself by PKCE alone. */
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
}

const DEFAULT_REDIRECT_URIS: readonly string[] = [
  'http://127.0.0.1:8917/callback',
  'http://localhost:8917/callback',
  'http://[::1]:8917/callback',
];

/** The public client that every sandbox knows. */
export const PUBLIC_CLIENT_ID = 'sandbox-client';
/** The client with a secret that every sandbox knows. */
const CONFIDENTIAL_CLIENT = {
  id: 'sandbox-confidential',
  secret: 'sandbox-secret',
} as const;

export function defaultClients(furtherRedirectUris: readonly string[] = []): Client[] {
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

/** Is this the client's secret? A public client has none: any secret is wrong for it. */
export function secretMatches(client: Client, secret: string): boolean {
  if (client.secret === null) return false;
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(sha256(client.secret)));
}

/**
 * Is this redirect URI registered? With `exact`, as a string, which is what deployed services do.
 * Otherwise the port of a plain-http loopback address is left out of the comparison (RFC 8252
 * section 7.3).
 */
export function redirectUriAllowed(client: Client, uri: string, exact: boolean): boolean {
  if (client.redirectUris.includes(uri)) return true;
  if (exact) return false;
  const wanted = withoutLoopbackPort(uri);
  return (
    wanted !== null &&
    client.redirectUris.some((registered) => withoutLoopbackPort(registered) === wanted)
  );
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(\/[^#]*)?$/;

function withoutLoopbackPort(uri: string): string | null {
  const match = LOOPBACK.exec(uri);
  if (match === null || !URL.canParse(uri)) return null;
  return `http://${match[1] ?? ''}${match[2] ?? '/'}`;
}
