import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../../src/base/errors.ts';
import {
  type World,
  filesHolding,
  openLoggedInWorld,
  openWorld,
  requestLines,
} from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { until } from '../support/until.ts';

describe('tokens of the environment', () => {
  it('an access token alone is used without storing or refreshing anything', async () => {
    const world = await openWorld();
    const { access_token } = world.sandbox.control.mint();
    const env = { SYNC_ACCESS_TOKEN: access_token, SYNC_CLIENT_ID: undefined };
    const ride = world.write('ride.fit', makeRecording());
    const lines = await world.lines(['upload', ride], { env });
    expect(lines[0]).toMatchObject({ outcome: 'uploaded' });
    // The second run knows what the first did.
    expect((await world.sync(['upload', ride], { env })).stdout).toContain('Nothing to send.');
    expect((await world.sync(['token'], { env })).stdout).toBe(`${access_token}\n`);
    expect(filesHolding(world.home.dir, [access_token])).toEqual([]);
    expect(existsSync(join(world.home.dir, 'state', 'logins'))).toBe(false);

    world.sandbox.control.expire();
    world.sandbox.control.clearRequests();
    const another = world.write('another.fit', makeRecording({ seed: 2 }));
    expect((await world.sync(['upload', '--json', another], { env })).code).toBe(4);
    expect(requestLines(world.sandbox).filter((line) => line.startsWith('token'))).toEqual([]);
  });

  it('a token takes precedence over a stored login', async () => {
    const world = await openLoggedInWorld();
    const { access_token } = world.sandbox.control.mint({ athlete: 'athlete-2' });
    await world.sync(['upload', world.write('ride.fit', makeRecording())], {
      env: { SYNC_ACCESS_TOKEN: access_token },
    });
    const { athletes } = world.sandbox.control.state();
    expect(athletes.map(({ recordings }) => recordings.length)).toEqual([0, 1, 0]);
  });

  it.each(['keep', 'rotate'] as const)(
    'a refresh token alone fetches an access token and warns if it was rotated (%s)',
    async (refreshToken) => {
      const world = await openWorld({ sandbox: { settings: { refreshToken } } });
      const env = { SYNC_REFRESH_TOKEN: world.sandbox.control.mint().refresh_token };
      const ride = world.write('ride.fit', makeRecording());
      const { code, stderr } = await world.sync(['upload', ride], { env });
      expect(code).toBe(0);
      const replaced = refreshToken === 'rotate';
      if (replaced) expect(stderr).toContain('SYNC_REFRESH_TOKEN no longer works after this run');
      else expect(stderr).toBe('');
      // It serves another run unless it was replaced.
      expect((await world.sync(['workouts'], { env })).code).toBe(replaced ? 4 : 0);
      expect(filesHolding(world.home.dir, ['sbx_rt_', 'sbx_at_'])).toEqual([]);
    },
  );
});

const upload = (world: World, ...args: string[]) =>
  world.sync(['upload', world.write('ride.fit', makeRecording()), ...args]);

type RealRun = (world: World) => Promise<{ code: number | null }>;

/** A real run for each exit code. */
const RUNS: Readonly<Record<keyof typeof ExitCode, RealRun>> = {
  ok: (world) => upload(world),
  async internal(world) {
    await upload(world);
    const ledger = join(world.home.dir, 'state', 'ledger.db');
    expect(readFileSync(ledger).subarray(0, 6).toString()).toBe('SQLite');
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(ledger + end)) writeFileSync(ledger + end, 'x'.repeat(8192));
    }
    return await upload(world);
  },
  usage: (world) => upload(world, '--frobnicate'),
  invalidInput: (world) => upload(world, world.write('letter.fit', 'Dear diary')),
  async loginNeeded(world) {
    await world.sync(['logout']);
    return await upload(world);
  },
  async unavailable(world) {
    await world.sandbox.close();
    return await upload(world);
  },
  refused(world) {
    world.sandbox.control.addFaults('upload-fit:422');
    return upload(world);
  },
  async interrupted(world) {
    world.sandbox.control.addFaults('upload-fit:hang');
    const running = world.start(['upload', world.write('ride.fit', makeRecording())]);
    await until(() => world.sandbox.control.requests().length > 0);
    running.child.kill('SIGINT');
    return await running.finished;
  },
};

describe('the exit code', () => {
  it.each(Object.keys(RUNS) as (keyof typeof ExitCode)[])('is that of "%s"', async (name) => {
    expect((await RUNS[name](await openLoggedInWorld())).code).toBe(ExitCode[name]);
  });

  it.each<[number, string, { faults?: string[]; scopes?: 'profile:read'[] }]>([
    [4, 'a scope is missing', { scopes: ['profile:read'] }],
    [5, 'the platform keeps failing', { faults: ['upload-fit:503*4', 'upload-fit:422'] }],
    [6, 'the platform refuses one', { faults: ['upload-fit:422'] }],
    [3, 'only the letter was wrong', {}],
  ])('exits %i for several files if %s', async (exitCode, _why, { faults = [], scopes }) => {
    const world = await openLoggedInWorld(scopes === undefined ? {} : { login: { scopes } });
    world.sandbox.control.addFaults(...faults);
    const paths = [
      world.write('letter.fit', 'Dear diary'),
      ...[1, 2, 3].map((seed) => world.write(`ride-${seed}.fit`, makeRecording({ seed }))),
    ];
    expect((await world.sync(['upload', '--jobs', '1', ...paths])).code).toBe(exitCode);
  });
});
