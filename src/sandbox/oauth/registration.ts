import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { isLoopback } from '../http/middleware.ts';
import { NO_STORE, refusal } from '../http/problem.ts';
import { valueOf } from '../http/request-body.ts';
import { ROUTES } from '../http/routes.ts';
import type { Call } from '../platform.ts';
import type { World } from '../world.ts';
import type { RegisteredClient } from './clients.ts';

const AUTH_METHODS = ['none', 'client_secret_post'];

/** Registrations from one address in an hour, refused ones included. */
const MOST_AN_HOUR = 10;
const HOUR_MS = 3_600_000;

/** `GET /.well-known/oauth-authorization-server` (RFC 8414). The scopes are those of another server of the platform. */
export function getMetadata(c: Call) {
  const { origin } = new URL(c.req.url);
  const at = (name: keyof typeof ROUTES) => origin + ROUTES[name][1];
  const isOn = c.var.world.settings.current.registration !== 'off';
  return c.json({
    issuer: origin,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    revocation_endpoint: at('revoke'),
    ...(isOn ? { registration_endpoint: at('register') } : {}),
    scopes_supported: ['mcp:read', 'mcp:write'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
  });
}

const Registration = v.pipe(
  v.looseObject({
    client_name: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
    client_uri: v.optional(v.string()),
    redirect_uris: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(10)),
  }),
  v.check((members) => Object.keys(members).length <= 20, 'too many members'),
);

/** `POST /api/oauth/register` (RFC 7591): anyone registers a public client. */
export function postRegistration(c: Call) {
  const { world, body } = c.var;
  if (world.settings.current.registration === 'off') throw refusal(404, 'Not Found');
  const now = world.now();
  world.registeredAt = [...world.registeredAt.filter((at) => at > now - HOUR_MS), now];
  if (world.registeredAt.length > MOST_AN_HOUR) throw refusal(429, 'Too many registrations.');
  const { success, output, issues } = v.safeParse(Registration, valueOf(body));
  if (!success) throw refusal(400, `Invalid client metadata: ${issues[0].message}`);
  const redirectUris = output.redirect_uris.map(normalised);
  const client = redirectUris.some(isShared)
    ? joinShared(world, redirectUris)
    : newClient(output.client_name, redirectUris);
  world.registered.put(client.id, client);
  const answer = {
    client_id: client.id,
    client_id_issued_at: Math.floor(now / 1000),
    client_name: client.name,
    ...(output.client_uri === undefined ? {} : { client_uri: output.client_uri }),
    redirect_uris: client.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return c.json(answer, 201, NO_STORE);
}

/** @throws Problem 400 unless it is https, or http on this machine */
function normalised(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const isOwn = url?.protocol === 'http:' && isLoopback(url);
  if (url?.protocol !== 'https:' && !isOwn) throw refusal(400, `Invalid redirect URI "${uri}"`);
  return url.href;
}

function newClient(name: string, redirectUris: readonly string[]): RegisteredClient {
  const [id, appId] = [randomUUID(), randomUUID()];
  return { id, appId, name, secret: null, redirectUris, isRegistered: true };
}

/** Deployed services have one client for all programs with such a loopback URI. */
const isShared = (uri: string) =>
  uri.startsWith('http:') && new URL(uri).pathname.endsWith('/callback');

function joinShared({ registered }: World, redirectUris: readonly string[]): RegisteredClient {
  const id = 'shared-client';
  const before = registered.get(id) ?? newClient('Cursor MCP', []);
  const all = [...new Set([...before.redirectUris, ...redirectUris])];
  return { ...before, id, redirectUris: all.slice(-10) };
}
