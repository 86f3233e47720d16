import { describe, expect, it } from 'vitest';
import { type World, openHome, openLoggedInWorld, requestLines } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { runInProcess } from '../support/in-process.ts';
import { openServer } from '../support/local-server.ts';
import { ndjson } from '../support/program.ts';
import { type Answer, type TinyRequest, openTinyService } from '../support/tiny-service.ts';

/** Asks the service for its list, without the program. */
async function listedBy(world: World, query: string): Promise<Record<string, unknown>[]> {
  const { access_token } = world.sandbox.control.mint();
  const answer = await fetch(`${world.sandbox.url}/api/workouts?${query}`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  return (await answer.json()) as Record<string, unknown>[];
}

/** The lines of `--json` for workouts as the service lists them. */
function linesFor(listed: readonly Record<string, unknown>[], more = false) {
  return [
    ...listed.map(({ type, ...workout }) => ({
      type: 'workout',
      ...(type === undefined ? {} : { sport: type }),
      ...workout,
    })),
    { type: 'summary', total: listed.length, more },
  ];
}

/** The workouts among the lines of `--json`, by their date. */
function datesIn(stdout: string): unknown[] {
  return ndjson(stdout).flatMap(({ type, date }) => (type === 'workout' ? [date] : []));
}

/** Small recordings, one a day from 1 January on at 23:30 UTC, uploaded by the program. */
async function uploadDays(world: World, count: number): Promise<void> {
  for (let day = 0; day < count; day++) {
    const recording = makeRecording({
      seed: day + 1,
      startTime: new Date(Date.UTC(2026, 0, 1 + day, 23, 30)),
      durationSecs: 20,
    });
    world.write(`rides/${String(day).padStart(2, '0')}.fit`, recording);
  }
  const { code, stderr } = await world.sync(['upload', 'rides']);
  expect(code, stderr).toBe(0);
  world.sandbox.control.clearRequests();
}

describe('sync workouts', () => {
  it('lists over pages until the limit, newest first, with the fields of the platform', async () => {
    const world = await openLoggedInWorld();
    await uploadDays(world, 60);
    const all = await listedBy(world, 'limit=200');
    expect(all).toHaveLength(60);
    world.sandbox.control.clearRequests();

    const more = await world.sync(['workouts', '--limit', '55', '--json']);
    expect([more.code, ndjson(more.stdout)]).toEqual([0, linesFor(all.slice(0, 55), true)]);
    expect(ndjson(more.stdout)[0]).toMatchObject({
      sport: all[0]?.['type'],
      distanceMeters: expect.any(Number) as number,
    });
    expect(world.sandbox.control.requests().map(({ query }) => query)).toEqual([
      { limit: '50', offset: '0' },
      { limit: '6', offset: '50' },
    ]);
    const everything = await world.sync(['workouts', '--limit', '60', '--json']);
    expect(ndjson(everything.stdout)).toEqual(linesFor(all));
    const usual = await world.sync(['workouts', '--json']);
    expect(ndjson(usual.stdout)).toEqual(linesFor(all.slice(0, 20), true));
    const told =
      'These are the newest 20, and there are more: `sync workouts --limit 100`, or --since and --until.\n';
    expect([usual.stderr, everything.stderr]).toEqual([told, '']);
    expect((await world.sync(['workouts', '--quiet'])).stderr).toBe('');

    world.sandbox.control.clearRequests();
    const week = ['--since', '2026-01-10', '--until', '2026-01-12'];
    const ranged = await world.sync(['workouts', ...week, '--json']);
    // The second asks whether a short page was the last one.
    expect(requestLines(world.sandbox)).toEqual(['workouts 200', 'workouts 200']);
    // Days are those of Berlin, where 23:30 UTC is tomorrow.
    expect(datesIn(ranged.stdout)).toEqual([
      '2026-01-11T23:30:00.000Z',
      '2026-01-10T23:30:00.000Z',
      '2026-01-09T23:30:00.000Z',
    ]);
    const inUtc = async (limit: string) => {
      const env = { SYNC_TIMEZONE: 'UTC' };
      const run = await world.sync(['workouts', ...week, '--limit', limit, '--json'], { env });
      return datesIn(run.stdout);
    };
    expect(await inUtc('2')).toEqual(['2026-01-12T23:30:00.000Z', '2026-01-11T23:30:00.000Z']);
    expect(await inUtc('9')).toHaveLength(3);
  });

  it('prints a table with local times', async () => {
    const world = await openLoggedInWorld();
    await uploadDays(world, 2);
    const table = async (env: NodeJS.ProcessEnv) =>
      (await world.sync(['workouts'], { env })).stdout;
    // 23:30 UTC is 05:15 of the next day there.
    expect(await table({ SYNC_TIMEZONE: 'Asia/Kathmandu' })).toMatch(
      /^Times in Asia\/Kathmandu$[^]*^Sat {2}3 Jan (2026 )?05:15[^]*^Fri {2}2 Jan (2026 )?05:15/m,
    );
    expect(await table({ TZ: 'America/New_York' })).toMatch(
      /^Times in America\/New_York$[^]*^Fri {2}2 Jan (2026 )?18:30/m,
    );
  });

  it('reports an empty list', async () => {
    const world = await openLoggedInWorld();
    expect((await world.sync(['workouts'])).stdout).toBe('No workouts.\n');
    const { stdout } = await world.sync(['workouts', '--json']);
    expect(ndjson(stdout)).toEqual([{ type: 'summary', total: 0, more: false }]);
  });

  it('fails if the body of a 200 reports a failure', async () => {
    const answer: Answer = [200, { success: false, message: 'The database is down' }];
    const { url } = await openTinyService({ 'GET /api/workouts': answer });
    const home = openHome({ SYNC_BASE_URL: url, SYNC_ACCESS_TOKEN: 'some-token' });
    const { code, stdout } = await runInProcess(['workouts', '--json'], { home });
    expect([code, ndjson(stdout)]).toEqual([
      6,
      [
        expect.objectContaining({
          code: 'SERVICE_ANSWER',
          message: 'The platform reports a failure: The database is down',
        }),
      ],
    ]);
  });

  it('shows an id that no number holds exactly as text', async () => {
    const { url } = await openServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('[{"id":9007199254740993,"userId": 7,"title":"of \\"id\\":9007199254740995,"}]');
    });
    const home = openHome({ SYNC_BASE_URL: url, SYNC_ACCESS_TOKEN: 'some-token' });
    const { stdout } = await runInProcess(['workouts', '--json'], { home });
    expect(ndjson(stdout)[0]).toEqual({
      ...{ type: 'workout', id: '9007199254740993', userId: 7 },
      title: 'of "id":9007199254740995,',
    });
  });

  it.each([
    ['--since', '2026-02-30'],
    ['--until', 'last week'],
    ['--limit', '0'],
    ['--limit', 'all'],
    ['--since', '2026-02-02', '--until', '2026-02-01'],
  ])('refuses %s %s', async (flag, value, ...more) => {
    const world = await openLoggedInWorld();
    const { code, stderr } = await world.sync(['workouts', flag, value, ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} ${value}`);
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

describe('sync workouts of a service with another format', () => {
  const open = async (body: unknown) => {
    const answer =
      typeof body === 'function' ? (body as (request: TinyRequest) => Answer) : undefined;
    const service = await openTinyService({ 'GET /api/workouts': answer ?? [200, body] });
    const home = openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' });
    const run = (...args: string[]) => runInProcess(['workouts', ...args], { home });
    return { service, run };
  };

  const ride = { id: 'w1', start_time: '2026-03-29T06:10:00Z', name: 'Morning ride' };
  it.each<[string, unknown]>([
    ['the body itself', [ride]],
    ['workouts', { workouts: [ride], total: 1 }],
    ['data', { data: [ride] }],
    ['items', { items: [ride] }],
    ['results', { results: [ride] }],
    ['its only list', { rides: [ride] }],
    ['a list beside an empty one', { errors: [], rides: [ride] }],
    ['a list of a usual name beside others', { errors: ['slow'], workouts: [ride] }],
    ['the second of two usual names', { items: [], results: [ride] }],
  ])('finds them in %s', async (_where, body) => {
    const { run } = await open(body);
    expect(ndjson((await run('--json')).stdout)).toEqual(linesFor([ride]));
  });

  const all = Array.from({ length: 130 }, (_, i) => ({ id: `w${i}`, title: `Ride ${i}` }));
  const idsIn = (stdout: string) => ndjson(stdout).flatMap(({ id }) => id ?? []);
  /** A page of workouts, with more at the front at each request; `most`: the size of a page. */
  const pages = (added: number, most = Infinity) => {
    let count = 0;
    return ({ path }: TinyRequest): Answer => {
      const query = new URL(path, 'http://127.0.0.1').searchParams;
      const offset = Number(query.get('offset'));
      const news = Array.from({ length: added * count++ }, (_, i) => ({ id: `new${i}` }));
      const end = offset + Math.min(Number(query.get('limit')), most);
      return [200, [...news, ...all].slice(offset, end)];
    };
  };

  it.each([{ has_more: true }, { meta: { total: 2 } }, { totalCount: 2 }])(
    'says that there may be more if the answer states %j',
    async (stated) => {
      const { run } = await open({ workouts: [ride], ...stated });
      expect(ndjson((await run('--json')).stdout)).toEqual(linesFor([ride], true));
    },
  );

  it('reads small pages to the limit', async () => {
    const { run } = await open(pages(0, 15));
    const { stdout } = await run('--limit', '100', '--json');
    expect(idsIn(stdout)).toEqual(all.slice(0, 100).map(({ id }) => id));
  });

  it('lists a workout once that moved to the next page between two requests', async () => {
    const { run } = await open(pages(1));
    const listed = idsIn((await run('--limit', '120', '--json')).stdout);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(all.slice(0, 110).map(({ id }) => id)));
  });

  it('ends at a service without paging, and keeps the limit', async () => {
    const unnamed = all.slice(0, 60).map(({ title }) => ({ title }));
    for (const page of [all.slice(0, 30), all, unnamed, unnamed.slice(0, 30)]) {
      const { run, service } = await open(page);
      const listed = ndjson((await run('--limit', '1000', '--json')).stdout);
      expect(listed.at(-1)).toMatchObject({ total: page.length });
      expect(service.requests.length).toBeLessThanOrEqual(2);
      expect(ndjson((await run('--limit', '5', '--json')).stdout)).toHaveLength(6);
    }
  });

  it('asks for a day more at both ends, and lists workouts without a date', async () => {
    const { run, service } = await open([{ id: 'undated' }]);
    const { stdout } = await run('--since', '2026-02-01', '--until', '2026-02-28', '--json');
    expect(idsIn(stdout)).toEqual(['undated']);
    const query = new URL(service.requests[0]?.path ?? '', 'http://127.0.0.1').searchParams;
    expect([query.get('startDate'), query.get('endDate')]).toEqual(['2026-01-31', '2026-03-01']);
  });

  it.each([
    ['an object without a list', { message: 'soon' }],
    ['an object with two lists', { rides: [], runs: [] }],
    ['a list of texts', ['ride-1', 'ride-2']],
    ['a text', 'nothing here'],
    ['null', null],
  ])('shows %s as JSON instead of failing', async (_shape, body) => {
    const { run } = await open(body);
    const text = await run();
    expect(text.code).toBe(0);
    expect(JSON.parse(text.stdout)).toEqual(body);
    expect(ndjson((await run('--json')).stdout)).toEqual([{ type: 'workouts', body }]);
  });

  it('removes control characters from what the platform sends', async () => {
    const { run } = await open([{ id: 1, title: 'Ride\u001b[2J\u0007', type: 'x\r\ny' }]);
    const { stdout } = await run();
    // eslint-disable-next-line no-control-regex -- that is the point
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});
