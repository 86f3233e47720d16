import { describe, expect, it } from 'vitest';
import type { SettingsPatch } from '../../src/sandbox/settings.ts';
import type { TokenAnswer } from '../../src/sandbox/types.ts';
import {
  authorizeUrl,
  bearer,
  exchange,
  getCode,
  openApp,
  postJson,
  redirectOf,
  upload,
} from './support.ts';
import { makeRecording } from '../support/fit-maker.ts';

type Sandbox = ReturnType<typeof openApp>;

const SIX = 'profile:read profile:write workout:read workout:write health:write nutrition:write';
const DATE = '2026-02-15';
const GEL = { name: 'Gel', carbs: 25, logged_at: '2026-02-15T08:00:00+01:00' };
const RIDE = makeRecording({ seed: 1, durationSecs: 20 });

const open = (settings: SettingsPatch = {}) =>
  openApp({ settings: { platform: 'interface', autoApprove: true, ...settings } });
const wellness = (sandbox: Sandbox, body: object) =>
  postJson(sandbox, '/api/wellness', { date: DATE, ...body }, bearer(sandbox));
const nutrition = (sandbox: Sandbox, ...items: object[]) =>
  postJson(sandbox, '/api/nutrition', { date: DATE, items }, bearer(sandbox));
const ride = (sandbox: Sandbox, part = 'file', ...more: { name: string; content: string }[]) =>
  upload(sandbox, [{ name: part, fileName: 'a;b.fit', content: RIDE }, ...more]);
const state = ({ control }: Sandbox) => control.state('athlete-1').athletes[0];
const foods = (sandbox: Sandbox) => {
  const { breakfast, lunch } = state(sandbox)?.nutrition[0]?.record as Record<string, object[]>;
  return [...(breakfast ?? []), ...(lunch ?? [])];
};
const messageOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { message: string }).message,
];

describe('the platform that has the interface document alone', () => {
  it('logs in with the six scopes, and grants no other', async () => {
    const sandbox = open();
    const code = await getCode(sandbox, { scope: `${SIX} nutrition:read` });
    const tokens = (await (await exchange(sandbox, code)).json()) as TokenAnswer;
    expect(tokens.scope).toBe(SIX);
    expect(sandbox.control.mint().scope).toBe(SIX);
  });

  it.each([
    ['GET', '/api/oauth/userinfo'],
    ['POST', '/api/oauth/revoke'],
    ['GET', '/api/profile'],
    ['PATCH', '/api/profile'],
    ['DELETE', '/api/workouts/workout-1'],
    ['GET', '/api/wellness'],
    ['GET', '/api/nutrition'],
    ['PATCH', `/api/nutrition/${DATE}/items`],
    ['HEAD', '/api/workouts'],
    ['GET', '/api/elsewhere'],
  ])('has no route %s %s', async (method, path) => {
    const sandbox = open();
    const headers = bearer(sandbox);
    expect((await sandbox.app.request(path, { method, headers })).status).toBe(404);
  });

  it.each([
    [401, 401, 'application/json', { message: 'There is no such route' }],
    [422, 422, 'application/json', { message: 'There is no such route' }],
    [500, 500, 'application/json', { message: 'There is no such route' }],
    ['object', 200, 'application/json', {}],
    ['page', 200, 'text/html; charset=utf-8', null],
  ] as const)('answers an unknown route by %s', async (unknownRoutes, status, type, body) => {
    const sandbox = open({ unknownRoutes });
    const response = await sandbox.app.request('/api/oauth/userinfo', { headers: bearer(sandbox) });
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
    if (body !== null) expect(await response.json()).toEqual(body);
    else expect(await response.text()).toContain('<h1>');
  });

  it.each([
    ['object', 200, '{}', '{}'],
    ['id', 200, '{"id":"wellness-1"}', '{"id":"fit-1"}'],
    ['empty', 200, '', ''],
    ['created', 201, '{"id":"wellness-1"}', '{"id":"fit-1"}'],
    ['accepted', 202, '{}', '{}'],
    ['no-content', 204, '', ''],
    ['text', 200, 'OK', 'OK'],
  ] as const)('answers an upload and a day by %s', async (answers, status, day, recording) => {
    const sandbox = open({ answers });
    const stored = [await wellness(sandbox, { hrv: 50 }), await ride(sandbox)];
    const seen = await Promise.all(stored.map(async (each) => [each.status, await each.text()]));
    expect(seen).toEqual([
      [status, day],
      [status, recording],
    ]);
    expect(state(sandbox)).toMatchObject({
      wellness: [{ date: DATE, record: { hrv: 50 } }],
      recordings: [{ fileName: 'a;b.fit' }],
    });
  });

  it('replaces a nutrition day that is sent again, also what the athlete entered', async () => {
    const sandbox = open();
    const item = { name: 'Soup', logged_at: GEL.logged_at };
    sandbox.control.addFood({ date: DATE, meal: 'lunch', item });
    await nutrition(sandbox, GEL, GEL);
    expect(foods(sandbox)).toMatchObject([GEL, GEL]);
    await nutrition(sandbox, { ...GEL, name: 'Bar' });
    expect(foods(sandbox)).toMatchObject([{ name: 'Bar' }]);
    await nutrition(sandbox);
    expect(foods(sandbox)).toEqual([]);
  });

  it('stores wellness under the written date, unchanged', async () => {
    const sandbox = open();
    await wellness(sandbox, { date: '2026-02-15T23:30:00-05:00', stress: 40, spO2: 1 });
    expect(state(sandbox)?.wellness).toMatchObject([
      { date: DATE, record: { stress: 40, spO2: 1 } },
    ]);
    expect((await wellness(sandbox, { date: 'tomorrow' })).status).toBe(400);
  });

  it('lists all workouts for any query, also one that it takes for a duplicate', async () => {
    const sandbox = open();
    await ride(sandbox);
    await sandbox.control.process({ outcome: 'duplicate' });
    const headers = bearer(sandbox);
    const response = await sandbox.app.request('/api/workouts?limit=0', { headers });
    expect(await response.json()).toEqual([
      {
        id: 'workout-1',
        date: expect.any(String) as string,
        title: 'a;b',
        type: 'Ride',
        durationSec: 20,
        distanceMeters: expect.any(Number) as number,
      },
    ]);
  });

  it('gives errors a message alone', async () => {
    const sandbox = open();
    const wrong = await wellness(sandbox, { restingHr: 50.5 });
    expect(await messageOf(wrong)).toEqual([
      400,
      'Invalid wellness data; restingHr: Expected integer, received float',
    ]);
    sandbox.control.addFaults('workouts:503');
    const headers = bearer(sandbox);
    const failed = await sandbox.app.request('/api/workouts', { headers });
    expect([failed.status, await failed.json()]).toEqual([
      503,
      { message: 'A scripted fault of the sandbox' },
    ]);
    const control = await sandbox.app.request('/_sandbox/nothing');
    expect(await control.json()).toMatchObject({ error: true, statusCode: 404 });
  });

  it('takes the file under the name of filePart', async () => {
    const sandbox = open({ filePart: 'fit' });
    expect((await ride(sandbox)).status).toBe(400);
    expect((await ride(sandbox, 'fit')).status).toBe(200);
  });

  it('refuses a known recording by 409 with refusesKnown', async () => {
    const sandbox = open({ refusesKnown: true });
    expect((await ride(sandbox)).status).toBe(200);
    expect((await ride(sandbox)).status).toBe(409);
    expect(state(sandbox)?.recordings).toMatchObject([{ receivedCount: 1 }]);
    sandbox.control.settings({ platform: 'coach-watts' });
    expect((await ride(sandbox)).status).toBe(200);
  });
});

