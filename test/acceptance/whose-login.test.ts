import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type ReceivedRequest, listen } from '../api/support.ts';
import {
  type World,
  foodsHeld,
  loginWithToken,
  openHome,
  openWorld,
  requestCounts,
  requestLines,
} from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';

const DAY = JSON.stringify({
  date: '2026-05-10',
  items: [{ name: 'Gel', carbs: 25, logged_at: '2026-05-10T08:00:00+02:00' }],
});

/** Logs in at a service that appends to a day: an item that is sent twice is there twice. */
async function openAppendingWorld(...faults: string[]): Promise<World> {
  const world = await openWorld({ platform: 'coach-watts', sandbox: { faults } });
  await loginWithToken(world);
  return world;
}

async function push(world: World, ...flags: string[]) {
  const args = ['push', 'nutrition', '-', '--json', ...flags];
  const { code, stdout } = await world.sync(args, { input: DAY, clock: hastyClock });
  const [first = {}] = ndjson(stdout);
  return [code, first['outcome'] ?? first['code']];
}

/** How many items each athlete has on that day. */
const items = ({ sandbox }: World) =>
  sandbox.control
    .state()
    .athletes.map(({ athlete }) => foodsHeld(sandbox, '2026-05-10', athlete).length);

const account = async (world: World) => {
  const [status = {}] = await world.lines(['status']);
  return (status['account'] as { id: string } | undefined)?.id;
};

describe('a login while userinfo fails', () => {
  it('retries userinfo during the login', async () => {
    const world = await openAppendingWorld();
    expect(await push(world)).toEqual([0, 'pushed']);
    world.sandbox.control.addFaults('userinfo:503*3');
    await loginWithToken(world);
    expect(await account(world)).toBe('athlete-1');
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(items(world)).toEqual([1, 0, 0]);
  });

  it.each([
    ['userinfo:503*inf', 'SERVICE_UNAVAILABLE'],
    ['userinfo:reset*inf', 'NETWORK'],
  ])('sends nothing during %s, and continues afterwards', async (fault, errorCode) => {
    const world = await openAppendingWorld();
    expect(await push(world)).toEqual([0, 'pushed']);
    world.sandbox.control.addFaults(fault);
    await loginWithToken(world);
    expect(await account(world)).toBeUndefined();
    world.sandbox.control.clearRequests();
    expect(await push(world, '--dry-run')).toEqual([0, 'would-push']);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(await push(world)).toEqual([5, errorCode]);
    const ride = world.write('rides/ride.fit', makeRecording());
    expect((await world.sync(['upload', ride], { clock: hastyClock })).code).toBe(5);
    expect(Object.keys(requestCounts(world.sandbox))).toEqual(['userinfo']);
    world.sandbox.control.clearFaults();
    expect(await push(world)).toEqual([0, 'skipped']);
    expect((await world.sync(['watch', '--once', 'rides'])).code).toBe(0);
    expect(await account(world)).toBe('athlete-1');
    expect(items(world)).toEqual([1, 0, 0]);
    // Once the athlete is known, userinfo is not asked again.
    world.sandbox.control.clearRequests();
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it('sends everything for an athlete who turns out to be another one', async () => {
    const world = await openAppendingWorld();
    expect(await push(world)).toEqual([0, 'pushed']);
    world.sandbox.control.addFaults('userinfo:503*inf');
    await loginWithToken(world, { athlete: 'athlete-2' });
    world.sandbox.control.clearFaults();
    expect(await push(world)).toEqual([0, 'pushed']);
    expect(items(world)).toEqual([1, 1, 0]);
    expect(await account(world)).toBe('athlete-2');
    await loginWithToken(world);
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(items(world)).toEqual([1, 1, 0]);
  });

  it('stays known by its login ID after a refresh', async () => {
    const world = await openAppendingWorld('userinfo:503*inf');
    world.sandbox.control.clearFaults();
    world.sandbox.control.expire();
    expect(await push(world)).toEqual([0, 'pushed']);
    expect(await account(world)).toBe('athlete-1');
    expect(await push(world)).toEqual([0, 'skipped']);
  });

  it('is forgotten by a logout', async () => {
    const world = await openAppendingWorld('userinfo:503*inf');
    await world.sync(['logout']);
    expect(await push(world)).toEqual([4, 'failed']);
  });

  it('sends if the service never named an athlete, and keeps the ledger when it does', async () => {
    const world = await openAppendingWorld('userinfo:503*inf');
    expect(await push(world)).toEqual([0, 'pushed']);
    expect(await account(world)).toBeUndefined();
    expect(await push(world)).toEqual([0, 'skipped']);
    world.sandbox.control.clearFaults();
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(await account(world)).toBe('athlete-1');
    expect(items(world)).toEqual([1, 0, 0]);
  });
});

describe('a service without userinfo', () => {
  it('is asked during the login, and not again', async () => {
    const world = await openAppendingWorld('userinfo:404*inf');
    world.sandbox.control.clearRequests();
    expect(await push(world)).toEqual([0, 'pushed']);
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(requestLines(world.sandbox)).toEqual([
      ...['nutrition-list 200', 'nutrition-items 400', 'nutrition-items 404'],
      ...['nutrition 200', 'nutrition-list 200'],
      // The second run looks if another computer has dropped something.
      'nutrition-list 200',
    ]);
  });

  it('keeps earlier confirmations when it begins to name athletes', async () => {
    const world = await openAppendingWorld('userinfo:404*inf');
    expect(await push(world)).toEqual([0, 'pushed']);
    world.sandbox.control.clearFaults();
    await loginWithToken(world);
    expect(await account(world)).toBe('athlete-1');
    expect(await push(world)).toEqual([0, 'skipped']);
    expect(items(world)).toEqual([1, 0, 0]);
  });
});

/** A service of a test's own, a home with tokens from the environment, and a way to push and upload. */
async function withToken(
  userinfo: (response: ServerResponse, request: ReceivedRequest) => void,
  others: readonly string[] = [],
) {
  const service = await listen((request, response) => {
    if (['/api/oauth/userinfo', ...others].includes(request.url)) {
      userinfo(response, request);
      return;
    }
    const results = { total: 1, processed: 1, duplicates: 0, failed: 0, errors: [] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, results, data: {} }));
  });
  const home = openHome({ SYNC_BASE_URL: service.url.origin, SYNC_CLIENT_ID: 'c' });
  const sync = (token: string, args: readonly string[], input = '') =>
    runInProcess(args, { home, input, env: { SYNC_ACCESS_TOKEN: token }, clock: hastyClock });
  // One request a day.
  await sync('a', ['config', 'set', 'platform.kind', 'interface']);
  return {
    requests: () => service.requests.map(({ url }) => url.replace('/api/', '')),
    push: async (token: string) => (await sync(token, ['push', 'nutrition', '-'], DAY)).code,
  };
}

