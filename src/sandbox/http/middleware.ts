import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { bearerToken } from '../oauth/bearer.ts';
import { answerTo } from '../faults/answers.ts';
import type { FaultRoute } from '../faults/spec.ts';
import { loggedAnswer } from './redaction.ts';
import { ApiProblem } from './problem.ts';
import { decodeBody, isObject, readBytes, type RequestBody } from './request-body.ts';
import { publishExchange } from './request-log.ts';
import type { RouteName } from './routes.ts';
import type { SandboxEnv, World } from '../world.ts';
import type { RequestRecord } from '../types.ts';

/**
 * Largest accepted request (bytes): the client's largest recording, 256 MiB, and what surrounds it. The
 * platform documents no limit.
 */
const MAX_BODY_BYTES = 257 * 1024 * 1024;

/** Limit on the bodies that are read at one time, by all requests (bytes). */
const MAX_IN_FLIGHT_BYTES = 2 * MAX_BODY_BYTES;

/** Logs every request to the platform, reads its whole body, applies scripted faults and answers. */
export function recordAndAnswer(world: World): MiddlewareHandler<SandboxEnv> {
  const inFlight = { bytes: 0 };
  return async (c, next) => {
    const started = performance.now();
    const record = world.requests.open(new Date(world.now()).toISOString(), c.req.raw);
    c.set('record', record);
    const token = bearerToken(c);
    if (token !== null) record.athlete = world.grants.bearer(token)?.athleteId ?? null;
    world.changes += 1;
    const body = await readBody(c, world, record, inFlight);
    const drawn = world.faults.draw(faultNames(record.route, body));
    record.faults = drawn.specs;
    if (drawn.delayMs > 0) {
      await sleep(drawn.delayMs, undefined, { signal: world.closing.signal });
    }
    c.set('body', body);
    const sent = await answerTo(c, world, drawn.fault, next);
    if (sent.response !== c.res) {
      // Without undefined in between, Hono would merge the headers of the two answers.
      c.res = undefined;
      c.res = sent.response;
    }
    if (sent.response !== RESPONSE_ALREADY_SENT) {
      sent.response.headers.set('sandbox-run', `${world.run} ${world.settings.current.platform}`);
    }
    record.status = sent.status;
    record.durationMs = sent.status === null ? null : performance.now() - started;
    world.requests.recordAnswer(record, await loggedAnswer(sent.response));
    world.changes += 1;
    world.onRequest(record);
    await publishExchange(record, body, sent.response, world.settings.current.platform);
  };
}

/** Refuses host names other than loopback, against DNS rebinding by web pages. */
export function loopbackOnly(): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const { hostname } = new URL(c.req.url);
    if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
      throw new ApiProblem(403, `The sandbox answers on loopback names only, not on "${hostname}"`);
    }
    await next();
  };
}

/**
 * Refuses requests that a web page of another origin sends, before their bodies are read or logged: pages
 * could mint tokens, read the request log or log in.
 *
 * @param except methods that they may use: a page may lead the browser to an address with GET, as logins do
 */
export function ownPagesOnly(except: readonly string[] = []): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    if (!except.includes(c.req.method) && isFromOtherPage(c)) {
      throw new ApiProblem(403, 'The sandbox cannot be called by other web sites');
    }
    await next();
  };
}

/** Was the request sent by a page of another origin? (Fetch: `Origin`, `Sec-Fetch-Site`) */
function isFromOtherPage(c: Context<SandboxEnv>): boolean {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site') ?? 'none';
  const foreign = origin !== undefined && origin !== new URL(c.req.url).origin;
  return foreign || !['none', 'same-origin'].includes(site);
}

/** @throws Problem 413, 503; an Error if the client disconnects before the end of its request */
async function readBody(
  c: Context<SandboxEnv>,
  world: World,
  record: RequestRecord,
  inFlight: { bytes: number },
): Promise<RequestBody> {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return { kind: 'none' };
  let taken = 0;
  const take = (count: number) => {
    taken += count;
    inFlight.bytes += count;
    if (inFlight.bytes > MAX_IN_FLIGHT_BYTES) throw new ApiProblem(503, 'Too many large requests');
  };
  try {
    const bytes = await readBytes(c, MAX_BODY_BYTES, take);
    const body = await decodeBody(c.req.header('content-type') ?? '', bytes);
    world.requests.recordBody(record, body, bytes.length);
    return body;
  } catch (error) {
    if (error instanceof ApiProblem) record.status = error.status;
    world.changes += 1;
    throw error;
  } finally {
    inFlight.bytes -= taken;
  }
}

/** Returns the route's name and, for a token request, its grant type's. */
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
