import type { Handler } from 'hono';
import { findClient, secretMatches } from './clients.ts';
import { NO_STORE, ApiProblem, serverError, TokenProblem } from '../http/problem.ts';
import { isObject, valueOf, type RequestBody } from '../http/request-body.ts';
import type { SandboxEnv, World } from '../world.ts';
import type { TokenAnswer } from '../types.ts';

/** `POST /api/oauth/token`, JSON or form-encoded (interface section 4.6). */
export function postToken(world: World): Handler<SandboxEnv> {
  return (c) => c.json(issue(world, fieldsOf(c.get('body'))), 200, NO_STORE);
}

/** @throws TokenProblem */
function issue(world: World, field: TokenFields): TokenAnswer {
  const settings = world.settings.current;
  const clientId = field('client_id');
  const isForgotten = clientId !== undefined && findClient(world, clientId) === undefined;
  if (isForgotten && world.registered.get(clientId) !== undefined) {
    throw new TokenProblem('invalid_client', 'Unknown client');
  }
  switch (field('grant_type')) {
    case 'authorization_code': {
      const code = field('code');
      if (code === undefined || clientId === undefined) {
        throw new TokenProblem('invalid_request', 'Missing code or client_id');
      }
      return world.grants.exchangeCode(
        {
          code,
          clientId,
          secretIsRight: secretIsRight(world, clientId, field('client_secret')),
          redirectUri: field('redirect_uri'),
          verifier: field('code_verifier'),
        },
        settings,
      );
    }
    case 'refresh_token': {
      const token = field('refresh_token');
      if (token === undefined || clientId === undefined) {
        throw new TokenProblem('invalid_request', 'Missing refresh_token or client_id');
      }
      if (secretIsRight(world, clientId, field('client_secret')) === false) {
        throw new TokenProblem('invalid_client', 'Invalid client secret');
      }
      return world.grants.refresh({ token, clientId }, settings);
    }
    default:
      throw new TokenProblem('unsupported_grant_type', 'Unsupported grant type');
  }
}

/** `POST /api/oauth/revoke` (RFC 7009): 200 even for an unknown token. The client is not checked. */
export function postRevoke(world: World): Handler<SandboxEnv> {
  return (c) => {
    const token = fieldsOf(c.get('body'))('token');
    if (token === undefined) throw new ApiProblem(400, 'Missing token parameter');
    world.grants.revokeToken(token);
    return c.json({ success: true }, 200, NO_STORE);
  };
}

/** A login with PKCE needs no secret, but a secret that is sent must be right. */
function secretIsRight(
  world: World,
  clientId: string,
  secret: string | undefined,
): boolean | undefined {
  if (secret === undefined) return undefined;
  const client = findClient(world, clientId);
  return client !== undefined && secretMatches(client, secret);
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
