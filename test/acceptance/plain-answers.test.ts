import { describe, expect, it } from 'vitest';
import { openLoggedInWorld, requestCounts } from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { type PlainAnswer, type PlainRequest, openPlainWorld } from '../support/plain-platform.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const START = new Date('2026-05-10T08:00:00Z');
const ride = makeRecording({ startTime: START, durationSecs: 60 });

describe('a platform that answers 409 to a recording that it has', () => {
  it.each<[string, PlainAnswer]>([
    ['without a body', { status: 409, body: '' }],
    ['with a text', { status: 409, body: 'duplicate', type: 'text/plain' }],
    ['with JSON', { status: 409, body: { message: 'duplicate' } }],
    ['with members about a retry', { status: 409, body: { message: 'duplicate', retry: false } }],
  ])('%s, has it: upload says so once', async (_, upload) => {
    const { platform, sync, write } = await openPlainWorld({ upload });
    write('ride.fit', ride);
    expect(await sync(['upload', 'ride.fit'])).toMatchObject({
      code: 0,
      stdout: /already there/,
    });
    expect(await sync(['upload', 'ride.fit'])).toMatchObject({
      code: 0,
      stdout: /uploaded before/,
    });
    expect(platform.lines()).toEqual(['POST /api/workouts/upload-fit']);
    expect((await sync(['status'])).stdout).toContain('1 recording accepted by the platform');
  });

  it.each<[string, PlainAnswer]>([
    ['a page', { status: 409, body: '<html>Busy</html>', type: 'text/html' }],
    [
      'an error of Coach Watts',
      { status: 409, body: { error: true, url: '/', statusCode: 409, message: 'Busy' } },
    ],
    ['a lock', { status: 409, body: { error: 'conflict', message: 'Locked by another upload' } }],
    ['a text', { status: 409, body: 'Busy. Try again later.', type: 'text/plain' }],
  ])('with %s, does not confirm it', async (_, upload) => {
    const { platform, sync, write } = await openPlainWorld({ upload });
    write('ride.fit', ride);
    expect((await sync(['upload', 'ride.fit'])).code).not.toBe(0);
    expect((await sync(['status'])).stdout).not.toMatch(/recordings? accepted/);
    delete platform.answers.upload;
    expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 0, stdout: /uploaded$/m });
  });

  it('with Retry-After, is busy: upload sends the recording again', async () => {
    let isBusy = true;
    const busy = { status: 409, headers: { 'retry-after': '1' }, body: { message: 'Busy' } };
    const upload = () => {
      const answer = isBusy ? busy : {};
      isBusy = false;
      return answer;
    };
    const { platform, sync, write } = await openPlainWorld({ upload });
    write('ride.fit', ride);
    expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 0, stdout: /uploaded$/m });
    expect(platform.lines()).toHaveLength(2);
  });

  it('at Coach Watts, does not confirm it', async () => {
    const world = await openLoggedInWorld();
    world.write('first.fit', makeRecording({ seed: 9 }));
    world.write('ride.fit', ride);
    await world.sync(['upload', 'first.fit']);
    world.sandbox.control.addFaults('upload-fit:409');
    expect((await world.sync(['upload', 'ride.fit'])).code).toBe(6);
    expect(await world.sync(['upload', 'ride.fit'])).toMatchObject({
      code: 0,
      stdout: /uploaded$/m,
    });
    expect(requestCounts(world.sandbox)).toMatchObject({ 'upload-fit': 3 });
  });
});

it('a platform that explains only its refusals is believed when it answers a success with {}', async () => {
  let isFull = true;
  const refused = {
    body: { success: false, results: { total: 1, failed: 1, errors: ['storage is full'] } },
  };
  const { platform, sync, write } = await openPlainWorld({ upload: () => (isFull ? refused : {}) });
  write('ride.fit', ride);
  expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 6, stdout: /storage is full/ });
  isFull = false;
  expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 0, stdout: /uploaded$/m });
  expect(await sync(['upload', 'ride.fit'])).toMatchObject({ code: 0, stdout: /uploaded before/ });
  expect(platform.lines()).toHaveLength(2);
});

