import { describe, expect, it, onTestFinished } from 'vitest';
import { inspect } from 'node:util';
import { SyncError, exitCodeOfDelivery } from '../../src/base/errors.ts';
import { printable } from '../../src/base/printable.ts';
import { Secret } from '../../src/base/secret.ts';
import type { TokenSource } from '../../src/api/token-source.ts';
import { type ServiceClient, createServiceClient } from '../../src/api/client.ts';
import { DEFAULT_ENDPOINTS, type Endpoints } from '../../src/config/endpoints.ts';
import { MAX_ANSWER_BYTES } from '../../src/api/http.ts';
import { openHttp } from '../../src/api/open-http.ts';
import { isAboutTheItem } from '../../src/api/refusal.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { testContext } from '../support/context.ts';
import { noFacts } from '../support/platform-facts.ts';
import { type TestServer, failure, listen, never } from './support.ts';

const FIRST = 'first-access-token';
const SECOND = 'second-access-token';

interface Options {
  readonly base?: string;
  readonly endpoints?: Partial<Endpoints>;
  readonly tokens?: Partial<TokenSource>;
}

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };

/** A client over real HTTP, against answers in their order (the last one for all that follow). */
async function open(answers: readonly Answer[], options: Options = {}) {
  let next = 0;
  const server = await listen((_request, response) => {
    const {
      status = 200,
      body = { success: true },
      headers = {},
    } = answers[Math.min(next++, answers.length - 1)] ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const replaced: string[] = [];
  const trace: string[] = [];
  const slept: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void slept.push(ms));
  const context = testContext({
    clock: { now: () => 0, monotonic: () => 0, sleep },
    trace: (line) => trace.push(line),
  });
  const http = await openHttp({ ...context, env: {}, connections: 2 });
  onTestFinished(() => http.close());
  const client = createServiceClient(context, {
    baseUrl: new URL(options.base ?? '', server.url),
    endpoints: { ...DEFAULT_ENDPOINTS, ...options.endpoints },
    http,
    tokens: {
      scopes: () => Promise.resolve(undefined),
      accessToken: () => Promise.resolve(new Secret(replaced.length === 0 ? FIRST : SECOND)),
      replace: (rejected) => {
        replaced.push(rejected.reveal());
        return Promise.resolve(new Secret(SECOND));
      },
      ...options.tokens,
    },
    policy: RETRIES.run,
  });
  return { client, server, replaced, trace, slept };
}

const tokensSeen = ({ requests }: TestServer) =>
  requests.map(({ headers }) => headers.authorization);

const upload = { contentType: 'multipart/form-data; boundary=b', body: [Buffer.from('--b--')] };

const FEBRUARY = { startDate: '2026-02-01', endDate: '2026-02-28' };
const pushWellness = (client: ServiceClient) =>
  client.push('wellness', {}, 'always', noFacts(), never());
const pushNutrition = (client: ServiceClient) =>
  client.push('nutrition', {}, 'unless-acted-on', noFacts(), never());

/** Every method, so that what holds for one is seen to hold for all. */
const METHODS: readonly (readonly [string, string, (client: ServiceClient) => Promise<unknown>])[] =
  [
    [
      'uploadRecording',
      'POST /api/workouts/upload-fit',
      (c) => c.uploadRecording(upload, noFacts(), never()),
    ],
    ['push wellness', 'POST /api/wellness', pushWellness],
    ['push nutrition', 'POST /api/nutrition', pushNutrition],
    [
      'listWorkouts',
      'GET /api/workouts?limit=5&offset=10&startDate=2026-02-01&endDate=2026-02-28',
      (c) => c.listWorkouts({ limit: 5, offset: 10, ...FEBRUARY }, never()),
    ],
    ['readProfile', 'GET /api/profile', (c) => c.readProfile(never())],
    ['updateProfile', 'PATCH /api/profile', (c) => c.updateProfile({ ftp: 280 }, never())],
    ['userinfo', 'GET /api/oauth/userinfo', (c) => c.userinfo(never())],
  ];

describe.each(METHODS)('%s', (name, line, call) => {
  const path = line.split(' ')[1] ?? '';
  // A platform may have no profile for applications: after a 401, userinfo decides before a refresh.
  const mayLack = path === '/api/profile';

  it('sends one request with the token to the right address', async () => {
    const { client, server, trace } = await open([{}]);
    await call(client);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([line]);
    expect(tokensSeen(server)).toEqual([`Bearer ${FIRST}`]);
    expect(trace).toEqual([`${line.split('?')[0] ?? ''} 200 0 ms`]);
  });

  it('keeps the path of the base URL', async () => {
    for (const base of ['/team/a', '/team/a/', '/team/a//']) {
      const { client, server } = await open([{}], { base });
      await call(client);
      expect(server.requests[0]?.url).toBe(`/team/a${path}`);
    }
  });

  it('replaces a rejected token once and sends the same request again', async () => {
    const refused = { status: 401, body: '' };
    const { client, server, replaced } = await open([
      refused,
      ...(mayLack ? [refused, refused] : []),
      {},
    ]);
    await call(client);
    expect(replaced).toEqual([FIRST]);
    expect([tokensSeen(server)[0], tokensSeen(server).at(-1)]).toEqual([
      `Bearer ${FIRST}`,
      `Bearer ${SECOND}`,
    ]);
    expect(server.requests.at(-1)?.body).toEqual(server.requests[0]?.body);
  });

  it('fails with AUTH_EXPIRED if every token is rejected, for this request, for userinfo and for workouts', async () => {
    const { client, server } = await open([{ status: 401, body: '{"message":"no"}' }]);
    const error = await failure(call(client));
    expect({ ...about(error), hint: error.hint }).toEqual({
      code: 'AUTH_EXPIRED',
      message: 'The platform does not accept this login any more.',
      hint: 'Run `sync login`.',
      details: { status: 401, attempts: 2 },
    });
    const elsewhere = ['/api/oauth/userinfo', '/api/workouts'];
    expect(server.requests.map(({ url }) => url)).toEqual(
      mayLack ? [path, ...elsewhere, path, ...elsewhere] : [path, path, ...elsewhere],
    );
  });

  it('does not follow a redirect with the token', async () => {
    const other = await listen((_request, response) => void response.end('{}'));
    const { client } = await open([{ status: 308, headers: { location: other.url.href } }]);
    const error = await failure(call(client));
    expect(error).toMatchObject({ code: 'SERVICE_ANSWER', details: { delivery: 'not-sent' } });
    expect(error.message).toContain('(308); a login never follows');
    expect(other.requests).toEqual([]);
  });

  it('names the path to which a redirect on the same host leads', async () => {
    const [from = ''] = path.split('?');
    const moved = [{ status: 308, headers: { location: `/team/a${from}/?a=b` } }];
    const { client, server } = await open(moved, { base: '/team/a/' });
    const error = await failure(call(client));
    const paths = `/team/a${from} to /team/a${from}/`;
    expect(error.message).toContain(`sends ${paths} (308); a login never follows`);
    const set = String(error.hint).replace(/endpoint\.\w+/, 'endpoint.NAME');
    expect(set).toContain(`\`sync config set endpoint.NAME ${from}/\``);
    expect(server.requests).toHaveLength(1);
  });

  it.each([300, 304])('names no new address for a %i without one', async (status) => {
    const { client } = await open([{ status }]);
    const error = await failure(call(client));
    expect(error.code).toBe('SERVICE_ANSWER');
    expect(error.message).toContain(`with a status that means nothing here (${status})`);
    expect(String(error.hint)).not.toContain('moved');
  });

  it.each([
    [301, 'not-sent'],
    [302, 'unknown'],
    [303, 'unknown'],
    [307, 'not-sent'],
  ] as const)('reports if a redirect may follow an action (%i)', async (status, is) => {
    const { client } = await open([{ status, headers: { location: '/x' } }]);
    const error = await failure(call(client));
    expect(error.details['delivery']).toBe(is);
    expect(String(error.hint).includes('config set')).toBe(is === 'not-sent');
  });

  it('names the address of a 404 and how to change it', async () => {
    const { client } = await open([{ status: 404, body: '<html>nginx</html>' }], { base: '/x' });
    if (mayLack) {
      expect(await call(client)).toBeUndefined();
      return;
    }
    const error = await failure(call(client));
    expect(error.code).toBe('REJECTED');
    expect(error.message).toBe(`The platform has nothing at /x${path.split('?')[0] ?? ''} (404).`);
    expect(String(error.hint)).toMatch(/config get baseUrl.*config set endpoint\.[a-zA-Z]+ PATH/);
  });

  it('shows no token in any error', async () => {
    for (const status of [200, 302, 400, 401, 403, 404, 413, 422, 500, 503]) {
      if (mayLack && status === 404) continue;
      const body = status === 200 ? 'not JSON' : { message: 'Sorry' };
      const { client, trace } = await open([{ status, body }]);
      const error = await failure(call(client));
      const shown = [
        inspect(error, { depth: 20, showHidden: true }),
        JSON.stringify(error),
        JSON.stringify(error.details),
        ...trace,
      ].join('\n');
      expect(shown).not.toContain(FIRST);
      expect(shown).not.toContain(SECOND);
    }
  });
});

const about = ({ code, message, details }: SyncError) => ({ code, message, details });

it.each<[string, (client: ServiceClient) => Promise<unknown>, unknown, object]>([
  [
    'the scope that the message names',
    (c) => c.uploadRecording(upload, noFacts(), never()),
    { message: 'Missing required scope: workout:write' },
    { code: 'SCOPE_MISSING', scope: 'workout:write' },
  ],
  [
    'the scope that it names, if it is not the one expected',
    (c) => c.readProfile(never()),
    { message: 'Requires profile:read' },
    { code: 'SCOPE_MISSING', scope: 'profile:read' },
  ],
  [
    'the scope of the endpoint, if the message only speaks of one',
    pushWellness,
    { message: 'Insufficient scope' },
    { code: 'SCOPE_MISSING', scope: 'health:write' },
  ],
  [
    'the scope for a change of a workout',
    (c) => c.removeWorkout('1', never()),
    { message: 'Insufficient scope' },
    { code: 'SCOPE_MISSING', scope: 'workout:write' },
  ],
  [
    'the scope for a change of the profile',
    (c) => c.updateProfile({}, never()),
    { message: 'Insufficient scope' },
    { code: 'SCOPE_MISSING', scope: 'profile:write' },
  ],
  [
    'the scope for reading days',
    (c) => c.listDays('wellness', { first: '', last: '', limit: 1 }, never()),
    { message: 'Insufficient scope' },
    { code: 'SCOPE_MISSING', scope: 'health:read' },
  ],
  [
    'a refusal, if it is about something else',
    pushWellness,
    { message: 'This account is deactivated' },
    { code: 'REJECTED', scope: undefined },
  ],
  [
    'a refusal, if it is a page of something in between',
    (c) => c.listWorkouts({ limit: 1, offset: 0 }, never()),
    '<html>Forbidden by policy</html>',
    { code: 'REJECTED', scope: undefined },
  ],
])('a 403 response means %s', async (_name, call, body, expected) => {
  const { client, server, replaced } = await open([{ status: 403, body }]);
  const error = await failure(call(client));
  expect({ code: error.code, scope: error.details['scope'] }).toEqual(expected);
  if (error.code === 'SCOPE_MISSING') expect(String(error.hint)).toContain('sync login');
  expect([server.requests.length, replaced]).toEqual([1, []]);
});

it.each([
  [['workout:write'], { code: 'SCOPE_MISSING', scope: 'health:write' }],
  [['workout:write', 'health:write'], { code: 'REJECTED', scope: undefined }],
])('a 403 response without a reason, to a login with %s, means %o', async (granted, expected) => {
  const tokens = { scopes: () => Promise.resolve(granted) };
  const { client } = await open([{ status: 403, body: {} }], { tokens });
  const error = await failure(pushWellness(client));
  expect({ code: error.code, scope: error.details['scope'] }).toEqual(expected);
});

it.each<[status: number, challenge: string, code: string, scope?: string]>([
  [403, 'Bearer error="insufficient_scope", scope="health:read"', 'SCOPE_MISSING', 'health:read'],
  [403, 'Basic realm="x", Bearer error=insufficient_scope', 'SCOPE_MISSING', 'health:write'],
  [401, 'Bearer error="insufficient_scope"', 'SCOPE_MISSING', 'health:write'],
  [403, 'Basic realm="proxy", error="insufficient_scope", scope="health:read"', 'REJECTED'],
  [403, 'Bearer realm="x", scope="health:read"', 'REJECTED'],
])('a %i with the challenge %s means %s', async (status, challenge, code, scope) => {
  const refused = { status, body: '', headers: { 'www-authenticate': challenge } };
  const { client, server, replaced } = await open([refused]);
  const error = await failure(pushWellness(client));
  expect([error.code, error.details['scope']]).toEqual([code, scope]);
  expect([server.requests.length, replaced]).toEqual([1, []]);
});

it.each([
  [400, { message: 'Bad', data: [{ path: ['day'], message: 'Required' }] }, 'Bad (day: Required)'],
  [413, '<html>', 'The record is too large for the platform (413): send fewer fields.'],
  [
    413,
    { message: 'at most 1 MB' },
    'The record is too large for the platform (413, at most 1 MB): send fewer fields.',
  ],
  [422, { statusMessage: 'Unprocessable' }, 'Unprocessable'],
  [409, '', 'The platform answered 409 with nothing.'],
])('a rejection fails with %i and the message of the platform', async (status, body, message) => {
  const { client, server } = await open([{ status, body }]);
  const error = await failure(pushWellness(client));
  const page = typeof body === 'string' ? { page: true } : {};
  expect(about(error)).toEqual({
    code: 'REJECTED',
    message,
    details: { status, attempts: 1, ...page },
  });
  expect(server.requests).toHaveLength(1);
});

describe('a service that rejects a token after a refresh', () => {
  const REFUSED_HERE = { status: 401, body: { message: 'Unauthorized' } };

  it('keeps the login if userinfo accepts the token, and the next request may succeed', async () => {
    const { client, server } = await open([REFUSED_HERE, REFUSED_HERE, { body: { sub: 'a' } }, {}]);
    const error = await failure(client.uploadRecording(upload, noFacts(), never()));
    expect({ ...about(error), hint: error.hint }).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The platform refused a token of this login (401) that is accepted elsewhere.',
      hint: 'The same command again continues. If that lasts, run `sync login`.',
      details: { status: 401, attempts: 2, delivery: 'not-sent' },
    });
    expect(await client.uploadRecording(upload, noFacts(), never())).toMatchObject({
      outcome: 'uploaded',
    });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/workouts/upload-fit',
      '/api/workouts/upload-fit',
      '/api/oauth/userinfo',
      '/api/workouts/upload-fit',
    ]);
  });

  it.each([
    ['sends the request with the newest token if that one is stale by now', {}, undefined, 3],
    ['keeps the login if five tokens are refused', REFUSED_HERE, 'SERVICE_UNAVAILABLE', 5],
  ])('%s', async (_what, last, code, count) => {
    const all = [FIRST, 'third', 'fourth', 'fifth'];
    const tokens = { accessToken: () => Promise.resolve(new Secret(all.shift() ?? '')) };
    const { client, server, replaced } = await open([REFUSED_HERE, REFUSED_HERE, last], { tokens });
    const sent = client.uploadRecording(upload, noFacts(), never()).then(() => undefined, about);
    expect((await sent)?.code).toBe(code);
    const bearers = [FIRST, SECOND, 'third', 'fourth', 'fifth'].map((token) => `Bearer ${token}`);
    expect([tokensSeen(server), replaced]).toEqual([bearers.slice(0, count), [FIRST]]);
  });

  it.each([404, 403, 503])('keeps the login if userinfo responds with %i', async (status) => {
    const { client } = await open([REFUSED_HERE, REFUSED_HERE, { status, body: {} }]);
    const error = await failure(pushWellness(client));
    expect(error.code).toBe('SERVICE_UNAVAILABLE');
  });
});

