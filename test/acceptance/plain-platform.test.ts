import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { completeLogin, here, openHome, runsIn } from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import {
  type PlainAnswer,
  type PlainRequest,
  openPlainWorld,
  startPlainPlatform,
} from '../support/plain-platform.ts';

/** Answers of a platform that took something: the interface shows none. */
const TAKEN: readonly (readonly [string, PlainAnswer])[] = [
  ['200 {}', {}],
  ['200 {"success": true}', { body: { success: true } }],
  ['200 {"ok": true, "error": null}', { body: { ok: true, error: null } }],
  ['201 {"id"}', { status: 201, body: { id: 'w1' } }],
  ['201 without a body', { status: 201, body: '' }],
  ['202 {"status": "queued"}', { status: 202, body: { status: 'queued' } }],
  ['200 without a body', { body: '' }],
  ['204', { status: 204 }],
  ['200 OK as a text', { body: 'OK', type: 'text/plain' }],
  ['200 OK as HTML', { body: 'OK', type: 'text/html; charset=utf-8' }],
  ['200 with a list', { body: [{ id: 'w1' }] }],
];

const DAY = '2026-05-10';

describe.each(TAKEN)('a platform that answers %s', (_what, answer) => {
  it('has a recording, a wellness day and a nutrition day after one request each', async () => {
    const world = await openPlainWorld({ upload: answer, wellness: answer, nutrition: answer });
    const { platform, sync, write } = world;
    write('ride.fit', makeRecording());
    write('wellness.json', JSON.stringify([{ date: DAY, restingHr: 48 }]));
    const item = { name: 'Gel', carbs: 25, logged_at: `${DAY}T08:00:00Z` };
    write('food.json', JSON.stringify([{ date: DAY, items: [item] }]));
    const commands = [
      ['upload', 'ride.fit'],
      ['push', 'wellness', 'wellness.json'],
      ['push', 'nutrition', 'food.json'],
    ];
    for (const command of [...commands, ...commands]) {
      expect(await sync(command)).toMatchObject({ code: 0 });
    }
    const posts = platform.lines().filter((line) => line.startsWith('POST '));
    expect(posts).toEqual([
      'POST /api/workouts/upload-fit',
      'POST /api/wellness',
      'POST /api/nutrition',
    ]);
    expect(platform.recordings.size).toBe(1);
    expect(platform.wellness.get(DAY)).toEqual({ date: DAY, restingHr: 48 });
    expect(platform.nutrition.get(DAY)).toMatchObject({ items: [{ name: 'Gel', carbs: 25 }] });
  });
});

it.each<[string, PlainAnswer, code: number, posts: number, said: RegExp]>([
  [
    'contradicts it',
    { body: { status: 'error', message: 'Full' } },
    6,
    1,
    /refused by the platform: Full/,
  ],
  ['is a page', { body: '<html>Sign in</html>', type: 'text/html' }, 5, 4, /with a web page/],
  ['is half of a JSON', { body: '{"id": "w', type: 'application/json' }, 5, 4, /with broken JSON/],
])('a success is none if its body %s', async (_what, answer, code, posts, said) => {
  const { platform, sync, write } = await openPlainWorld({ upload: answer });
  write('ride.fit', makeRecording());
  const run = await sync(['upload', 'ride.fit']);
  expect(run.code).toBe(code);
  expect(run.stdout + run.stderr).toMatch(said);
  expect(platform.lines()).toHaveLength(posts);
});

const REFUSALS: readonly (readonly [string, PlainAnswer, said: RegExp])[] = [
  [
    "FastAPI's",
    { status: 422, body: { detail: [{ loc: ['body', 'x'], msg: 'Too odd' }] } },
    /x: Too odd/,
  ],
  ["Rails'", { status: 422, body: { errors: { x: ['is odd'] } } }, /x: is odd/],
  ['a list', { status: 400, body: ['Too odd'] }, /Too odd/],
  ['a text', { status: 400, body: 'Too odd', type: 'text/plain' }, /Too odd/],
  ['no type', { status: 415, body: 'Too odd' }, /Too odd/],
  ['an empty body', { status: 400, body: '' }, /answered 400 with nothing/],
  ['an empty object', { status: 422 }, /answered 422 with JSON that gives no reason/],
];