it('the setting endpoint.filePart names the file part of an upload', async () => {
  const isNamed = ({ body }: PlainRequest) => body !== undefined && body['filePart'] === 'fit';
  const upload = (request: PlainRequest) =>
    isNamed(request) ? {} : { status: 400, body: { message: 'no part fit' } };
  const { sync, write } = await openPlainWorld({ upload });
  write('ride.fit', ride);
  expect((await sync(['upload', 'ride.fit'])).code).toBe(6);
  expect((await sync(['config', 'set', 'endpoint.filePart', 'fit'])).code).toBe(0);
  expect((await sync(['upload', 'ride.fit', '--force', '--dry-run'])).stdout).toMatch(
    /^ {2}fit: /m,
  );
  expect((await sync(['upload', 'ride.fit'])).code).toBe(0);
  const other = await openPlainWorld({ upload });
  other.write('card/ride.fit', ride);
  await other.sync(['config', 'set', 'endpoint.filePart', 'fit']);
  expect((await other.sync(['watch', 'card', '--once'])).code).toBe(0);
});

it.each<[string, PlainAnswer]>([
  ['207 with a failed result', { status: 207, body: { results: [{}, { error: 'cut off' }] } }],
  [
    '200 with a failed result',
    { body: { results: [{ status: 'failed', message: 'cut off' }, { id: 1 }] } },
  ],
  ['200 with a list', { body: [{ success: false, message: 'cut off' }] }],
])('%s is a refusal: nothing counts as sent', async (_, answer) => {
  const { sync, write } = await openPlainWorld({ upload: answer, wellness: answer });
  write('ride.fit', ride);
  const refused = { code: 6, stdout: /refused by the platform: cut off/ };
  expect(await sync(['upload', 'ride.fit'])).toMatchObject(refused);
  const input = JSON.stringify({ date: '2026-05-10', hrv: 60 });
  expect(await sync(['push', 'wellness', '-'], { input })).toMatchObject(refused);
});

it.each([402, 403, 410])('shows a plain text of a %i as words of the platform', async (status) => {
  const body = 'Your plan has ended. Run `pay now`.';
  const { sync, write } = await openPlainWorld({ upload: { status, body, type: 'text/plain' } });
  write('ride.fit', ride);
  const { code, stdout } = await sync(['upload', 'ride.fit']);
  expect([code, stdout]).toEqual([
    5,
    expect.stringContaining(`not sent. The platform refused it (${status}): Your plan has ended.`),
  ]);
});

describe('sync profile --weight', () => {
  const answering =
    (patch: PlainAnswer) =>
    ({ method, path }: PlainRequest): PlainAnswer =>
      path !== '/api/profile' ? { status: 404 } : method === 'PATCH' ? patch : {};

  it.each<[string, PlainAnswer]>([
    ['200 {}', {}],
    ['201 {"id"}', { status: 201, body: { id: 1 } }],
    ['204', { status: 204 }],
    ['a text', { body: 'OK', type: 'text/plain' }],
  ])('is taken by a platform that answers %s', async (_, taken) => {
    const { platform, sync } = await openPlainWorld({ unknown: answering(taken) });
    const { code, stdout, stderr } = await sync(['profile', '--weight', '71.5']);
    expect([code, stdout, stderr]).toEqual([
      0,
      'The platform accepted the update, and shows no profile.\n',
      '',
    ]);
    const bodies = platform.requests.flatMap(({ method, body }) =>
      method === 'PATCH' ? body : [],
    );
    expect(bodies).toEqual([{ weight: 71.5 }]);
  });

  it.each<[string, PlainAnswer]>([
    ['success: false', { body: { success: false, message: 'No weight today' } }],
    ['an error', { body: { error: 'No weight today' } }],
  ])('is not taken if the answer says %s', async (_, refused) => {
    const { sync } = await openPlainWorld({ unknown: answering(refused) });
    expect(await sync(['profile', '--weight', '71.5'])).toMatchObject({
      code: 6,
      stderr: /No weight today/,
    });
  });

  it('says that the platform has no route for the profile, and nothing about units', async () => {
    const { sync } = await openPlainWorld();
    const { code, stderr } = await sync(['profile', '--weight', '71.5']);
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/lets no application change the profile.*endpoint\.profile/s),
    ]);
    expect(stderr).not.toMatch(/unit|kilogram/);
  });
});

