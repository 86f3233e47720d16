import { describe, expect, it } from 'vitest';
import {
  openHome,
  openLoggedInWorld,
  requestCounts,
  sha256,
  worldOf,
} from '../support/acceptance.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const START = new Date('2026-02-15T07:10:00Z');
const ride = makeRecording({ seed: 5, startTime: START, durationSecs: 60 });
/** The same start and file id, other bytes: it becomes the same workout. */
const copy = makeRecording({ seed: 5, startTime: START, durationSecs: 50 });

async function openWithRide() {
  const world = await openLoggedInWorld();
  world.write('ride.fit', ride);
  expect((await world.sync(['upload', 'ride.fit'])).code).toBe(0);
  const undo = async (...flags: string[]) => {
    const { code, stdout } = await world.sync(['undo', 'upload', ...flags, '--json']);
    return [code, ...ndjson(stdout).filter(({ type }) => type !== 'summary')];
  };
  const titles = async () => {
    const { stdout } = await world.sync(['workouts', '--json']);
    return ndjson(stdout).flatMap((line) => (line['type'] === 'workout' ? [line['title']] : []));
  };
  return { world, undo, titles };
}

describe('sync undo upload', () => {
  it('removes the workout, and the recording is sent again only with --force', async () => {
    const { world, undo, titles } = await openWithRide();
    expect(await undo('ride.fit')).toMatchObject([
      2,
      { code: 'USAGE', message: /Nothing was removed/ },
    ]);
    expect(await undo('2026-02-15', '--dry-run')).toMatchObject([0, { outcome: 'would-undo' }]);
    expect(await titles()).toHaveLength(1);
    expect(await undo('2026-02-15', '--yes')).toMatchObject([
      0,
      { type: 'undo', outcome: 'undone', sha256: sha256(ride), path: 'ride.fit' },
    ]);
    expect(await titles()).toEqual([]);
    expect(await undo('ride.fit', '--yes')).toMatchObject([0, { outcome: 'skipped' }]);
    expect((await world.sync(['verify'])).stdout).toBe(
      'No recording to verify: none was uploaded from here, except undone ones.\n',
    );
    expect(await world.sync(['upload', 'ride.fit'])).toMatchObject({
      stdout: 'Nothing to send. 1 file: 1 undone before (--force sends them again).\n',
    });
    const watched = await world.sync(['watch', '.', '--once', '--json']);
    expect([watched.code, await titles()]).toEqual([0, []]);
    expect((await world.sync(['explain', 'ride.fit'])).stdout).toMatch(/^ride\.fit: undone\./);
    expect((await world.sync(['status'])).stdout).toContain(
      '0 recordings at the platform, 1 undone',
    );
    await world.sync(['upload', '--force', 'ride.fit']);
    expect(await titles()).toHaveLength(1);
  });

  it('keeps a workout that is also that of another recording', async () => {
    const { world, undo, titles } = await openWithRide();
    world.write('copy.fit', copy);
    await world.sync(['upload', '--force', 'copy.fit']);
    expect(await titles()).toHaveLength(1);
    expect(await undo('ride.fit', '--yes')).toMatchObject([
      6,
      { outcome: 'conflict', message: /also that of copy\.fit/ },
    ]);
    expect(await titles()).toHaveLength(1);
  });

  it('asks for an upload first if an earlier one has no answer', async () => {
    const world = await openLoggedInWorld();
    world.write('ride.fit', ride);
    world.sandbox.control.addFaults('upload-fit:504(after)*inf');
    expect((await world.sync(['upload', 'ride.fit'])).code).toBe(5);
    world.sandbox.control.clearFaults();
    const undo = ['undo', 'upload', 'ride.fit', '--yes'];
    expect(await world.sync(undo)).toMatchObject({
      code: 6,
      stdout: expect.stringContaining('may have it: run `sync upload ride.fit`') as string,
    });
    expect(world.recordings()).toHaveLength(1);
    expect((await world.sync(['upload', 'ride.fit'])).code).toBe(0);
    expect(await world.sync(undo)).toMatchObject({ code: 0, stdout: /^ride\.fit: undone\./ });
  });

  it('says so if the platform offers no such route, and changes nothing', async () => {
    const { world, undo, titles } = await openWithRide();
    world.sandbox.control.addFaults('workout-removal:405*inf');
    expect(await undo('ride.fit', '--yes')).toMatchObject([
      6,
      { outcome: 'conflict', message: /does not let applications remove workouts/ },
    ]);
    expect(await titles()).toHaveLength(1);
    expect((await world.sync(['status'])).stdout).toContain('1 recording at the platform');
  });
});