it.each(REFUSALS)(
  'a refusal of a recording or a day is one in any form but a page: %s',
  async (_what, answer, said) => {
    const { platform, sync, write } = await openPlainWorld({ upload: answer, wellness: answer });
    write('ride.fit', makeRecording());
    write('wellness.json', JSON.stringify([{ date: DAY, restingHr: 48 }]));
    for (const command of [
      ['upload', 'ride.fit'],
      ['push', 'wellness', 'wellness.json'],
    ]) {
      const run = await sync(command);
      expect(run.code).toBe(6);
      expect(run.stdout + run.stderr).toMatch(said);
    }
    expect(platform.lines()).toHaveLength(2);
  },
);

it.each<[string, PlainAnswer, settled: (string | undefined)[]]>([
  ['at once if it has a reason', { status: 400, body: { message: 'Too odd' } }, ['rejected']],
  [
    'after three runs in which others were taken if it has none',
    { status: 400, body: 'Bad Request', type: 'text/plain' },
    [undefined, undefined, 'rejected'],
  ],
])('a refusal of a recording is final %s', async (_when, answer, settled) => {
  const { lines, platform, write } = await openPlainWorld();
  let sent = 0;
  // The odd recording is sent first in each run.
  const isOdd = ({ body = {} }: PlainRequest) => String(body['metadata']).includes('a-odd.fit');
  platform.answers.upload = (request) => (isOdd(request) ? answer : {});
  write('rides/a-odd.fit', makeRecording({ seed: 1 }));
  for (const state of settled) {
    sent++;
    write(`rides/b${sent}.fit`, makeRecording({ seed: 10 + sent }));
    const outcomes = await lines(['upload', 'rides'], { code: 6 });
    expect(outcomes).toContainEqual(
      expect.objectContaining({
        outcome: 'rejected',
        path: expect.stringContaining('a-odd') as string,
      }),
    );
    const [status] = await lines(['status']);
    const { pending, rejected } = status?.['uploads'] as Record<string, number>;
    expect([pending, rejected]).toEqual(state === undefined ? [1, 0] : [0, 1]);
  }
});

it('a refusal without a reason stays open if the platform takes nothing else', async () => {
  const { lines, sync, write } = await openPlainWorld({ upload: { status: 400, body: '' } });
  write('ride.fit', makeRecording());
  for (let run = 0; run < 4; run++)
    expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 6 });
  expect(await lines(['status'])).toMatchObject([{ uploads: { pending: 1, rejected: 0 } }]);
});

/** A platform that refuses what the interface does not name, as strict validators do. */
const strict = (kind: 'wellness' | 'nutrition') => {
  const names = kind === 'wellness' ? WELLNESS_NAMES : ['date', 'items', 'rawJson'];
  const item = ['name', 'carbs', 'logged_at', 'absorptionType'];
  return ({ body = {} }: PlainRequest): PlainAnswer => {
    const items = (body['items'] ?? []) as Record<string, unknown>[];
    const unknown = [
      ...Object.keys(body).filter((name) => !names.includes(name)),
      ...items.flatMap((each) => Object.keys(each).filter((name) => !item.includes(name))),
      ...items.flatMap(({ absorptionType: type }) => (type === 'FAST' ? ['absorptionType'] : [])),
    ];
    return unknown.length === 0
      ? {}
      : { status: 422, body: { detail: `unknown field ${unknown[0]}` } };
  };
};
const WELLNESS_NAMES = ['date', 'hrv', 'restingHr', 'sleepSecs', 'weight', 'vo2max', 'rawJson'];