describe('sync workouts and verify', () => {
  const listed = { start_time: START.toISOString(), name: 'Morning run' };

  it.each([400, 422])('ask without a query if the platform refuses it with %i', async (status) => {
    const workouts = ({ query }: PlainRequest) =>
      query.size > 0 ? { status, body: { message: 'unknown query' } } : { body: [listed] };
    const { sync, write } = await openPlainWorld({ workouts });
    expect(await sync(['workouts'])).toMatchObject({ code: 0, stdout: /Morning run/ });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    expect(await sync(['verify'])).toMatchObject({ code: 0, stdout: /1 is a workout/ });
  });

  it.each<[string, PlainAnswer]>([
    ['an empty list', { body: [] }],
    ['others only', { body: [{ ...listed, start_time: '2026-05-09T08:00:00Z' }] }],
    ['no list', { body: {} }],
    ['404', { status: 404 }],
    ['405', { status: 405 }],
    ['501', { status: 501 }],
  ])('do not call a recording missing where the platform answers %s', async (_, workouts) => {
    const { sync, write } = await openPlainWorld({ workouts });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    const { code, stdout } = await sync(['verify', '--json']);
    expect([code, ndjson(stdout)]).toMatchObject([
      5,
      [{ outcome: 'notKnown' }, { type: 'summary', missing: 0, pending: 0, notKnown: 1 }],
    ]);
    expect((await sync(['verify'])).stdout).toMatch(/1 recording: 1 not known\.$/m);
    const watched = await sync(['watch', '.', '--once']);
    expect([watched.code, watched.stdout]).toEqual([0, expect.not.stringContaining('missing')]);
  });

  /** Twelve others of its day, later than the ride, which is on the second page of ten. */
  const others = Array.from({ length: 12 }, (_, i) => ({
    ...{ id: `w${i}`, name: `Other ${i}` },
    start_time: new Date(START.getTime() + (i + 1) * 600_000).toISOString(),
  }));
  const all = [...others.toReversed(), { id: 'ride', ...listed }];
  const from = (start: number) => all.slice(start, start + 10);
  const numbered = (query: URLSearchParams) => (Number(query.get('page') ?? 1) - 1) * 10;

  it.each<[string, (query: URLSearchParams) => PlainAnswer]>([
    [
      'the number of pages',
      (query) => ({
        body: { data: from(numbered(query)), page: numbered(query) / 10 + 1, total_pages: 2 },
      }),
    ],
    [
      'a cursor',
      (query) => {
        const at = Number(query.get('cursor'));
        return { body: { workouts: from(at), meta: { nextCursor: at === 0 ? 10 : null } } };
      },
    ],
    [
      'a Link of another host',
      (query) => ({
        body: from(numbered(query)),
        headers: { link: '<https://other.example/x?page=1>; rel="prev", </y?page=2>; rel="next"' },
      }),
    ],
    ['an address', (query) => ({ body: { data: from(numbered(query)), next: '?page=2' } })],
    [
      'nothing, without ids, and knows offset',
      (query) => ({
        body: from(Number(query.get('offset'))).map(({ start_time, name }) => ({
          start_time,
          name,
        })),
      }),
    ],
  ])('read every page of a platform that states %s', async (_how, workouts) => {
    const { sync, write } = await openPlainWorld({ workouts: ({ query }) => workouts(query) });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    expect(await sync(['verify'])).toMatchObject({ code: 0, stdout: /1 is a workout/ });
    const { stdout } = await sync(['workouts', '--since', '2026-05-10', '--json']);
    expect(ndjson(stdout).slice(0, -1)).toMatchObject(all.map(({ name }) => ({ name })));
  });

  it('do not take the first page of a platform that repeats it for the whole list', async () => {
    const { platform, sync, write } = await openPlainWorld({ workouts: { body: all } });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    expect((await sync(['verify'])).code).toBe(0);
    platform.answers.workouts = { body: from(0) };
    const { code, stdout } = await sync(['verify', '--json']);
    expect([code, ndjson(stdout)[0]]).toMatchObject([5, { outcome: 'notKnown' }]);
    const none = await sync(['workouts', '--until', '2026-05-09']);
    expect(none.stdout).toBe('No workouts among those that the platform lists.\n');
    expect(none.stderr).toContain('may have more workouts');
    const lines = ndjson((await sync(['workouts', '--json'])).stdout);
    expect(lines.at(-1)).toMatchObject({ total: 10, more: true });
  });

  it('do not prove by a part of the list that an undo removed a workout', async () => {
    let isWhole = true;
    let externalId = '';
    const sent = all.map((workout) => ({ ...workout, source: 'fit_file' }));
    const { platform, sync, write } = await openPlainWorld({
      workouts: ({ query }) => {
        const whole =
          query.get('offset') === '0' ? [...sent, { ...sent.at(-1), id: 'own', externalId }] : [];
        return { body: isWhole ? whole : sent.slice(0, 10) };
      },
    });
    const undo = () => sync(['undo', 'upload', 'ride.fit', '--yes'], { clock: hastyClock });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    const [{ fileName } = {}] = platform.recordings.values();
    externalId = `fit_${START.getTime()}_${String(fileName).replace(/\W/g, '_')}`;
    const codes: (number | null)[] = [];
    for (const status of [404, 504, 504]) {
      platform.answers.unknown = () => {
        isWhole = false;
        return { status };
      };
      codes.push((await undo()).code);
      isWhole = status === 404;
    }
    // No way to remove it; no answer; not in the list.
    expect(codes).toEqual([6, 5, 6]);
    platform.answers.upload = { status: 400 };
    expect((await sync(['upload', 'ride.fit', '--force'])).code).toBe(6);
    expect((await sync(['upload', 'ride.fit'])).stdout).toMatch(/uploaded before/);
  });

  it('list the newest first, and call them so only if the platform does, too', async () => {
    const { platform, sync } = await openPlainWorld({ workouts: { body: all } });
    const three = async () => {
      const { stdout, stderr } = await sync(['workouts', '--limit', '3', '--json']);
      return [ndjson(stdout).flatMap(({ id }) => id ?? []), stderr.split(',')[0]];
    };
    const newest = ['w11', 'w10', 'w9'];
    expect(await three()).toEqual([newest, 'These are the newest 3']);
    platform.answers.workouts = { body: all.toReversed() };
    expect(await three()).toEqual([newest, 'These are 3']);
  });

  it('call a recording missing where the platform once showed one from here', async () => {
    const { platform, sync, write } = await openPlainWorld({ workouts: { body: [listed] } });
    write('ride.fit', ride);
    await sync(['upload', 'ride.fit']);
    expect((await sync(['verify'])).code).toBe(0);
    platform.answers.workouts = { body: [] };
    // An upload of this moment may still be processed.
    const { code, stdout } = await sync(['verify', '--json']);
    expect([code, ndjson(stdout)[0]]).toMatchObject([5, { outcome: 'pending' }]);
  });
});

