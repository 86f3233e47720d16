import { ApiProblem } from '../http/problem.ts';
import type { Bearer } from './grants.ts';
import type { Scope } from './scopes.ts';
import type { Call } from '../platform.ts';

/** Returns the token of an `Authorization: Bearer` header (RFC 6750 section 2.1), or null. */
export function bearerToken(c: Call): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/**
 * Requires a valid access token, and `scope` unless it is null.
 * @throws Problem 401; 403 with the missing scope
 */
export function requireBearer(c: Call, scope: Scope | null): Bearer {
  const { grants, settings } = c.var.world;
  const token = bearerToken(c);
  const bearer = token === null ? null : grants.bearer(token);
  if (bearer === null) {
    throw new ApiProblem(401, scope === null ? whyUnknown(token) : 'Unauthorized');
  }
  if (settings.current.deactivated.includes(bearer.athleteId)) {
    throw new ApiProblem(403, 'Account deactivated');
  }
  if (scope !== null && !bearer.scopes.includes(scope)) {
    throw new ApiProblem(403, `Insufficient permissions. Required scopes: ${scope}`);
  }
  return bearer;
}

/** userinfo, which needs no scope, gives a reason; the other endpoints do not. */
function whyUnknown(token: string | null): string {
  return token === null
    ? 'Missing or invalid Authorization header'
    : 'Invalid or expired access token';
}
