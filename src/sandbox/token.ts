import type { Handler } from 'hono';
import { secretMatches, type Client } from './clients.ts';
import type { TokenAnswer } from './grants.ts';
import { NO_STORE, TokenProblem } from './problem.ts';
import { isObject, type RequestBody } from './request-body.ts';
import type { SandboxEnv, World } from './world.ts';

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** `POST /api/oauth/token`, JSON only (interface section 4.6). */
export function postToken(world: World): Handler<SandboxEnv> {
  return (c) => {
    const fields = new Fields(c.get('body'));
    const grantType = fields.required('grant_type');
    const answer = issue(world, grantType, fields);
    return c.json(answer, 200, NO_STORE);
  };
}

function issue(world: World, grantType: string, fields: Fields): TokenAnswer {
  const settings = world.settings.current;
  switch (grantType) {
    case 'authorization_code': {
      const given = {
        clientId: authenticate(world, fields).id,
        code: fields.required('code'),
        redirectUri: fields.required('redirect_uri'),
        verifier: fields.required('code_verifier'),
      };
      if (!VERIFIER.test(given.verifier)) {
        // RFC 7636 section 4.1.
        throw new TokenProblem(
          'invalid_request',
          'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
        );
      }
      return world.grants.exchangeCode(given, settings);
    }
    case 'refresh_token':
      return world.grants.refresh(
        { clientId: authenticate(world, fields).id, token: fields.required('refresh_token') },
        settings,
      );
    default:
      throw new TokenProblem(
        'unsupported_grant_type',
        `grant_type must be authorization_code or refresh_token, not "${grantType}"`,
      );
  }
}

/** `POST /api/oauth/revoke` (RFC 7009): 200 even for a token that nobody knows. */
export function postRevoke(world: World): Handler<SandboxEnv> {
  return (c) => {
    const fields = new Fields(c.get('body'));
    const client = authenticate(world, fields);
    fields.optional('token_type_hint');
    world.grants.revokeToken(fields.required('token'), client.id);
    return c.json({ success: true }, 200, NO_STORE);
  };
}

/** @throws TokenProblem invalid_client, or invalid_request where client_id is missing */
function authenticate(world: World, fields: Fields): Client {
  const id = fields.required('client_id');
  const secret = fields.optional('client_secret');
  const client = world.clients.find((candidate) => candidate.id === id);
  if (client === undefined) throw new TokenProblem('invalid_client', `Unknown client "${id}"`);
  if (!secretMatches(client, secret)) {
    throw new TokenProblem(
      'invalid_client',
      client.secret === null
        ? 'This client has no client_secret: leave it out'
        : `client_secret is ${secret === undefined ? 'missing' : 'wrong'}`,
    );
  }
  return client;
}

/** The string fields of a JSON body. */
class Fields {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(body: RequestBody) {
    if (body.kind === 'malformed') throw new TokenProblem('invalid_request', body.reason);
    if (body.kind !== 'json') {
      throw new TokenProblem(
        'invalid_request',
        'The body must be sent as Content-Type: application/json',
      );
    }
    if (!isObject(body.value)) {
      throw new TokenProblem('invalid_request', 'The body must be a JSON object');
    }
    this.#fields = body.value;
  }

  optional(name: string): string | undefined {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw new TokenProblem('invalid_request', `${name} must be a string`);
  }

  required(name: string): string {
    const value = this.optional(name);
    if (value !== undefined && value !== '') return value;
    throw new TokenProblem('invalid_request', `${name} is required`);
  }
}