describe('sync undo upload, killed while the platform has its request', () => {
  const [KILLED, REFUSED] = ['workout-removal:hang-after', 'workout-removal:hang'];

  /** Starts `undo upload`, and kills it once the platform has the request. */
  async function openKilled(fault: string) {
    const { undo, ...opened } = await openWithRide();
    const { world } = opened;
    world.sandbox.control.addFaults(fault);
    const running = world.start(['undo', 'upload', 'ride.fit', '--yes']);
    await until(() => 'workout-removal' in requestCounts(world.sandbox));
    running.child.kill('SIGKILL');
    await running.finished;
    world.sandbox.control.clearFaults();
    world.sandbox.control.clearRequests();
    return { ...opened, undo };
  }

  it.each([
    ['removed the workout', KILLED, {}],
    ['has not removed the workout', REFUSED, { 'workout-removal': 1 }],
  ])('is finished by the same command if the platform %s', async (_, fault, requests) => {
    const { world, undo, titles } = await openKilled(fault);
    expect(await undo('ride.fit', '--yes')).toMatchObject([
      0,
      { outcome: 'undone', message: /^undone\./, workoutId: 'workout-1' },
    ]);
    expect(requestCounts(world.sandbox)).toMatchObject(requests);
    expect('workout-removal' in requestCounts(world.sandbox)).toBe(fault === REFUSED);
    expect(await titles()).toEqual([]);
    expect(await undo('ride.fit', '--yes')).toMatchObject([0, { outcome: 'skipped' }]);
  });

  it('is named by upload, watch, explain and status, which send nothing', async () => {
    const { world } = await openKilled(KILLED);
    const named = 'partly undone (`sync undo upload FILE` finishes it)';
    expect(await world.sync(['upload', '.'])).toMatchObject({
      code: 0,
      stdout: `Nothing to send. 1 file: 1 ${named}.\n`,
    });
    const watched = await world.sync(['watch', '.', '--once']);
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining(named)]);
    expect((await world.sync(['explain', 'ride.fit'])).stdout).toContain(
      'ride.fit: partly undone. `sync undo upload ride.fit` was interrupted',
    );
    expect((await world.sync(['status'])).stdout).toContain(
      `0 recordings at the platform, 1 ${named}`,
    );
    expect(requestCounts(world.sandbox)).not.toHaveProperty('upload-fit');
  });

  it.each([
    ['sends a recording whose workout is gone', KILLED, 'uploaded'],
    ['finds a recording whose workout is there', REFUSED, 'duplicate'],
  ])('is ended by upload --force, which %s', async (_, fault, outcome) => {
    const { world, undo, titles } = await openKilled(fault);
    const lines = await world.lines(['upload', '--force', 'ride.fit']);
    expect(lines[0]).toMatchObject({ outcome });
    const order = world.sandbox.control.requests().map(({ route }) => route);
    expect(order.indexOf('workouts')).toBeLessThan(order.indexOf('upload-fit'));
    expect(await titles()).toHaveLength(1);
    expect(await undo('ride.fit', '--yes')).toMatchObject([0, { outcome: 'undone' }]);
    expect(await titles()).toEqual([]);
  });

  it('leaves the recording at the platform if that refuses it with upload --force', async () => {
    const { world, titles } = await openKilled(REFUSED);
    world.sandbox.control.addFaults('upload-fit:400');
    const lines = await world.lines(['upload', '--force', 'ride.fit'], { code: 6 });
    expect(lines[0]).toMatchObject({ outcome: 'rejected' });
    expect(await titles()).toHaveLength(1);
    expect((await world.sync(['status'])).stdout).toContain('1 recording at the platform');
  });

  it('is finished by seed --remove', async () => {
    const world = await openLoggedInWorld();
    const seed = ['seed', '--days', '3', '--until', '2026-05-17', '--seed', '7', '--tz', 'UTC'];
    await world.sync(seed);
    const { length } = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
    world.sandbox.control.addFaults(KILLED);
    const running = world.start([...seed, '--remove']);
    await until(() => 'workout-removal' in requestCounts(world.sandbox));
    running.child.kill('SIGKILL');
    await running.finished;
    world.sandbox.control.clearFaults();
    const lines = await world.lines([...seed, '--remove']);
    const outcomes = lines.filter(({ type }) => type === 'undo').map(({ outcome }) => outcome);
    expect([length > 0, outcomes]).toEqual([true, Array(length).fill('undone')]);
  });
});

