import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, MiddlewareHandler } from 'hono';
import { bearerToken, RateLimiter } from './bearer.ts';
import { answerInstead, spoilAnswer } from './fault-answers.ts';
import { publishExchange } from './exchanges.ts';
import type { FaultRoute } from './fault-spec.ts';
import { Problem } from './problem.ts';
import { decodeBody, isObject, type RequestBody } from './request-body.ts';
import { recordBody, type RequestRecord } from './request-log.ts';
import { routeOf, type RouteName } from './routes.ts';
import type { SandboxEnv, World } from './world.ts';

/** No limit is documented; this one keeps a mistake from filling the memory. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;

/**
 * What every request to the platform passes: it is written down, read whole, hit by the faults that
 * it draws, and answered.
 */
export function pipeline(world: World): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const started = performance.now();
    const record = openRecord(c, world);
    const token = bearerToken(c);
    if (token !== null) record.athlete = world.grants.bearer(token)?.athleteId ?? null;
    const body = await readBody(c, record);
    const drawn = world.faults.draw(faultNames(record.route, body));
    record.faults = drawn.specs;
    if (drawn.delayMs > 0) {
      await sleep(drawn.delayMs, undefined, { signal: world.closing.signal });
    }
    c.set('body', body);
    c.set('record', record);
    c.set(
      'successFalse',
      world.settings.current.successFalse || drawn.fault?.kind === 'success-false',
    );
    const instead = await answerInstead(c, world, drawn.fault);
    if (instead === null) await next();
    const sent = instead ?? (await spoilAnswer(c, world, drawn.fault));
    if (sent.response !== c.res) {
      // Undefined first: Hono would otherwise mix the headers of the two answers.
      c.res = undefined;
      c.res = sent.response;
    }
    record.status = sent.status;
    record.durationMs = sent.status === null ? null : performance.now() - started;
    await publishExchange(record, body, sent.response);
  };
}

/**
 * 429 beyond the limits of the settings, where there are any: one for each token, and another for
 * each address that sends requests without one.
 */
export function rateLimit(world: World): MiddlewareHandler<SandboxEnv> {
  const limiter = new RateLimiter(world.now);
  return async (c, next) => {
    const { rateLimit, addressRateLimit } = world.settings.current;
    const token = bearerToken(c);
    const limit = token === null ? addressRateLimit : rateLimit;
    if (limit !== null) limiter.count(token ?? addressOf(c), limit);
    await next();
  };
}

/** Where a request comes from; all that come without a connection are one caller's. */
function addressOf(c: Context<SandboxEnv>): string {
  const { incoming } = (c.env as SandboxEnv['Bindings'] | undefined) ?? {};
  return incoming?.socket.remoteAddress ?? 'no address';
}

/**
 * The sandbox answers on loopback names only: a web page that points a name of its own at this
 * machine (DNS rebinding) reaches nothing.
 */
export function loopbackOnly(): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const { hostname } = new URL(c.req.url);
    if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
      throw new Problem(403, `The sandbox answers on loopback names only, not on "${hostname}"`);
    }
    await next();
  };
}

function openRecord(c: Context<SandboxEnv>, world: World): RequestRecord {
  const url = new URL(c.req.url);
  return world.requests.open({
    receivedAt: new Date(world.now()).toISOString(),
    method: c.req.method,
    path: url.pathname,
    route: routeOf(c.req.method, url.pathname),
    query: url.searchParams,
    headers: c.req.raw.headers,
  });
}

/** @throws Problem 413; an Error when the client went away before the end of its request */
async function readBody(c: Context<SandboxEnv>, record: RequestRecord): Promise<RequestBody> {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return { kind: 'none' };
  if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) {
    record.status = 413;
    throw new Problem(413, `A request may have ${MAX_BODY_BYTES} bytes`);
  }
  const bytes = await readBytes(c);
  const body = await decodeBody(c.req.header('content-type') ?? '', bytes);
  recordBody(record, body, bytes.length);
  return body;
}

/**
 * The bytes of the body. From the socket, where there is one, they are copied once; through the
 * Request it would be twice, which is most of what an upload costs here.
 */
async function readBytes(c: Context<SandboxEnv>): Promise<Buffer> {
  const { incoming } = (c.env as SandboxEnv['Bindings'] | undefined) ?? {};
  if (incoming === undefined) return Buffer.from(await c.req.arrayBuffer());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [only = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : only;
}

/** A token request also goes by what it asks for. */
function faultNames(route: RouteName | null, body: RequestBody): FaultRoute[] {
  if (route === null) return [];
  if (route !== 'token') return [route];
  const grantType =
    body.kind === 'form'
      ? body.fields.get('grant_type')
      : body.kind === 'json' && isObject(body.value) && body.value['grant_type'];
  if (grantType === 'refresh_token') return [route, 'refresh'];
  return grantType === 'authorization_code' ? [route, 'exchange'] : [route];
}
