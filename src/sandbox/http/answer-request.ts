import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { bearerToken, requireBearer } from '../oauth/bearer.ts';
import { answerTo, sentStatus } from '../faults/answers.ts';
import type { FaultRoute } from '../faults/spec.ts';
import { platformOf } from '../platforms.ts';
import type { RequestRecord } from '../types.ts';
import type { Call } from '../platform.ts';
import { ApiProblem, problemOf } from './problem.ts';
import { loggedAnswer } from './redaction.ts';
import { decodeBody, isObject, readBytes, type RequestBody } from './request-body.ts';
import { type Endpoint, ROUTES, type RouteName } from './routes.ts';

/**
 * Largest accepted request (bytes): the client's largest recording, 256 MiB, and what surrounds it. The
 * platform documents no limit.
 */
const MAX_BODY_BYTES = 257 * 1024 * 1024;

/**
 * Answers a request to the platform: logs it, reads its whole body, and applies scripted faults.
 * @param route null: no endpoint has this method and path
 */
export function answerRequest(c: Call, route: RouteName | null): Promise<Response> {
  return orError(c, async () => {
    const { world } = c.var;
    const started = performance.now();
    const record = world.requests.open(route, new Date(world.now()).toISOString(), c.req.raw);
    const token = bearerToken(c);
    if (token !== null) record.athlete = world.grants.bearer(token)?.athleteId ?? null;
    const body = await readBody(c, record);
    c.set('body', body);
    const { specs, delayMs, fault } = world.faults.draw(faultNames(route, body));
    record.faults = specs;
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: world.closing.signal });
    c.set('platform', platformOf(world.settings.current));
    const process = () => orError(c, () => processed(c, route));
    const response = await orError(c, () => answerTo(c, route, fault, process));
    record.status = sentStatus(c, response);
    record.durationMs = record.status === null ? null : performance.now() - started;
    if (response !== RESPONSE_ALREADY_SENT) {
      response.headers.set('sandbox-run', `${world.run} ${world.settings.current.platform}`);
      world.requests.recordAnswer(record, await loggedAnswer(response));
    }
    world.onRequest(record);
    return response;
  });
}

async function orError(c: Call, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    return platformOf(c.var.world.settings.current).error(problemOf(error as Error), c.req.url);
  }
}

/** Lets the platform process the request. */
async function processed(c: Call, route: RouteName | null): Promise<Response> {
  const { platform } = c.var;
  const handler = route === null ? undefined : platform.routes[route];
  if (route === null || handler === undefined) return await platform.otherwise(c);
  const [, , scope]: Endpoint = ROUTES[route];
  if (scope !== undefined) c.set('bearer', requireBearer(c, scope));
  return await handler(c);
}

/** @throws Problem 413; an Error if the client disconnects before the end of its request */
async function readBody(c: Call, record: RequestRecord): Promise<RequestBody> {
  const { world } = c.var;
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return { type: '' };
  try {
    const bytes = await readBytes(c, MAX_BODY_BYTES);
    const body = await decodeBody(c.req.header('content-type') ?? '', bytes);
    world.requests.recordBody(record, body, bytes.length);
    return body;
  } catch (error) {
    if (error instanceof ApiProblem) record.status = error.status;
    throw error;
  }
}

/** Returns the route's name and, for a token request, its grant type's. */
function faultNames(route: RouteName | null, { value }: RequestBody): FaultRoute[] {
  if (route === null) return [];
  const grantType = route === 'token' && isObject(value) && value['grant_type'];
  if (grantType === 'refresh_token') return [route, 'refresh'];
  return grantType === 'authorization_code' ? [route, 'exchange'] : [route];
}
