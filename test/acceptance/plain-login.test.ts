import { describe, expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { type PlainAnswer, type PlainRequest, openPlainWorld } from '../support/plain-platform.ts';

type PlainWorld = Awaited<ReturnType<typeof openPlainWorld>>;

const ROW = [{ id: 'a', start_time: '2026-05-10T08:00:00Z' }];
const text = (part: string) => expect.stringContaining(part) as string;

async function status({ sync }: PlainWorld) {
  const { code, stdout } = await sync(['status', '--check', '--json']);
  const [line = {}] = ndjson(stdout);
  return { code, login: line['login'], checked: line['checked'] };
}

describe('whether a login lives, where userinfo says nothing', () => {
  it.each<[string, PlainAnswer, PlainAnswer, number, string]>([
    ['404', { status: 404 }, { body: ROW }, 0, 'accepted'],
    ['401', { status: 401 }, { body: { workouts: [] } }, 0, 'accepted'],
    ['a page, 403', { status: 403, body: '<html>' }, { body: [] }, 0, 'accepted'],
    ['500', { status: 500 }, { body: [] }, 0, 'accepted'],
    ['200 {}', { body: {} }, { body: [] }, 0, 'accepted'],
    [
      '404 beside a scope that is missing',
      { status: 404 },
      { status: 403, body: { message: 'Missing scope: workout:read' } },
      0,
      'accepted',
    ],
    ['404 beside a page', { status: 404 }, { body: '<html>', type: 'text/html' }, 5, 'failed'],
    ['401 beside a page', { status: 401 }, { status: 403, body: '<html>' }, 5, 'failed'],
    ['404 beside 404', { status: 404 }, { status: 404 }, 5, 'failed'],
  ])(
    'the list of workouts decides after %s, without a refresh',
    async (_what, unknown, workouts, code, outcome) => {
      const world = await openPlainWorld({ unknown, workouts });
      expect(await status(world)).toMatchObject({
        ...{ code, login: { state: 'logged-in' }, checked: { outcome } },
      });
      expect(world.platform.requests.filter(({ path }) => path.endsWith('/token'))).toEqual([]);
    },
  );

  it.each([401, 404])('a login that is dead ends with exit code 4 after %i', async (unknown) => {
    const world = await openPlainWorld({ unknown: { status: unknown } });
    world.platform.answers.workouts = { status: 401 };
    world.platform.answers.upload = { status: 401 };
    const found = await status(world);
    expect(found).toMatchObject({ code: 4, checked: { code: 'AUTH_EXPIRED' } });
    expect((await world.sync(['doctor'])).code).toBe(4);
    const ride = world.write('ride.fit', makeRecording());
    const upload = await world.sync(['upload', ride]);
    expect([upload.code, upload.stdout]).toEqual([4, text('does not accept this login')]);
  });

  it('a route beyond the interface that answers 401 ends no login', async () => {
    const world = await openPlainWorld({ unknown: { status: 401 }, workouts: { body: ROW } });
    const meals = JSON.stringify({
      date: '2026-05-10',
      items: [{ name: 'Gel', carbs: 25, logged_at: '2026-05-10T08:00:00+02:00' }],
    });
    const push = await world.sync(['push', 'nutrition', '-'], { input: meals });
    expect([push.code, push.stderr]).toEqual([0, expect.any(String)]);
    expect(world.platform.nutrition.size).toBe(1);
    expect(world.platform.requests.filter(({ path }) => path.endsWith('/token'))).toEqual([]);
    const profile = await world.sync(['profile', '--weight', '70']);
    expect(profile.code).not.toBe(4);
    expect(await status(world)).toMatchObject({ code: 0 });
  });

  it.each<[string, boolean, PlainAnswer, number]>([
    ['cannot be renewed ends', false, { status: 401 }, 4],
    ['is renewed by itself ends', true, { status: 401 }, 4],
    ['cannot be renewed and is taken elsewhere does not end', false, { body: ROW }, 0],
    ['is renewed by itself and is taken elsewhere does not end', true, { body: ROW }, 0],
  ])('a login whose refused token %s for later commands', async (_what, renews, workouts, code) => {
    const world = await openPlainWorld();
    const { refresh_token: own, ...tokens } = world.platform.mint('health:write workout:read');
    const input = JSON.stringify(renews ? { ...tokens, refresh_token: own } : tokens);
    await world.sync(['login', '--with-token'], { input });
    const token = { body: { ...tokens, refresh_token: own } };
    Object.assign(world.platform.answers, { workouts, wellness: { status: 401 }, token });
    const day = JSON.stringify({ date: '2026-05-10', hrv: 60 });
    const push = await world.sync(['push', 'wellness', '-'], { input: day });
    const ended = [4, text('The login has ended.')];
    expect([push.code, push.stdout]).toEqual(
      code === 0 ? [5, text('(401) that is accepted elsewhere.')] : ended,
    );
    world.platform.clearRequests();
    const printed = await world.sync(['token']);
    expect([printed.code, printed.stdout]).toEqual([
      code,
      code === 0 ? text(tokens.access_token) : '',
    ]);
    expect((await world.sync(['status'])).code).toBe(code);
    expect(world.platform.requests).toEqual([]);
  });

  it('a 403 of any body names the scope that the login lacks', async () => {
    const world = await openPlainWorld({ workouts: { body: ROW } });
    const input = JSON.stringify(world.platform.mint('health:write'));
    await world.sync(['login', '--with-token'], { input });
    const ride = world.write('ride.fit', makeRecording());
    for (const body of ['', '<html>', 'no']) {
      world.platform.answers.upload = { status: 403, body };
      const { code, stdout } = await world.sync(['upload', ride]);
      expect(code).toBe(4);
      expect(stdout).toContain('it lacks workout:write');
      expect(stdout).toContain('sync login --scope');
    }
  });
});

describe('a refresh that is refused in words other than invalid_grant', () => {
  const expired = async (answer: PlainAnswer) => {
    const world = await openPlainWorld();
    const old = `Bearer ${world.tokens.access_token}`;
    const unlessOld = ({ headers }: PlainRequest): PlainAnswer =>
      headers.authorization === old ? { status: 401 } : { body: [] };
    Object.assign(world.platform.answers, {
      upload: unlessOld,
      workouts: unlessOld,
      token: answer,
    });
    return { world, ride: world.write('ride.fit', makeRecording()) };
  };

  it.each<[string, PlainAnswer, string]>([
    ['400', { status: 400, body: { message: 'Bad Request' } }, '(Bad Request)'],
    [
      '400 in plain text',
      { status: 400, body: 'Unknown token', type: 'text/plain' },
      '(Unknown token)',
    ],
    ['401 without a body', { status: 401, body: '' }, 'status 401.'],
    ['401 with an error alone', { status: 401, body: { error: 'odd' } }, 'request: odd.'],
    ['403', { status: 403, body: { detail: 'not now' } }, '(not now)'],
    [
      '422',
      { status: 422, body: { detail: [{ loc: ['body'], msg: 'field required' }] } },
      '(field required)',
    ],
  ])(
    'ends with exit code 4 after %s, with the reason and the secret, and the next command tries again',
    async (_what, answer, reason) => {
      const { world, ride } = await expired(answer);
      const { code, stdout, stderr } = await world.sync(['upload', ride]);
      expect(code).toBe(4);
      expect(stdout + stderr).toContain('--client-secret-stdin');
      expect(stdout + stderr).toContain(reason);
      expect((await world.lines(['status']))[0]?.['login']).toMatchObject({ state: 'logged-in' });
      delete world.platform.answers.token;
      expect((await world.sync(['upload', ride])).code).toBe(0);
    },
  );

  it.each<[string, PlainAnswer]>([
    ['404', { status: 404, body: '' }],
    ['405', { status: 405, body: '' }],
    ['a redirect', { status: 307, headers: { location: 'https://else.example' } }],
    ['a page, 403', { status: 403, body: '<html>blocked</html>', type: 'text/html' }],
    ['a page, 200', { body: '<html>log in to the hotel</html>', type: 'text/html' }],
  ])('ends with exit code 5 after %s', async (_what, answer) => {
    const { world, ride } = await expired(answer);
    expect((await world.sync(['upload', ride])).code).toBe(5);
    delete world.platform.answers.token;
    expect((await world.sync(['upload', ride])).code).toBe(0);
  });
});
