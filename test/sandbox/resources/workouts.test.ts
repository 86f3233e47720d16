import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeRecording } from '../../support/fit-maker.ts';
import { realRecordings } from '../../support/real-recordings.ts';
import type { SandboxWorkout } from '../../../src/sandbox/resources/recordings.ts';
import { bearer, manualClock, openApp, postJson, upload } from '../support.ts';

type Sandbox = ReturnType<typeof openApp>;

async function list(
  sandbox: Sandbox,
  query = '',
  athlete = 'athlete-1',
): Promise<SandboxWorkout[]> {
  const headers = bearer(sandbox, ['workout:read'], athlete);
  const response = await sandbox.app.request(`/api/workouts${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as SandboxWorkout[];
}

async function add(sandbox: Sandbox, content: Uint8Array, name?: string, athlete = 'athlete-1') {
  await upload(
    sandbox,
    [
      { name: 'file', fileName: 'a.fit', content },
      ...(name === undefined ? [] : [{ name: 'name', content: name }]),
    ],
    bearer(sandbox, ['workout:write'], athlete),
  );
}

/** Rides on days 1 to `count` of February 2026, 08:00 UTC, uploaded in a jumbled order. */
async function withRides(count: number): Promise<Sandbox> {
  const sandbox = openApp();
  const days = Array.from({ length: count }, (_, index) => ((index * 7) % count) + 1);
  for (const day of days) {
    const startTime = new Date(Date.UTC(2026, 1, day, 8));
    await add(sandbox, makeRecording({ seed: day, startTime, durationSecs: 20 }), `Day ${day}`);
  }
  return sandbox;
}

describe('the list of workouts', () => {
  it('shows the facts of an uploaded recording', async () => {
    const sandbox = openApp();
    const startTime = new Date('2026-02-15T07:30:00Z');
    await add(sandbox, makeRecording({ seed: 1, startTime, durationSecs: 600 }), 'Morning ride');
    const [workout, ...others] = await list(sandbox);
    expect(others).toEqual([]);
    expect(workout).toEqual({
      id: 'workout-1',
      userId: 'athlete-1',
      externalId: `fit_${startTime.getTime()}_a_fit`,
      date: '2026-02-15T07:30:00.000Z',
      title: 'Morning ride',
      type: 'Ride',
      durationSec: 600,
      distanceMeters: expect.any(Number) as number,
      averageWatts: expect.any(Number) as number,
      averageHr: expect.any(Number) as number,
      tss: null,
      source: 'fit_file',
      tags: [],
      isDuplicate: false,
    });
    expect(workout?.distanceMeters).toBeGreaterThan(0);
    const again = await upload(sandbox, [
      {
        name: 'file',
        fileName: 'a.fit',
        content: makeRecording({ seed: 1, startTime, durationSecs: 600 }),
      },
    ]);
    expect(await again.json()).toMatchObject({ results: { items: [{ workoutId: 'workout-1' }] } });
  });

  it('is newest first, with limit and offset', async () => {
    const sandbox = await withRides(9);
    const titles = async (query: string) => (await list(sandbox, query)).map(({ title }) => title);
    expect(await titles('')).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((day) => `Day ${day}`));
    expect(await titles('?limit=2')).toEqual(['Day 9', 'Day 8']);
    expect(await titles('?limit=2&offset=7')).toEqual(['Day 2', 'Day 1']);
    expect(await titles('?offset=9')).toEqual([]);
  });

  it('filters by date and type, and excludes the day endDate', async () => {
    const sandbox = await withRides(5);
    const swim = {
      seed: 99,
      sport: 5,
      startTime: new Date('2026-02-03T20:00:00Z'),
      durationSecs: 20,
    };
    await add(sandbox, makeRecording(swim), 'Pool');
    const titles = async (query: string) => (await list(sandbox, query)).map(({ title }) => title);
    expect(await titles('?startDate=2026-02-02&endDate=2026-02-04')).toEqual([
      'Pool',
      'Day 3',
      'Day 2',
    ]);
    expect(await titles('?startDate=2026-02-02&endDate=2026-02-02')).toEqual([]);
    expect(await titles('?limit=0')).toEqual([]);
    expect(await titles('?endDate=2026-02-03T08:00:00Z')).toEqual(['Day 2', 'Day 1']);
    expect(await titles('?startDate=2026-02-05T09:30:00%2B02:00')).toEqual(['Day 5']);
    expect(await titles('?type=Swim')).toEqual(['Pool']);
  });

  it('contains only the athlete’s workouts, and no failed recordings', async () => {
    const sandbox = openApp();
    await add(sandbox, makeRecording({ seed: 1, durationSecs: 20 }), 'Mine');
    await add(sandbox, makeRecording({ seed: 2, durationSecs: 20 }), 'Theirs', 'athlete-2');
    const settings = new Uint8Array(makeRecording({ seed: 3, durationSecs: 20 }));
    settings.fill(0xff, 40, 200); // a valid header with invalid data
    await add(sandbox, settings, 'Broken');
    expect((await list(sandbox)).map(({ title }) => title)).toEqual(['Mine']);
    expect((await list(sandbox, '', 'athlete-2')).map(({ title }) => title)).toEqual(['Theirs']);
    const held = sandbox.control.state('athlete-1').athletes[0]?.recordings;
    expect(held?.map(({ processing }) => processing)).toEqual(['workout', 'none']);
  });

  it('shows the first leg of a recording with several sports, titled by its file', async () => {
    const sandbox = openApp();
    await add(
      sandbox,
      makeRecording({ seed: 1, sport: 5, furtherSports: [2, 1], durationSecs: 90 }),
    );
    expect(await list(sandbox)).toMatchObject([{ title: 'a', type: 'Swim', durationSec: 30 }]);
  });

  it.each(['limit=x', 'offset=-1', 'startDate=today'])('answers %s with 500', async (query) => {
    const sandbox = openApp();
    const headers = bearer(sandbox);
    expect((await sandbox.app.request(`/api/workouts?${query}`, { headers })).status).toBe(500);
  });

  it('hides duplicates unless includeDuplicates is set', async () => {
    const sandbox = openApp();
    await add(sandbox, makeRecording({ seed: 1, durationSecs: 20 }), 'Twice');
    await sandbox.control.process({ outcome: 'duplicate' });
    expect(await list(sandbox)).toEqual([]);
    expect(await list(sandbox, '?includeDuplicates=true')).toMatchObject([
      { title: 'Twice', isDuplicate: true },
    ]);
  });
});

describe('a workout', () => {
  const startTime = new Date('2026-02-15T07:30:00Z');
  const ride = (seed: number) => makeRecording({ seed, startTime, durationSecs: 20 });
  const send = (sandbox: Sandbox, method: string, id = 'workout-1') =>
    Promise.resolve(
      sandbox.app.request(`/api/workouts/${id}`, {
        method,
        headers: { ...bearer(sandbox), 'content-type': 'application/json' },
        ...(method === 'PATCH' ? { body: JSON.stringify({ title: 'Renamed' }) } : {}),
      }),
    );

  it('has one start and file name, can be renamed, and is removed with its recordings', async () => {
    const sandbox = openApp();
    await add(sandbox, ride(1), 'First');
    await add(sandbox, ride(2), 'Second');
    expect(await list(sandbox)).toMatchObject([{ id: 'workout-1', title: 'Second' }]);
    const renamed = await send(sandbox, 'PATCH');
    expect(await renamed.json()).toMatchObject({ success: true, workout: { title: 'Renamed' } });
    expect(await list(sandbox)).toMatchObject([{ title: 'Renamed' }]);
    expect(await (await send(sandbox, 'DELETE')).json()).toEqual({ success: true });
    expect(await list(sandbox)).toEqual([]);
    expect(sandbox.control.state('athlete-1').athletes[0]?.recordings).toEqual([]);
    for (const method of ['PATCH', 'DELETE'])
      expect((await send(sandbox, method)).status).toBe(404);
    await add(sandbox, ride(1), 'Again');
    expect(await list(sandbox)).toMatchObject([{ title: 'Again' }]);
  });

  it('of the same start under another file name is another one', async () => {
    const sandbox = openApp();
    await add(sandbox, ride(1));
    await upload(sandbox, [{ name: 'file', fileName: 'b.fit', content: ride(2) }]);
    expect((await list(sandbox)).map(({ id }) => id).sort()).toEqual(['workout-1', 'workout-2']);
  });

  it('leaves its ID to no other one after its removal', async () => {
    const sandbox = openApp();
    await add(sandbox, ride(1), 'First');
    await list(sandbox);
    await send(sandbox, 'DELETE');
    await add(sandbox, ride(2), 'Second');
    expect(await list(sandbox)).toMatchObject([{ id: 'workout-2', title: 'Second' }]);
  });

  it('keeps its ID for itself after the removal of an earlier one', async () => {
    const sandbox = await withRides(2);
    const titles = async () => (await list(sandbox)).map(({ title }) => title);
    expect(await titles()).toEqual(['Day 2', 'Day 1']);
    await send(sandbox, 'DELETE');
    await add(sandbox, ride(3), 'Day 15');
    expect(await titles()).toEqual(['Day 15', 'Day 2']);
  });
});

describe('processing', () => {
  const states = (sandbox: Sandbox) =>
    sandbox.control.state('athlete-1').athletes[0]?.recordings.map((each) => each.processing);

  it('is delayed by processingMs', async () => {
    const clock = manualClock();
    const sandbox = openApp({ settings: { processingMs: 5000 }, now: clock.now });
    await add(sandbox, makeRecording({ seed: 1, durationSecs: 20 }), 'Slow');
    clock.advance(4999);
    expect([await list(sandbox), states(sandbox)]).toEqual([[], ['queued']]);
    clock.advance(1);
    expect((await list(sandbox)).map(({ title }) => title)).toEqual(['Slow']);
  });

  it('waits for the control endpoint if processingMs is null, and can end without a workout', async () => {
    const sandbox = openApp({ settings: { processingMs: null } });
    const good = makeRecording({ seed: 1, durationSecs: 20 });
    const bad = makeRecording({ seed: 2, durationSecs: 20 });
    await add(sandbox, good, 'Good');
    await add(sandbox, bad, 'Bad');
    await add(sandbox, makeRecording({ seed: 3, durationSecs: 20 }), 'Waits');
    const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(await list(sandbox)).toEqual([]);
    await sandbox.control.process({ sha256: sha(good) });
    const answer = await postJson(sandbox, '/_sandbox/process', {
      sha256: sha(bad),
      outcome: 'none',
    });
    expect(answer.status).toBe(204);
    expect((await list(sandbox)).map(({ title }) => title)).toEqual(['Good']);
    expect(states(sandbox)).toEqual(['workout', 'none', 'queued']);
    // Uploading the file again queues a failed recording.
    await add(sandbox, bad, 'Bad');
    expect(states(sandbox)).toEqual(['workout', 'queued', 'queued']);
    expect((await postJson(sandbox, '/_sandbox/process', { sha256: 'x' })).status).toBe(404);
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it('become workouts if they contain one', async () => {
    const sandbox = openApp();
    for (const name of realRecordings.names()) await add(sandbox, realRecordings.read(name), name);
    const workouts = await list(sandbox);
    expect(workouts.map(({ date, title, type }) => [date.slice(0, 10), type, title])).toEqual([
      ['2026-02-22', 'Ride', 'trainingpeaks-virtual-developer-fields.fit'],
      ['2026-01-10', 'Ride', 'MyNewActivity-5.6.0.fit'],
      ['2025-11-19', 'Ride', 'coros-dura-ride.fit'],
      ['2025-04-17', 'Ride', 'zwift-ride.fit'],
      ['2025-04-17', 'Ride', 'garmin-edge840-indoor-ride.fit'],
      ['2025-04-01', 'Ride', 'onelap-12-byte-header.fit'],
      ['2020-10-17', 'Ride', 'bryton-compressed-timestamps.fit'],
      // Cut off before its session.
      ['2020-09-12', 'Generic', 'corrupt-sigma-data-past-end.fit'],
      ['2019-02-17', 'Ride', '2019-02-17-062644-ELEMNT-297E-195-0.fit'],
      ['2018-06-14', 'Run', 'chained-garmin-fr920xt-run.fit'],
      ['2015-08-29', 'Generic', 'garmin-fenix2-multisport.fit'],
    ]);
    const edge = workouts.find(({ title }) => title.startsWith('garmin-edge840'));
    expect(edge).toMatchObject({
      date: '2025-04-17T18:33:51.000Z',
      durationSec: 3532,
      distanceMeters: 30771.06,
      averageWatts: 198,
      averageHr: 139,
      tss: 63.1,
    });
  });
});