describe('a platform that refuses fields that the interface does not name', () => {
  const day = (date: string, more: object = { steps: 9000 }) => ({ date, restingHr: 48, ...more });

  it('gets a wellness day without them, with a note; the rest stays unsent', async () => {
    const { platform, lines, sync, write } = await openPlainWorld({ wellness: strict('wellness') });
    write('w.json', JSON.stringify([day(DAY)]));
    const first = await sync(['push', 'wellness', 'w.json']);
    expect(first.code).toBe(0);
    expect(first.stdout + first.stderr).toMatch(/steps.*unknown field steps.*sent without them/);
    expect(platform.wellness.get(DAY)).toEqual({ date: DAY, restingHr: 48 });
    expect(platform.lines()).toHaveLength(2);
    // One day may have had another fault, so it is sent again.
    const [again] = await lines(['push', 'wellness', 'w.json']);
    expect(again).toMatchObject({ outcome: 'pushed', attempts: 2 });
    // The platform has learned the field.
    platform.answers.wellness = {};
    expect((await lines(['push', 'wellness', 'w.json']))[0]).toMatchObject({ outcome: 'pushed' });
    expect(platform.wellness.get(DAY)).toMatchObject({ steps: 9000 });
    expect((await lines(['push', 'wellness', 'w.json']))[0]).toMatchObject({ outcome: 'skipped' });
  });

  it('gets no second request after a 400 with invalid_token', async () => {
    const refuse = () => ({ status: 400, body: { error: 'invalid_token' } });
    const { platform, lines, write } = await openPlainWorld({ wellness: refuse });
    write('w.json', JSON.stringify([day(DAY)]));
    await lines(['push', 'wellness', 'w.json'], { code: 6 });
    expect(platform.lines()).toHaveLength(1);
  });

  it('is remembered after two days, and asked again after a week', async () => {
    const { platform, sync, write } = await openPlainWorld({ wellness: strict('wellness') });
    const dates = [1, 2, 3, 4].map((n) => `2026-05-0${n}`);
    write('w.json', JSON.stringify(dates.map((date) => day(date))));
    expect(await sync(['push', 'wellness', 'w.json', '--jobs', '1'])).toMatchObject({ code: 0 });
    expect(platform.lines()).toHaveLength(2 + 2 + 1 + 1);
    platform.clearRequests();
    expect(await sync(['push', 'wellness', 'w.json'])).toMatchObject({ code: 0 });
    expect(platform.lines()).toEqual([]);
    const clock = { ...systemClock, now: () => Date.now() + 8 * 86_400_000 };
    await sync(['login', '--with-token'], { input: JSON.stringify(platform.mint('health:write')) });
    platform.clearRequests();
    expect(await sync(['push', 'wellness', 'w.json', '--jobs', '1'], { clock })).toMatchObject({
      code: 0,
    });
    const steps = platform.requests.filter(({ body }) => body !== undefined && 'steps' in body);
    expect(steps).toHaveLength(1);
  });

  it('refuses a day that holds nothing else, with its reason, after one request', async () => {
    const { platform, lines, write } = await openPlainWorld({ wellness: strict('wellness') });
    write('w.json', JSON.stringify([{ date: DAY, steps: 9000 }]));
    const [only] = await lines(['push', 'wellness', 'w.json'], { code: 6 });
    expect(only).toMatchObject({ outcome: 'rejected', message: 'unknown field steps' });
    expect(platform.lines()).toHaveLength(1);
  });

  it.each<[string, PlainAnswer]>([
    ['a 400', { status: 400, body: { message: 'hrv is too high' } }],
    ['success: false', { body: { success: false, message: 'hrv is too high' } }],
  ])('shows why it refuses the rest, too, with %s', async (_how, second) => {
    const first = { status: 422, body: { message: 'unknown field steps' } };
    const { platform, lines, write } = await openPlainWorld({
      wellness: ({ body = {} }) => ('steps' in body ? first : second),
    });
    write('w.json', JSON.stringify([day(DAY)]));
    const [only] = await lines(['push', 'wellness', 'w.json'], { code: 6 });
    expect(only).toMatchObject({ outcome: 'rejected', message: 'hrv is too high' });
    expect(platform.lines()).toHaveLength(2);
  });

  it.each<[string, PlainAnswer, before: boolean]>([
    ['it once took such a field', { status: 422, body: { message: 'No' } }, true],
    [
      'it refuses as Coach Watts does',
      { status: 400, body: { error: true, url: '/x', statusCode: 400, message: 'No' } },
      false,
    ],
    ['the refusal is a page', { status: 400, body: '<html>No</html>', type: 'text/html' }, false],
  ])('gets no second request if %s', async (_why, answer, before) => {
    const { platform, sync, write } = await openPlainWorld();
    write('w.json', JSON.stringify([day('2026-05-01')]));
    if (before) expect(await sync(['push', 'wellness', 'w.json'])).toMatchObject({ code: 0 });
    platform.clearRequests();
    platform.answers.wellness = answer;
    write('w.json', JSON.stringify([day('2026-05-02')]));
    expect((await sync(['push', 'wellness', 'w.json'])).code).not.toBe(0);
    expect(platform.lines()).toHaveLength(1);
  });

  it('gets a nutrition day without them, in whole seconds', async () => {
    const { platform, lines, write } = await openPlainWorld({ nutrition: strict('nutrition') });
    const item = { name: 'Gel', carbs: 25, calories: 100, absorptionType: 'RAPID' };
    const items = [
      { ...item, logged_at: `${DAY}T08:00:00.250Z` },
      { ...item, name: 'Oats', absorptionType: 'FAST', logged_at: `${DAY}T06:00:00Z` },
    ];
    write('n.json', JSON.stringify([{ date: DAY, items, waterMl: 500 }]));
    const [pushed] = await lines(['push', 'nutrition', 'n.json']);
    expect(pushed).toMatchObject({ outcome: 'pushed' });
    expect(JSON.stringify(pushed)).toMatch(/waterMl, absorptionType, calories|unknown field/);
    expect(platform.nutrition.get(DAY)).toEqual({
      date: DAY,
      items: [
        { name: 'Gel', carbs: 25, absorptionType: 'RAPID', logged_at: `${DAY}T10:00:00+02:00` },
        { name: 'Oats', carbs: 25, logged_at: `${DAY}T08:00:00+02:00` },
      ],
    });
    platform.answers.nutrition = {};
    expect((await lines(['push', 'nutrition', 'n.json']))[0]).toMatchObject({ outcome: 'pushed' });
    expect(platform.nutrition.get(DAY)).toMatchObject({
      waterMl: 500,
      items: [{ calories: 100 }, {}],
    });
    expect((await lines(['push', 'nutrition', 'n.json']))[0]).toMatchObject({ outcome: 'skipped' });
  });

  it('gets the whole items later, if it takes their fields then', async () => {
    const { platform, lines, write } = await openPlainWorld({ nutrition: strict('nutrition') });
    const items = [{ name: 'Gel', carbs: 25, calories: 100, logged_at: `${DAY}T08:00:00Z` }];
    write('n.json', JSON.stringify([{ date: DAY, items }]));
    await lines(['push', 'nutrition', 'n.json']);
    expect(platform.nutrition.get(DAY)?.['items']).toMatchObject([{ carbs: 25 }]);
    platform.answers.nutrition = {};
    expect((await lines(['push', 'nutrition', 'n.json']))[0]).toMatchObject({ outcome: 'pushed' });
    expect(platform.nutrition.get(DAY)).toMatchObject({ items: [{ calories: 100 }] });
    expect((await lines(['push', 'nutrition', 'n.json']))[0]).toMatchObject({ outcome: 'skipped' });
  });
});