describe('the strict platform', () => {
  const strict = () => open({ strict: true });

  it('takes what the document shows', async () => {
    const sandbox = strict();
    const day = { hrv: 50.5, restingHr: 48, sleepSecs: 27000, weight: 62.5, vo2max: 51 };
    const metadata = { name: 'metadata', content: '{}' };
    const name = { name: 'name', content: 'Ride' };
    const headers = bearer(sandbox);
    const answers = [
      await wellness(sandbox, { ...day, rawJson: { a: 1 } }),
      await nutrition(sandbox, { ...GEL, absorptionType: 'RAPID' }),
      await ride(sandbox, 'file', name, metadata),
      await sandbox.app.request('/api/workouts', { headers }),
      await sandbox.app.request(authorizeUrl({ scope: SIX })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 302]);
  });

  it.each([
    ['a wellness field', (sandbox: Sandbox) => wellness(sandbox, { steps: 9000 }), 'steps: '],
    ['an item field', (sandbox: Sandbox) => nutrition(sandbox, { ...GEL, fat: 1 }), 'items.0.fat'],
    [
      'another absorption type',
      (sandbox: Sandbox) => nutrition(sandbox, { ...GEL, absorptionType: 'FAST' }),
      'absorptionType: ',
    ],
    [
      'fractions of a second',
      (sandbox: Sandbox) => nutrition(sandbox, { ...GEL, logged_at: '2026-02-15T08:00:00.5Z' }),
      'logged_at: ',
    ],
    [
      'a part',
      (sandbox: Sandbox) => ride(sandbox, 'file', { name: 'title', content: 'x' }),
      'part "title"',
    ],
    [
      'a query parameter',
      (sandbox: Sandbox) =>
        Promise.resolve(sandbox.app.request('/api/workouts?limit=5', { headers: bearer(sandbox) })),
      'query parameter "limit"',
    ],
  ])('refuses %s beyond the document', async (_what, send, words) => {
    const [status, message] = await messageOf(await send(strict()));
    expect([status, message]).toEqual([400, expect.stringContaining(words)]);
  });

  it('refuses a scope beyond the document, without a redirect', async () => {
    const response = await strict().app.request(authorizeUrl({ scope: 'nutrition:read' }));
    expect([response.status, redirectOf(response).query]).toEqual([400, {}]);
  });

  it('is Coach Watts again after a change of the platform, with the data', async () => {
    const sandbox = strict();
    await nutrition(sandbox, GEL);
    sandbox.control.settings({ platform: 'coach-watts' });
    await nutrition(sandbox, GEL);
    expect(foods(sandbox)).toHaveLength(2);
  });
});