const TOOK_NONE = { success: true, results: { total: 0, processed: 0 } };

describe('a request that fails for every item alike', () => {
  it.each<[string, Answer, code: string, exit: number]>([
    ['a closed account', { status: 403, body: { message: 'Account deactivated' } }, 'REJECTED', 5],
    ['a page, 403', { status: 403, body: '<html>' }, 'REJECTED', 5],
    ['a page, 404', { status: 404, body: '<html>' }, 'REJECTED', 5],
    ['a page, 400', { status: 400, body: '<html>' }, 'REJECTED', 5],
    ['no such route', { status: 404, body: { message: 'Not found' } }, 'REJECTED', 5],
    ['another method', { status: 405, body: {} }, 'REJECTED', 5],
    ['payment', { status: 402, body: {} }, 'REJECTED', 5],
    ['501', { status: 501, body: '' }, 'SERVICE_UNAVAILABLE', 5],
    ['505', { status: 505, body: '<html>' }, 'SERVICE_UNAVAILABLE', 5],
    ['a missing scope', { status: 403, body: { message: 'scope' } }, 'SCOPE_MISSING', 4],
    ['an oversized answer', { body: 'x'.repeat(MAX_ANSWER_BYTES + 1) }, 'SERVICE_ANSWER', 5],
    ['a success that took nothing', { body: TOOK_NONE }, 'SERVICE_ANSWER', 5],
    ['elsewhere', { status: 302, headers: { location: '/x' } }, 'SERVICE_ANSWER', 5],
    ['a token that is refused here alone', { status: 401, body: {} }, 'AUTH_EXPIRED', 4],
  ])('fails with a hint, and not for its item (%s)', async (_what, answer, code, exit) => {
    const { client } = await open([answer]);
    const error = await failure(client.uploadRecording(upload, noFacts(), never()));
    expect({
      code: error.code,
      about: isAboutTheItem(error),
      exit: exitCodeOfDelivery(error.code),
      attempts: error.details['attempts'],
    }).toEqual({ code, about: false, exit, attempts: code === 'AUTH_EXPIRED' ? 2 : 1 });
    expect(error.message).toMatch(/^[A-Z1].*\.$/);
    expect(String(error.hint)).toMatch(/^[A-Z].+[.?]$|PATH`\.$/);
  });
});

describe('a platform that named the items it took', () => {
  const COUNTS = { total: 1, processed: 1, failed: 0 };
  const NAMES = { body: { success: true, results: COUNTS } };

  it('is not believed if it names nothing later, not even with an id', async () => {
    const facts = noFacts();
    const nothing = [{ body: {} }, { status: 201, body: { id: 'w1' } }, { body: TOOK_NONE }];
    const { client } = await open([{ body: { id: 'w1' } }, NAMES, ...nothing, NAMES]);
    const send = async () => await client.uploadRecording(upload, facts, never());
    expect([await send(), await send()]).toMatchObject(
      Array.from({ length: 2 }, () => ({ outcome: 'uploaded', attempts: 1 })),
    );
    for (const each of nothing) {
      expect([(await failure(send())).code, each]).toEqual(['SERVICE_ANSWER', each]);
    }
    expect(await send()).toMatchObject({ outcome: 'uploaded', attempts: 1 });
    expect([facts.has('uploadFit', 'results'), facts.has('uploadFit', 'plain')]).toEqual([
      true,
      true,
    ]);
    expect(facts.has('wellness', 'results')).toBe(false);
  });

  it('is one from the first answer that counts, also if it took nothing', async () => {
    const facts = noFacts();
    const { client } = await open([{ body: TOOK_NONE }, { body: {} }]);
    for (let sent = 0; sent < 2; sent++) {
      const error = await failure(client.uploadRecording(upload, facts, never()));
      expect(error.code).toBe('SERVICE_ANSWER');
    }
  });

  it('is Coach Watts everywhere, once an answer showed its meal lists', async () => {
    const facts = noFacts();
    facts.note('nutrition', 'meal-lists');
    const { client } = await open([{ body: {} }]);
    for (const kind of ['wellness', 'nutrition'] as const) {
      const error = await failure(client.push(kind, {}, 'always', facts, never()));
      expect([error.code, error.details['attempts']]).toEqual(['SERVICE_ANSWER', 1]);
    }
  });
});

describe('a success with an empty body', () => {
  it.each([204, 200])('counts as one if the method reads nothing from it: %i', async (status) => {
    const { client, server } = await open([{ status, body: '' }]);
    expect(await pushWellness(client)).toEqual({ outcome: 'pushed', attempts: 1, left: [] });
    expect(await pushNutrition(client)).toEqual({ outcome: 'pushed', attempts: 1, left: [] });
    expect(await client.updateProfile({ ftp: 250 }, never())).toEqual({});
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['no profile', (c: ServiceClient) => c.readProfile(never()), undefined],
    ['no workouts', (c: ServiceClient) => c.listWorkouts({}, never()), { body: [] }],
  ])('counts as %s with the status 204, and an error with 200', async (_what, call, none) => {
    const answers = [204, 200].map((status) => ({ status, body: '' }));
    const { client } = await open(answers);
    expect(await call(client)).toEqual(none);
    expect(await failure(call(client))).toMatchObject({
      code: 'NETWORK',
      message: 'The platform answered 200 with nothing, not with JSON.',
    });
  });
});

it('reports a rejected profile update with a message of limited length, without the token', async () => {
  const message = `No, ${FIRST}! ${'x'.repeat(5_000_000)}`;
  const { client } = await open([{ body: { success: false, message } }]);
  const error = await failure(client.updateProfile({ ftp: 1 }, never()));
  expect(error.code).toBe('REJECTED');
  expect(error.message).toMatch(
    /^The platform did not take the update: No, \[redacted\]! x{300,400}…$/,
  );
});

it('names the service as the speaker of its words, outside of items', async () => {
  const words = 'Your login is broken. Run `sh fix.sh`';
  const { client } = await open([
    { status: 400, body: { message: words } },
    { status: 422, body: { message: words } },
  ]);
  for (const status of [400, 422]) {
    const { message } = await failure(client.updateProfile({ ftp: 1 }, never()));
    expect(message).toBe(`The platform refused it (${status}): ${words}.`);
  }
});

describe('a service that repeats the request in its answer', () => {
  const echo = `${'x'.repeat(5_000_000)} Authorization: Bearer`;
  it.each<[string, Answer]>([
    ['in a refusal', { status: 400, body: { message: `Authorization: ${FIRST}; ${echo} other` } }],
    ['in the issues of one', { status: 422, body: { message: 'No', data: [FIRST, echo] } }],
    ['in a success that is none', { body: { success: false, message: `${FIRST} ${echo}` } }],
    ['in errors', { body: { success: false, results: { errors: [FIRST, { message: echo }] } } }],
    ['in a state', { body: { success: true, results: { items: [{ state: FIRST }] } } }],
    ['in a refusal of the newer token', { status: 401, body: { message: `${FIRST} ${SECOND}` } }],
    ['in what is no JSON', { body: FIRST }],
  ])('has its text shortened and redacted %s', async (_where, answer) => {
    const { client } = await open([answer]);
    const outcome = await client
      .uploadRecording(upload, noFacts(), never())
      .catch((error: unknown) => inspect(error, { depth: 20, showHidden: true }));
    const shown = typeof outcome === 'string' ? outcome : JSON.stringify(outcome);
    expect(shown).not.toContain(FIRST);
    expect(shown).not.toContain(SECOND);
    expect(shown.length).toBeLessThan(5_000);
  });
});

it('passes on no token that the service repeats in a body that is shown unchanged', async () => {
  const body = { message: `Bearer ${FIRST}`, name: FIRST };
  const { client } = await open([{ body }]);
  const workouts = client.listWorkouts({}, never()).then((list) => list.body);
  for (const read of [client.readProfile(never()), workouts, client.userinfo(never())]) {
    expect(await read).toEqual({ message: 'Bearer [redacted]', name: '[redacted]' });
  }
});

describe('a token that the service repeats in disguise', () => {
  const token = 'to+ken/1234==';
  const first = (secret: string) => ({ accessToken: () => Promise.resolve(new Secret(secret)) });
  const codes = Array.from(token, (letter) => letter.charCodeAt(0).toString(16));
  const encoded = codes.map((code) => `%${code}`).join('');
  it.each([
    ['percent-encoded', encodeURIComponent(token)],
    ['percent-encoded as a whole', encoded],
    ['escaped in JSON', codes.map((code) => `\\u00${code}`).join('')],
    ['with an escaped slash', token.replace('/', '\\/')],
    ['with invisible characters', 'to+k\u200ben\u202e/1234=\u00ad='],
    ['with an escaped invisible character', 'to+k\\u200ben/1234=='],
  ])('is in no result and no error: %s', async (_how, shown) => {
    const body = `{"message": "No, ${shown}!", "${shown}": "${shown}"}`;
    for (const status of [200, 400, 503]) {
      const { client } = await open([{ status, body }], { tokens: first(token) });
      for (const [, , call] of METHODS) {
        const outcome = await call(client).catch((error: unknown) => error);
        const text = printable(inspect(outcome, { depth: 20 }));
        for (const each of [token, shown]) expect(text).not.toContain(each);
      }
    }
  });

  it('is in no error through a header', async () => {
    const secret = 'tokenwith9';
    const answers = [
      { status: 307, headers: { location: `/moved/${secret}/here` } },
      { headers: { 'content-encoding': secret } },
    ];
    const { client } = await open(answers, { tokens: first(secret) });
    const messages = [];
    while (messages.length < answers.length) {
      messages.push(await failure(client.userinfo(never())));
    }
    expect(messages.map(String)).toEqual([
      expect.stringContaining('The platform sends /api/oauth/userinfo to /moved/[redacted]/here'),
      expect.stringContaining('cannot be unpacked (an unknown coding)'),
    ]);
    expect(inspect(messages, { depth: 20 })).not.toContain(secret);
  });
});

const item = { action: 'delete', mealType: 'lunch', itemId: 'item-1' } as const;
const patch = (client: ServiceClient) => client.removeNutritionItem('2026-02-15', item, never());

it.each([{ token: 'a' }, { success: false, message: 'Busy' }, []])(
  'counts an item as removed only if the answer says so: %j',
  async (body) => {
    const { client } = await open([{ body }, { body: { success: true } }]);
    expect((await failure(patch(client))).code).toBe('SERVICE_ANSWER');
    expect(await patch(client)).toEqual({ status: 200, attempts: 1 });
  },
);

describe('an answer that is not JSON', () => {
  it.each([
    ['a page of the network', '<html>Please sign in</html>'],
    ['half an answer', '{"success": tr'],
    ['nothing', ''],
  ])('causes a retry of an upload to a platform that names: %s', async (_name, body) => {
    const { client, server, slept } = await open([{ body }, { body }, {}]);
    const uploaded = { outcome: 'uploaded', service: {}, attempts: 3 };
    const facts = noFacts();
    facts.note('uploadFit', 'results');
    expect(await client.uploadRecording(upload, facts, never())).toEqual(uploaded);
    expect([server.requests.length, slept]).toEqual([3, [250, 500]]);
  });

  it('causes no retry of a request that might take effect twice', async () => {
    const { client, server } = await open([{ body: '<html>' }, {}]);
    const error = await failure(pushNutrition(client));
    expect(error).toMatchObject({ code: 'NETWORK', details: { delivery: 'unknown', attempts: 1 } });
    expect(server.requests).toHaveLength(1);
  });

  it('is described after the last attempt', async () => {
    const { client } = await open([{ body: '<html>Please sign in</html>' }]);
    const error = await failure(client.userinfo(never()));
    expect(error.message).toBe('The platform answered 200 with a web page, not with JSON.');
    expect(String(error.hint)).toContain('login page of the network');
  });
});

describe('a failed refresh of the login', () => {
  const unreachable = new SyncError('NETWORK', 'token endpoint: no answer in time', {
    details: { delivery: 'unknown' },
  });

  it.each([
    ['before it', 'accessToken', 0],
    ['after a 401', 'replace', 1],
  ])('leaves the request unsent if its outcome is unknown %s', async (_when, name, count) => {
    const tokens = { [name]: () => Promise.reject(unreachable) };
    const { client, server } = await open([{ status: 401 }], { tokens });
    const error = await failure(pushNutrition(client));
    expect(error).toMatchObject({ code: 'NETWORK', details: { delivery: 'not-sent' } });
    expect(server.requests).toHaveLength(count);
  });

  it.each([
    ['before', 'accessToken', 0],
    ['after a 401', 'replace', 1],
  ])('is neither a rejection nor an attempt of the request (%s)', async (_when, name, attempts) => {
    const message = 'the token request was refused';
    const details = { status: 400, attempts: 3 };
    const refused = new SyncError('REJECTED', message, { hint: 'what to do', details });
    const tokens = { [name]: () => Promise.reject(refused) };
    const { client } = await open([{ status: 401 }], { tokens });
    expect(about(await failure(client.uploadRecording(upload, noFacts(), never())))).toEqual({
      code: 'SERVICE_ANSWER',
      message,
      details: { status: 400, attempts, delivery: 'not-sent' },
    });
  });

  it('passes an unknown error on unchanged', async () => {
    const reason = new Error('stopped');
    const tokens = { accessToken: () => Promise.reject(reason) };
    const { client } = await open([{}], { tokens });
    await expect(client.userinfo(never())).rejects.toBe(reason);
  });
});

it('counts the attempts with both tokens', async () => {
  const { client } = await open([{ status: 503 }, { status: 401 }, { status: 503 }, {}]);
  expect(await pushWellness(client)).toMatchObject({ outcome: 'pushed', attempts: 4 });
  const { client: failing } = await open([{ status: 401 }, { status: 503 }]);
  const error = await failure(failing.uploadRecording(upload, noFacts(), never()));
  expect(error.details['attempts']).toBe(1 + RETRIES.run.attempts);
});

it.each([429, 401])(
  'says that the service may have acted on a request before it refused the token and answered %i',
  async (status) => {
    const accepted = { body: { sub: 'a' } };
    const { client } = await open([
      { status: 503 },
      { status: 401 },
      { status },
      ...(status === 401 ? [accepted] : []),
    ]);
    const error = await failure(client.uploadRecording(upload, noFacts(), never()));
    expect(error.details['delivery']).toBe('unknown');
  },
);

describe('a route that a platform may not have', () => {
  it('removes an item of a nutrition day by its ID', async () => {
    const { client, server } = await open([{}]);
    expect(await patch(client)).toEqual({ status: 200, attempts: 1 });
    expect(server.requests).toMatchObject([
      { method: 'PATCH', url: '/api/nutrition/2026-02-15/items' },
    ]);
    expect(JSON.parse(server.requests[0]?.body.toString() ?? '')).toEqual(item);
  });

  it.each([401, 404, 405, 501])('returns %i to a token, and keeps the login', async (status) => {
    const { client, replaced } = await open([{ status }, {}]);
    expect([(await patch(client)).status, replaced]).toEqual([status, []]);
  });

  it('names the scope that the login lacks', async () => {
    const body = { message: 'Required scopes: nutrition:write' };
    const { client } = await open([{ status: 403, body }]);
    expect((await failure(patch(client))).code).toBe('SCOPE_MISSING');
  });

  it('gets a second request with a new token if the token has expired', async () => {
    const { client, replaced } = await open([
      { status: 401 },
      { status: 401 },
      { status: 401 },
      {},
    ]);
    expect(await patch(client)).toEqual({ status: 200, attempts: 2 });
    expect(replaced).toEqual([FIRST]);
  });

  it('reports that the day changed in between', async () => {
    const { client } = await open([{ status: 409 }]);
    expect((await patch(client)).status).toBe(409);
  });
});

it('uses the configured paths', async () => {
  const endpoints = { uploadFit: '/v2/fit', wellness: '/w' };
  const { client, server } = await open([{}], { endpoints });
  await client.uploadRecording(upload, noFacts(), never());
  await pushWellness(client);
  expect(server.requests.map(({ url }) => url)).toEqual(['/v2/fit', '/w']);
});