it('a platform that refuses such fields takes the days of a synthetic athlete', async () => {
  const { platform, sync } = await openPlainWorld({
    wellness: strict('wellness'),
    nutrition: strict('nutrition'),
  });
  const seeded = await sync(['seed', '--days', '3', '--until', '2026-05-17']);
  expect(seeded).toMatchObject({ code: 0 });
  expect([platform.wellness.size, platform.nutrition.size]).toEqual([3, 3]);
});

it.each([404, 500])(
  'a wellness day that is sent again is whole, if other routes answer %i',
  async (status) => {
    const { platform, sync, write } = await openPlainWorld({ unknown: { status } });
    const lastBody = () =>
      platform.requests.findLast(({ path, method }) => `${method} ${path}` === 'POST /api/wellness')
        ?.body;
    write('scale.json', JSON.stringify([{ date: DAY, weight: 72.4, restingHr: 48 }]));
    write('watch.json', JSON.stringify([{ date: DAY, hrv: 61, restingHr: 47 }]));
    await sync(['push', 'wellness', 'scale.json']);
    const dry = await sync(['push', 'wellness', 'watch.json', '--dry-run', '--json']);
    await sync(['push', 'wellness', 'watch.json'], { clock: hastyClock });
    const whole = { date: DAY, weight: 72.4, restingHr: 47, hrv: 61 };
    expect(lastBody()).toEqual(whole);
    expect(JSON.parse(dry.stdout.split('\n')[0] ?? '')).toMatchObject({ request: { body: whole } });
    await sync(['undo', 'wellness', DAY], { clock: hastyClock });
    expect(lastBody()).toEqual({ ...whole, restingHr: 48 });
  },
);

