import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  expireAccess,
  openLoggedInWorld,
  requestCounts,
  requestLines,
} from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const EIGHT = Array.from({ length: 8 }, (_, index) => index);
/** Revokes the old refresh token with each refresh. */
const ROTATING = { sandbox: { settings: { refreshToken: 'rotate' } } } as const;

it('several processes with one expired token keep the login if half of them are killed during the refresh', async () => {
  const world = await openLoggedInWorld(ROTATING);
  expireAccess(world);
  // The first process gets 503 before any rotation, and waits.
  world.sandbox.control.addFaults('refresh:503(retry-after=2)');
  const running = EIGHT.slice(0, 4).map(() => world.start(['token']));
  await until(() => requestLines(world.sandbox).includes('token 503'));
  const [killed, left] = [running.slice(0, 2), running.slice(2)];
  for (const { child } of killed) child.kill('SIGKILL');
  const ends = await Promise.all(left.map(({ finished }) => finished));
  expect(ends.map(({ code }) => code)).toEqual(left.map(() => 0));
  expect(new Set(ends.map(({ stdout }) => stdout)).size).toBe(1);
  expect(requestLines(world.sandbox).filter((line) => line === 'token 200')).toHaveLength(1);
  expect(world.sandbox.control.state('athlete-1').athletes[0]?.logins).toMatchObject([
    { revoked: false },
  ]);
});

describe('a refresh', () => {
  it.each([
    // The service may have replaced the tokens: until the next refresh, that is unknown.
    ['the connection breaks off', 'refresh:reset*3', 5],
    ['the platform is overloaded', 'refresh:503*3', 0],
    ['a proxy answers in its place', 'refresh:html*3', 5],
    ['there are too many requests', 'refresh:429*3', 0],
  ])('exits 5 and keeps the login if %s', async (_why, fault, known) => {
    const world = await openLoggedInWorld();
    expireAccess(world);
    world.sandbox.control.addFaults(fault);
    const { code, stdout } = await world.sync(['token'], { clock: hastyClock });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(requestCounts(world.sandbox)).toEqual({ token: 3 });
    expect((await world.sync(['status'])).code).toBe(known);
    expect((await world.sync(['token'])).code).toBe(0);
    expect((await world.sync(['status'])).code).toBe(0);
  });

  it('stores the tokens before it stops on Ctrl-C', async () => {
    const world = await openLoggedInWorld(ROTATING);
    expireAccess(world);
    world.sandbox.control.addFaults('refresh:delay=1s');
    const running = world.start(['token']);
    await until(() => requestLines(world.sandbox).includes('token null'));
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect((await world.sync(['token'])).code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual(['token 200']);
  });

  it('does not restore a login that a concurrent logout deleted', async () => {
    const world = await openLoggedInWorld();
    expireAccess(world);
    world.sandbox.control.addFaults('refresh:delay=500ms');
    const token = world.start(['token']);
    await until(() => requestLines(world.sandbox).includes('token null'));
    expect((await world.sync(['logout'])).code).toBe(0);
    await token.finished;
    expect((await world.sync(['status'])).code).toBe(4);
    expect(world.sandbox.control.state('athlete-1').athletes[0]?.logins).toMatchObject([
      { revoked: true },
    ]);
  });
});

describe('a refused refresh that says nothing about the login', () => {
  const REFUSED = [
    ['refresh:400(error=invalid_request)*inf', 'AUTH_REFUSED', 4],
    ['refresh:403*inf', 'AUTH_REFUSED', 4],
    ['refresh:404*inf', 'SERVICE_UNAVAILABLE', 5],
    ['refresh:400(error=unsupported_grant_type)*inf', 'AUTH_REFUSED', 4],
  ] as const;

  it.each(REFUSED)(
    'keeps recordings for later, and sends them after it recovers (%s)',
    async (fault, errorCode, exitCode) => {
      const world = await openLoggedInWorld({ sandbox: { faults: [fault] } });
      const ride = world.write('rides/ride.fit', makeRecording());
      expireAccess(world);
      for (const args of [
        ['upload', ride],
        ['watch', '--once', dirname(ride)],
      ]) {
        const { code, stdout } = await world.sync([...args, '--json'], { clock: hastyClock });
        expect(code).toBe(exitCode);
        expect(ndjson(stdout)).toContainEqual(
          expect.objectContaining({ type: 'upload', outcome: 'failed', code: errorCode }),
        );
      }
      expect(requestCounts(world.sandbox)).not.toHaveProperty('upload-fit');
      world.sandbox.control.clearFaults();
      expect((await world.sync(['watch', '--once', dirname(ride)])).code).toBe(0);
      const [ada] = world.sandbox.control.state('athlete-1').athletes;
      expect(ada?.recordings.map(({ receivedCount }) => receivedCount)).toEqual([1]);
    },
  );
});
