import { findClient } from './clients.ts';
import { NO_STORE, ApiProblem, requireThat, serverError, TokenProblem } from '../http/problem.ts';
import { isObject, valueOf, type RequestBody } from '../http/request-body.ts';
import type { Call } from '../platform.ts';
import type { World } from '../world.ts';
import type { TokenAnswer } from '../types.ts';

/** `POST /api/oauth/token`, JSON or form-encoded (interface section 4.6). */
export function postToken(c: Call) {
  return c.json(issue(c.var.world, fieldsOf(c.var.body)), 200, NO_STORE);
}

/** @throws TokenProblem */
function issue(world: World, field: TokenFields): TokenAnswer {
  const settings = world.settings.current;
  const clientId = field('client_id');
  const client = clientId === undefined ? undefined : findClient(world, clientId);
  const isForgotten = client === undefined && world.registered.get(clientId ?? '') !== undefined;
  requireThat(!isForgotten, 'invalid_client', 'Unknown client');
  const secret = field('client_secret');
  // A login with PKCE needs no secret, but a secret that is sent must be right.
  const secretIsRight = secret === undefined ? undefined : client?.secret === secret;
  switch (field('grant_type')) {
    case 'authorization_code': {
      const code = field('code');
      const isWhole = code !== undefined && clientId !== undefined;
      requireThat(isWhole, 'invalid_request', 'Missing code or client_id');
      const [redirectUri, verifier] = [field('redirect_uri'), field('code_verifier')];
      const given = { code, clientId, secretIsRight, redirectUri, verifier };
      return world.grants.exchangeCode(given, settings);
    }
    case 'refresh_token': {
      const token = field('refresh_token');
      const isWhole = token !== undefined && clientId !== undefined;
      requireThat(isWhole, 'invalid_request', 'Missing refresh_token or client_id');
      requireThat(secretIsRight !== false, 'invalid_client', 'Invalid client secret');
      return world.grants.refresh({ token, clientId }, settings);
    }
    default:
      throw new TokenProblem('unsupported_grant_type', 'Unsupported grant type');
  }
}

/** `POST /api/oauth/revoke` (RFC 7009): 200 even for an unknown token. The client is not checked. */
export function postRevoke(c: Call) {
  const token = fieldsOf(c.var.body)('token');
  if (token === undefined) throw new ApiProblem(400, 'Missing token parameter');
  c.var.world.grants.revokeToken(token);
  return c.json({ success: true }, 200, NO_STORE);
}

/** Reads a field; undefined if it is absent or empty. */
type TokenFields = (name: string) => string | undefined;

/** @throws Problem 400 for a body that is not JSON, 500 for one without string fields */
function fieldsOf(body: RequestBody): TokenFields {
  const value = valueOf(body);
  if (!isObject(value)) throw serverError();
  return (name) => {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined || field === null || field === '') return undefined;
    if (typeof field === 'string') return field;
    throw serverError();
  };
}