it('a wellness day holds numbers, also after an answer with numbers as text', async () => {
  const asText = (_: string, value: unknown) => (typeof value === 'number' ? String(value) : value);
  const echo = ({ body }: PlainRequest) => ({
    body: JSON.parse(JSON.stringify({ data: body }, asText)) as object,
  });
  const { platform, sync, write } = await openPlainWorld({ wellness: echo });
  write('scale.json', JSON.stringify({ date: '2026-05-10', weight: 72.4, restingHr: 48 }));
  write('watch.json', JSON.stringify({ date: '2026-05-10', hrv: 61 }));
  expect((await sync(['push', 'wellness', 'scale.json'])).stdout).not.toContain('stored');
  await sync(['push', 'wellness', 'watch.json']);
  expect(platform.requests.at(-1)?.body).toEqual({
    ...{ date: '2026-05-10', weight: 72.4, restingHr: 48, hrv: 61 },
  });
});

it('wellness days that are sent again ask once a run for the kind, and hold what the platform showed last', async () => {
  const rounds = ({ body }: PlainRequest) => ({ body: { data: { ...body, weight: 72 } } });
  const { platform, sync, write } = await openPlainWorld({ wellness: rounds });
  const days = (more: object) =>
    JSON.stringify(['2026-05-10', '2026-05-11'].map((date) => ({ date, ...more })));
  write('scale.json', days({ weight: 72.4 }));
  write('watch.json', days({ hrv: 61 }));
  await sync(['push', 'wellness', 'scale.json']);
  platform.answers.wellness = {};
  platform.clearRequests();
  await sync(['push', 'wellness', 'watch.json']);
  const probed = platform.lines().filter((line) => line.startsWith('PATCH '));
  expect(probed).toEqual(['PATCH /api/nutrition/2026-05-10/items']);
  const sent = platform.requests.filter(({ path }) => path === '/api/wellness');
  expect(sent.map(({ body }) => [body?.['weight'], body?.['hrv']])).toEqual([
    [72, 61],
    [72, 61],
  ]);
});

