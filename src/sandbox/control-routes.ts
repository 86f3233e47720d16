import { Hono, type HonoRequest } from 'hono';
import { prettyJSON } from 'hono/pretty-json';
import * as v from 'valibot';
import { ApiProblem, refusal } from './http/problem.ts';
import { ownPagesOnly } from './http/middleware.ts';
import { decodeBody, objectOf, readBytes } from './http/request-body.ts';
import { checkedRequest } from './http/validate.ts';
import type { Control } from './types.ts';
import type { Call, SandboxEnv } from './platform.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const faultsSchema = v.strictObject({ faults: v.array(v.string()) });

/** @param body the control checks it */
type Answer = (control: Control, request: HonoRequest, body: never) => unknown;

/** Each endpoint with its description, and its answer: JSON, bytes, or none (204). */
const ENDPOINTS: Readonly<Record<string, readonly [about: string, answer: Answer]>> = {
  'GET /state': [
    'all stored data (?athlete=)',
    (control, request) => control.state(request.query('athlete')),
  ],
  'DELETE /state': ['delete recordings, wellness and nutrition', (control) => control.clearState()],
  'GET /recordings/:sha256': [
    'the bytes of a recording (?athlete=)',
    (control, request) => {
      const sha256 = request.param('sha256') ?? '';
      const bytes = control.recordingBytes(sha256, request.query('athlete'));
      if (bytes === null) throw new ApiProblem(404, 'No such recording');
      return bytes;
    },
  ],
  'GET /requests': [
    'every request received (?route=&athlete=&after=)',
    (control, request) => {
      const { route, athlete, after = 0 } = request.query();
      return { requests: control.requests({ route, athlete, after: Number(after) }) };
    },
  ],
  'GET /requests/:ordinal': [
    'one request, with its answer',
    (control, request) => control.request(Number(request.param('ordinal'))),
  ],
  'DELETE /requests': ['clear the request log', (control) => control.clearRequests()],
  'POST /process': [
    'process queued recordings now: {"athlete"?, "sha256"?, "outcome"?: "workout" | "none" | "duplicate"}',
    (control, _, body) => control.process(body),
  ],
  'POST /foods': [
    'add an item as the app does: {"athlete"?, "date", "meal", "source"?, "item"}',
    (control, _, body) => control.addFood(body),
  ],
  'PATCH /foods/:id': [
    'edit an item as the app does: the changed fields',
    (control, request, body) => control.editFood(request.param('id') ?? '', body),
  ],
  'DELETE /foods/:id': [
    'remove an item as the app does',
    (control, request) => control.editFood(request.param('id') ?? '', null),
  ],
  'GET /settings': ['the current settings', (control) => control.settings()],
  'POST /settings': [
    'change settings: {"NAME": VALUE}',
    (control, _, body) => control.settings(body),
  ],
  'GET /faults': [
    'the scripted faults and their remaining hits',
    (control) => ({ faults: control.faults() }),
  ],
  'POST /faults': [
    'add faults: {"faults": ["upload-fit:503*2"]}',
    (control, _, body) => {
      control.addFaults(...checkedRequest(faultsSchema, body).faults);
      return { faults: control.faults() };
    },
  ],
  'DELETE /faults': [
    'remove all faults, or one (?spec=)',
    (control, request) => control.clearFaults(request.query('spec')),
  ],
  'POST /tokens': [
    'issue tokens without a browser: {"athlete"?, "scopes"?, "accessTtl"?, "refreshTtl"?, "clientId"?}',
    (control, _, body) => control.mint(body),
  ],
  'POST /expire': [
    'expire all tokens of a kind now: {"athlete"?, "login"?, "kind"?: "access" | "refresh"}',
    (control, _, body) => ({ expired: control.expire(body) }),
  ],
  'POST /revoke': [
    'revoke logins: {"athlete"?, "login"?}',
    (control, _, body) => ({ revoked: control.revoke(body) }),
  ],
};

/** Returns the control endpoints, under `/_sandbox`. They are not logged, and no fault hits them. */
export function controlRoutes(control: Control): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  const listed = Object.fromEntries(
    Object.entries(ENDPOINTS).map(([name, [about]]) => [name.replace(' ', ' /_sandbox'), about]),
  );
  app.use(ownPagesOnly(), prettyJSON());
  app.get('/', (c) => c.json({ endpoints: listed }));
  for (const [name, [, answer]] of Object.entries(ENDPOINTS)) {
    const [method = '', path = ''] = name.split(' ');
    app.on(method, path, async (c) => {
      const body = method === 'GET' ? {} : await jsonOf(c);
      const result = await answer(control, c.req, body as never);
      if (result === undefined) return c.body(null, 204);
      if (!(result instanceof Uint8Array))
        return c.json(result, 200, { 'cache-control': 'no-store' });
      return c.body(new Uint8Array(result), 200, { 'content-type': 'application/vnd.ant.fit' });
    });
  }
  app.all('*', () => {
    throw refusal(404, 'No such control endpoint', listed);
  });
  return app;
}

/** Reads the body as a JSON object; `{}` if it is empty. */
async function jsonOf(c: Call): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c, MAX_BODY_BYTES);
  if (bytes.length === 0) return {};
  return objectOf(await decodeBody(c.req.header('content-type') ?? '', bytes));
}