it('sync explain knows a login to a platform that names no athlete', async () => {
  const { sync, write } = await openPlainWorld({
    upload: { status: 400, body: { message: 'no' } },
  });
  write('refused.fit', ride);
  await sync(['upload', 'refused.fit']);
  write('new.fit', makeRecording({ seed: 8 }));
  const explained = async () => (await sync(['explain', 'new.fit'])).stdout;
  expect(await explained()).toContain('It was never sent. `sync upload new.fit` sends it.');
  await sync(['logout']);
  expect(await explained()).toContain('The last login did not send it.');
});

it('a watcher counts a file and its copy as one recording', async () => {
  const { platform, startHere, sync, write } = await openPlainWorld({ upload: { status: 503 } });
  for (let seed = 1; seed <= 5; seed++) write(`card/${seed}.fit`, makeRecording({ seed }));
  // A file is known from 2 s after its last change on: the next watcher does not read it again.
  const writtenAt = Date.now();
  await until(() => Date.now() > writtenAt + 2_100);
  const watcher = await startHere(['watch', 'card', '--json']);
  const copies = () => watcher.stdout().split('"event":"kept"').length - 1;
  await until(() => copies() >= 5);
  watcher.interrupt();
  await watcher.finished;
  const again = await startHere(['watch', 'card', '--json']);
  const ready = await again.waitFor(/"event":"ready".*/);
  again.interrupt();
  await again.finished;
  expect(ready[0]).toMatch(/"files":5,"queued":5/);
  platform.answers.upload = {};
  expect((await sync(['watch', 'card', '--once'])).stdout).toMatch(/^5 files: 5 uploaded\.$/m);
});