it('nothing is concluded from fields that an echo lacks, nor from its date', async () => {
  const echo = { date: '2026-05-09T22:00:00.000Z', restingHr: 48 };
  const { sync, lines, write } = await openPlainWorld({
    wellness: { body: { success: true, data: echo } },
  });
  write('w.json', JSON.stringify([{ date: DAY, restingHr: 48, hrv: 61 }]));
  const pushed = await sync(['push', 'wellness', 'w.json']);
  expect(pushed.code).toBe(0);
  expect(pushed.stdout + pushed.stderr).not.toMatch(/filed|does not know/);
  expect((await lines(['push', 'wellness', 'w.json']))[0]).toMatchObject({ outcome: 'skipped' });
});

it('a platform that named a recording once confirms no other without naming it, in any later run', async () => {
  const { platform, sync, write } = await openPlainWorld();
  platform.answers.upload = {
    body: { success: true, results: { total: 1, processed: 1, failed: 0 } },
  };
  write('a.fit', makeRecording({ seed: 1 }));
  write('b.fit', makeRecording({ seed: 2 }));
  expect(await sync(['upload', 'a.fit'])).toMatchObject({ code: 0 });
  for (const answer of [{}, { status: 204 }, { status: 201, body: { id: 'w1' } }]) {
    platform.answers.upload = answer;
    expect(await sync(['upload', 'b.fit'])).toMatchObject({ code: 5 });
  }
  expect((await sync(['status'])).stdout).toMatch(/Uploads +1 recording at the platform/);
});

it('verify and status say that such a platform accepted a recording', async () => {
  const { platform, lines, sync, write } = await openPlainWorld();
  write('ride.fit', makeRecording());
  await sync(['upload', 'ride.fit']);
  const status = await sync(['status']);
  expect(status.stdout).toMatch(/Uploads +1 recording accepted by the platform, the last/);
  expect(status.stdout).toMatch(/ accepted .+ ago/);
  expect(status.stdout).not.toContain('uploaded');
  expect(await lines(['status'])).toMatchObject([{ accepted: true, uploads: { confirmed: 1 } }]);
  platform.answers.workouts = { body: { workouts: [] } };
  const verified = await sync(['verify']);
  expect(verified.stdout).toMatch(/The platform accepted it .+ ago/);
  expect((await sync(['explain', 'ride.fit'])).stdout).toContain('The platform accepted it.');
  expect((await lines(['verify'], { code: 5 }))[0]).toMatchObject({
    type: 'verify',
    accepted: true,
  });
});