it('keeps a recording as sent if the platform refuses to remove its workout', async () => {
  const { world, undo } = await openWithRide();
  world.sandbox.control.addFaults('workout-removal:403');
  expect((await undo('ride.fit', '--yes'))[0]).toBe(6);
  expect((await world.sync(['status'])).stdout).toContain('1 recording at the platform');
});

it('sync upload makes one workout of a recording and its repaired copy, sent by two computers', async () => {
  const { world, titles } = await openWithRide();
  world.sandbox.control.clearState();
  world.sandbox.control.clearRequests();
  const { access_token } = world.sandbox.control.mint();
  const env = { SYNC_BASE_URL: world.sandbox.url, SYNC_ACCESS_TOKEN: access_token };
  const one = worldOf(world.sandbox, openHome(env));
  const two = worldOf(world.sandbox, openHome(env));
  one.write('whole.fit', ride);
  two.write('cut.fit', truncated(ride, 200));
  expect((await two.sync(['repair', 'cut.fit'])).code).toBe(0);
  expect((await two.sync(['upload', 'cut.repaired.fit'])).code).toBe(0);
  expect((await one.sync(['upload', 'whole.fit'])).code).toBe(0);
  expect(requestCounts(world.sandbox)).toMatchObject({ 'upload-fit': 2 });
  expect(await titles()).toHaveLength(1);
});

describe('sync verify', () => {
  it('says that a recording with several sports became one leg', async () => {
    const world = await openLoggedInWorld();
    const legs = { seed: 1, sport: 5, furtherSports: [2, 1], durationSecs: 900 };
    world.write('tri.fit', makeRecording({ ...legs, startTime: START }));
    await world.sync(['upload', 'tri.fit']);
    const { code, stdout } = await world.sync(['verify']);
    expect([code, stdout]).toEqual([0, /one activity of a recording/]);
    expect(stdout).toContain('1 recording: 1 is a workout (1 shorter than recorded).');
  });

  it('compares days with --days, and names the scope that the login lacks', async () => {
    const world = await openLoggedInWorld();
    // Coach Watts rounds energies.
    const sent = { date: '2026-02-15', restingHr: 50, activeCaloriesBurned: 512.6 };
    world.write('days.json', JSON.stringify([sent]));
    await world.sync(['push', 'wellness', 'days.json']);
    const verify = async () => {
      const { code, stdout } = await world.sync(['verify', '--days', '--json']);
      return [code, ...ndjson(stdout).slice(-2)];
    };
    const { env } = world.home;
    const { control } = world.sandbox;
    const scopes = ['workout:read', 'health:write'] as const;
    env['SYNC_ACCESS_TOKEN'] = control.mint({ scopes: [...scopes] }).access_token;
    expect(await verify()).toMatchObject([4, { code: 'SCOPE_MISSING', message: /health:read/ }]);
    delete env['SYNC_ACCESS_TOKEN'];
    const last = { type: 'summary', total: 0 };
    const day = { type: 'verify-day', kind: 'wellness', date: '2026-02-15' };
    expect(await verify()).toMatchObject([0, { ...day, outcome: 'present', differs: [] }, last]);
    world.sandbox.control.clearState();
    expect(await verify()).toMatchObject([6, { ...day, outcome: 'missing' }, last]);
    world.sandbox.control.addFaults('wellness-list:404*inf');
    expect(await verify()).toMatchObject([0, { ...day, outcome: 'unseen' }, last]);
    // One line for all days: a platform that shows none has a history of thousands.
    const { stdout } = await world.sync(['verify', '--days']);
    expect(stdout).not.toContain('2026-02-15');
    expect(stdout).toContain('1 day: 1 not compared, because the platform does not show');
  });
});