const say = (status: number, type: string, text: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': type, location: '/login' });
  response.end(text);
};

describe('a token from the environment', () => {
  it.each(['42', '"42"'])('has the same ledger key as the next token (sub: %s)', async (sub) => {
    const { push, requests } = await withToken(say(200, 'application/json', `{"sub":${sub}}`));
    expect([await push('a'), await push('b')]).toEqual([0, 0]);
    expect(requests()).toEqual(['oauth/userinfo', 'nutrition', 'oauth/userinfo']);
  });

  it.each([
    ['beyond 2^53', '9007199254740993'],
    ['of 256 characters', `"${'a'.repeat(256)}"`],
  ])('shares no ledger key with the next token if its sub is %s', async (_what, sub) => {
    const { push, requests } = await withToken(say(200, 'application/json', `{"sub":${sub}}`));
    // The second token may be another athlete's, whose day would replace that of the first.
    expect([await push('a'), await push('b')]).toEqual([0, 6]);
    expect(requests()).toEqual(['oauth/userinfo', 'nutrition', 'oauth/userinfo']);
  });

  it.each([
    ['a page', say(200, 'text/html', '<html>the app</html>'), []],
    ['a redirect', say(302, 'text/html', ''), ['workouts']],
    ['no sub', say(200, 'application/json', '{"name":"x"}'), []],
    ['nothing', say(200, 'text/plain', ''), []],
    ['403', say(403, 'application/json', '{"message":"no"}'), ['workouts']],
    ['401', say(401, 'application/json', '{}'), ['workouts']],
  ])('is used if userinfo answers %s, and asks once', async (_what, userinfo, more) => {
    const { push, requests } = await withToken(userinfo);
    expect([await push('a'), await push('a')]).toEqual([0, 0]);
    expect(requests()).toEqual(['oauth/userinfo', ...more, 'nutrition']);
  });

  it('is used if userinfo always fails, and keeps the ledger when it works', async () => {
    let down = true;
    const { push, requests } = await withToken((response) =>
      down
        ? say(500, 'application/json', '{"message":"oops"}')(response)
        : say(200, 'application/json', '{"sub":"7"}')(response),
    );
    expect(await push('a')).toBe(0);
    down = false;
    expect([await push('a'), await push('b')]).toEqual([0, 0]);
    expect(requests().filter((path) => path === 'nutrition')).toHaveLength(1);
    // Now that it is known to say so, nothing goes out while it cannot.
    down = true;
    expect(await push('c')).toBe(5);
    expect(requests().filter((path) => path === 'nutrition')).toHaveLength(1);
  });

  it('sends nothing if the service rejects the token', async () => {
    const { push, requests } = await withToken(say(401, 'application/json', '{}'), [
      '/api/workouts',
    ]);
    expect(await push('a')).toBe(4);
    expect(requests()).toEqual(['oauth/userinfo', 'workouts']);
  });
});