it('a platform that keeps the items that a day lacks, as its answer shows, has not removed them', async () => {
  const held = new Map<unknown, object>();
  const merges = ({ body = {} }: PlainRequest) => {
    for (const item of body['items'] as { name: string }[]) held.set(item.name, item);
    return { body: { date: DAY, items: [...held.values()] } };
  };
  const { sync, lines, write } = await openPlainWorld({ nutrition: merges });
  const item = (name: string) => ({ name, carbs: 25, logged_at: `${DAY}T08:00:00Z` });
  const push = async (...names: string[]) => {
    write('n.json', JSON.stringify([{ date: DAY, items: names.map(item) }]));
    return await sync(['push', 'nutrition', 'n.json']);
  };
  expect((await push('Gel', 'Oats')).code).toBe(0);
  for (const run of [await push('Gel'), await push('Gel')]) {
    expect(run.code).toBe(6);
    expect(run.stdout).toMatch(/not all sent\. The platform holds "Oats, /);
  }
  const undo = () => lines(['undo', 'nutrition', DAY], { code: held.size > 0 ? 6 : 0 });
  expect((await undo())[0]).toMatchObject({ outcome: 'conflict' });
  held.clear();
  expect((await undo())[0]).toMatchObject({ outcome: 'undone' });
});

it('a dry run of a nutrition day says what the run erases or refuses', async () => {
  const { platform, lines, sync, write } = await openPlainWorld();
  await sync(['config', 'set', 'platform.kind', 'interface']);
  const items = [{ name: 'Rice', carbs: 95, logged_at: `${DAY}T12:30:00+02:00` }];
  write('n.json', JSON.stringify([{ date: DAY, items }]));
  const push = ['push', 'nutrition', 'n.json'];
  const [planned] = await lines([...push, '--dry-run']);
  expect(planned).toMatchObject({ outcome: 'would-push' });
  expect(JSON.stringify(planned)).toContain('what anyone else wrote on it is erased');
  for (const more of [['--dry-run'], []]) {
    const [refused] = await lines([...push, '--add', ...more], { code: 6 });
    expect(refused).toMatchObject({ outcome: 'conflict' });
  }
  expect(platform.lines()).toEqual([]);
  expect((await lines(push))[0]).toMatchObject({ outcome: 'pushed', unseen: true });
  const [unchanged] = await lines([...push, '--dry-run']);
  expect(JSON.stringify(unchanged)).not.toContain('erased');
});

it('undo does not wait for a workout on a platform that does not say which are ours', async () => {
  const { platform, sync, write } = await openPlainWorld();
  write('ride.fit', makeRecording({ startTime: new Date(`${DAY}T06:00:00Z`), durationSecs: 60 }));
  await sync(['upload', 'ride.fit']);
  const row = { id: 'w1', date: `${DAY}T06:00:00Z`, title: 'Ride', durationSec: 60 };
  platform.answers.workouts = { body: [row] };
  expect((await sync(['verify'])).stdout).toBe('1 recording: 1 is a workout.\n');
  expect(await sync(['undo', 'upload', 'ride.fit', '--yes'])).toMatchObject({
    code: 6,
    stdout: /^ride\.fit: not undone\. No workout there is known to be its own\./,
  });
});

it('undo does not wait for a workout on a platform that never listed one of ours', async () => {
  const { sync, write } = await openPlainWorld({ upload: {}, workouts: { body: [] } });
  write('ride.fit', makeRecording());
  await sync(['upload', 'ride.fit']);
  const { code, stdout, stderr } = await sync(['undo', 'upload', 'ride.fit', '--yes']);
  expect([code, stdout + stderr]).toEqual([
    6,
    expect.stringContaining('No workout there is known'),
  ]);
});

it('workouts are listed in the forms of such a platform', async () => {
  const { platform, sync } = await openPlainWorld();
  const ride = { id: 'a', start_time: '2026-05-10T08:10:24Z', name: 'Morning ride' };
  for (const body of [[ride], { data: [ride] }]) {
    platform.answers.workouts = { body };
    expect((await sync(['workouts'])).stdout).toMatch(/10 May( 2026)? 10:10 +Morning ride/);
  }
  platform.answers.workouts = { body: [{ id: 'a', began: 1_778_400_624 }] };
  expect((await sync(['workouts'])).stdout).toContain('"began": 1778400624');
});

it('a login, an upload and a watcher need nothing but the interface', async () => {
  const platform = await startPlainPlatform();
  const home = openHome({
    SYNC_BASE_URL: platform.url,
    SYNC_CLIENT_ID: 'plain-client',
    SYNC_TOKEN_STORE: 'file',
  });
  const { startHere, sync, write } = runsIn(home);
  const login = await completeLogin(here({ startHere }));
  expect([login.page.status, login.code]).toEqual([200, 0]);
  write('rides/a.fit', makeRecording({ seed: 1 }));
  const watcher = await startHere(['watch', 'rides']);
  await watcher.waitFor(/uploaded/);
  write('rides/b.fit', makeRecording({ seed: 2 }));
  await watcher.waitFor(/uploaded[\s\S]*uploaded/);
  watcher.interrupt();
  await watcher.finished;
  expect(platform.recordings.size).toBe(2);
  expect(platform.lines().filter((line) => line.startsWith('POST '))).toHaveLength(2);
  const known = await sync(['upload', 'rides']);
  expect(known).toMatchObject({ code: 0 });
  expect(platform.recordings.size).toBe(2);
});
