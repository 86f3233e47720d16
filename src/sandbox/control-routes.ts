import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import type { AddFoodRequest, Control, ExpireRequest, MintRequest } from './control.ts';
import { FaultSpecError } from './faults/spec.ts';
import { ApiProblem, refusal } from './http/problem.ts';
import { sameOriginOnly } from './http/middleware.ts';
import { decodeBody, objectOf, readBytes } from './http/request-body.ts';
import { SettingError } from './settings.ts';
import { checkedRequest } from './http/validate.ts';
import type { SandboxEnv, World } from './world.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const ENDPOINTS = {
  'GET /_sandbox/state': 'all stored data (?athlete=)',
  'DELETE /_sandbox/state': 'delete recordings, wellness and nutrition',
  'GET /_sandbox/recordings/:sha256': 'the bytes of a recording (?athlete=)',
  'GET /_sandbox/requests': 'every request received (?route=&athlete=&after=)',
  'GET /_sandbox/requests/:ordinal': 'one request, with its answer',
  'DELETE /_sandbox/requests': 'clear the request log',
  'POST /_sandbox/process':
    'process queued recordings now: {"athlete"?, "sha256"?, "outcome"?: "workout" | "none" | "duplicate"}',
  'POST /_sandbox/foods':
    'add an item as the app does: {"athlete"?, "date", "meal", "source"?, "item"}',
  'PATCH /_sandbox/foods/:id': 'edit an item as the app does: the changed fields',
  'DELETE /_sandbox/foods/:id': 'remove an item as the app does',
  'GET /_sandbox/settings': 'the current settings',
  'POST /_sandbox/settings': 'change settings: {"NAME": VALUE}',
  'GET /_sandbox/faults': 'the scripted faults and their remaining hits',
  'POST /_sandbox/faults': 'add faults: {"faults": ["upload-fit:503*2"]}',
  'DELETE /_sandbox/faults': 'remove all faults, or one (?spec=)',
  'POST /_sandbox/tokens':
    'issue tokens without a browser: {"athlete"?, "scopes"?, "accessTtl"?, "refreshTtl"?, "clientId"?}',
  'POST /_sandbox/expire':
    'expire all tokens of a kind now: {"athlete"?, "login"?, "kind"?: "access" | "refresh"}',
  'POST /_sandbox/revoke': 'revoke logins: {"athlete"?, "login"?}',
} as const;

/** Returns the control endpoints, under `/_sandbox`. They are not logged, and no fault hits them. */
export function controlRoutes(world: World, control: Control): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  app.use(sameOriginOnly());
  app.use(async (c, next) => {
    await next();
    if (c.req.method !== 'GET') world.feed.changed();
  });
  app.get('/', (c) => c.json({ endpoints: ENDPOINTS }));
  app.get('/state', (c) => c.json(control.state(c.req.query('athlete'))));
  app.delete('/state', (c) => {
    control.clearState();
    return c.body(null, 204);
  });
  app.get('/recordings/:sha256', (c) => {
    const bytes = control.recordingBytes(c.req.param('sha256'), c.req.query('athlete'));
    if (bytes === null) throw new ApiProblem(404, 'No such recording');
    return c.body(new Uint8Array(bytes), 200, { 'content-type': 'application/vnd.ant.fit' });
  });
  app.get('/requests', (c) => {
    const after = c.req.query('after');
    const requests = control.requests({
      route: c.req.query('route'),
      athlete: c.req.query('athlete'),
      after: after === undefined ? undefined : Number(after),
    });
    return c.json({ requests });
  });
  app.get('/requests/:ordinal', (c) => c.json(control.request(Number(c.req.param('ordinal')))));
  app.delete('/requests', (c) => {
    control.clearRequests();
    return c.body(null, 204);
  });
  app.post('/process', async (c) => {
    await control.process(await jsonOf(c));
    return c.body(null, 204);
  });
  app.post('/foods', async (c) => c.json(control.addFood((await jsonOf(c)) as AddFoodRequest)));
  app.patch('/foods/:id', async (c) => {
    control.editFood(c.req.param('id'), await jsonOf(c));
    return c.body(null, 204);
  });
  app.delete('/foods/:id', (c) => {
    control.editFood(c.req.param('id'), null);
    return c.body(null, 204);
  });
  app.get('/settings', (c) => c.json(control.settings()));
  app.post('/settings', async (c) => c.json(control.set(await jsonOf(c))));
  app.get('/faults', (c) => c.json({ faults: control.faults() }));
  app.post('/faults', async (c) => {
    const { faults } = checkedRequest(faultsSchema, await jsonOf(c));
    control.addFaults(...faults);
    return c.json({ faults: control.faults() });
  });
  app.delete('/faults', (c) => {
    const spec = c.req.query('spec');
    if (spec === undefined) control.clearFaults();
    else control.removeFault(spec);
    return c.body(null, 204);
  });
  app.post('/tokens', async (c) =>
    c.json(control.mint((await jsonOf(c)) as MintRequest), 200, { 'cache-control': 'no-store' }),
  );
  app.post('/expire', async (c) =>
    c.json({ expired: control.expire((await jsonOf(c)) as ExpireRequest) }),
  );
  app.post('/revoke', async (c) => {
    const { athlete, login } = checkedRequest(revokeSchema, await jsonOf(c));
    const revoked = login === undefined ? control.revoke(athlete) : control.revokeLogin(login);
    return c.json({ revoked: Number(revoked) });
  });
  app.all('*', () => {
    throw refusal(404, 'No such control endpoint', ENDPOINTS);
  });
  app.onError((error, c) => {
    if (error instanceof ApiProblem) return error.toResponse(c.req.url);
    if (error instanceof SettingError || error instanceof FaultSpecError) {
      return refusal(400, error.message).toResponse(c.req.url);
    }
    throw error;
  });
  return app;
}

const faultsSchema = v.strictObject({ faults: v.array(v.string()) });
const revokeSchema = v.strictObject({
  athlete: v.optional(v.string()),
  login: v.optional(v.string()),
});

/** Reads the body as a JSON object; `{}` if it is empty. */
async function jsonOf(c: Context<SandboxEnv>): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c, MAX_BODY_BYTES);
  if (bytes.length === 0) return {};
  return objectOf(await decodeBody(c.req.header('content-type') ?? '', bytes));
}
