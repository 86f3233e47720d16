import type { Context, MiddlewareHandler } from 'hono';
import { Problem } from './problem.ts';
import { fingerprint } from './random.ts';
import type { Scope } from './scopes.ts';
import type { SandboxSettings } from './settings.ts';
import type { SandboxEnv, World } from './world.ts';

/** The token of an `Authorization: Bearer` header (RFC 6750 section 2.1), or null. */
export function bearerToken(c: Context<SandboxEnv>): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/**
 * Lets a request through when its access token is good and carries `scope`; without a scope, when
 * the token is good. The 403 names what is missing.
 */
export function requireBearer(world: World, scope: Scope | null): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const token = bearerToken(c);
    const bearer = token === null ? null : world.grants.bearer(token);
    if (bearer === null)
      throw new Problem(401, scope === null ? whyUnknown(token) : 'Unauthorized');
    if (world.settings.current.deactivated.includes(bearer.athleteId)) {
      throw new Problem(403, 'Account deactivated');
    }
    if (scope !== null && !bearer.scopes.includes(scope)) {
      throw new Problem(403, `Insufficient permissions. Required scopes: ${scope}`);
    }
    c.set('bearer', bearer);
    await next();
  };
}

/** Who-am-I says more than the other endpoints. */
function whyUnknown(token: string | null): string {
  return token === null
    ? 'Missing or invalid Authorization header'
    : 'Invalid or expired access token';
}

/** A route that a revision lacks answers 401 there, however good the token is. */
export function requireTrait(
  world: World,
  has: (settings: SandboxSettings) => boolean,
): MiddlewareHandler<SandboxEnv> {
  return async (_c, next) => {
    if (!has(world.settings.current)) throw new Problem(401, 'Unauthorized');
    await next();
  };
}

/** Counts requests in windows of a minute, each caller's for itself. */
export class RateLimiter {
  readonly #now: () => number;
  #window = -1;
  #counts = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @param caller a token, or an address; kept as a fingerprint.
   * @throws Problem 429 with Retry-After, s
   */
  count(caller: string, limit: number): void {
    const window = Math.floor(this.#now() / 60_000);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    const key = fingerprint(caller);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= limit) return;
    const wait = Math.max(1, Math.ceil(((window + 1) * 60_000 - this.#now()) / 1000));
    throw new Problem(429, 'Too Many Requests', {
      headers: { 'retry-after': String(wait) },
    });
  }
}
