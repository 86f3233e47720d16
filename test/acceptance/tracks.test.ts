import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  KINDS,
  type World,
  openHome,
  openLoggedInWorld,
  play,
  requestLines,
  worldOf,
} from '../support/acceptance.ts';
import { type TrackPoint, TRACK_START, fit, gpx, ridePoints, tcx } from '../support/tracks.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { DatabaseSync } from '../support/sqlite.ts';
import { makeZip } from '../support/zip-maker.ts';
import { systemClock } from '../../src/system/this-process.ts';

const HOUR = 3600;
const ride = ridePoints(HOUR, { step: 5, hr: 140 });
const track = (points: readonly TrackPoint[] = ride) =>
  gpx([{ name: 'Evening loop', type: 'cycling', segments: [points] }]);

/** The outcome of each file, with its reason. */
async function outcomes(world: World, args: readonly string[], code = 0) {
  const lines = await world.lines(args, { code });
  const all: Record<string, string> = {};
  for (const { type, path, outcome, reason, by } of lines) {
    const why = reason ?? by;
    const words = [outcome, ...(why === undefined ? [] : [why])] as string[];
    if (type === 'upload') all[path as string] = words.join(' ');
  }
  return all;
}

/** A second computer of the same athlete, with a ledger of its own. */
function otherComputer({ sandbox }: World): World {
  const { access_token } = sandbox.control.mint();
  return worldOf(
    sandbox,
    openHome({ SYNC_BASE_URL: sandbox.url, SYNC_ACCESS_TOKEN: access_token }),
  );
}

async function workouts(world: World) {
  const lines = await world.lines(['workouts', '--limit', '1000']);
  return lines.filter(({ type }) => type === 'workout');
}

describe('a GPX or TCX file', () => {
  it('that was sent and is named with --name gives its workout that name', async () => {
    const world = await openLoggedInWorld();
    world.write('a/loop.gpx', track());
    await world.lines(['upload', 'a/loop.gpx']);
    await world.sandbox.control.process();
    const lines = await world.lines(['upload', 'a/loop.gpx', '--name', 'Albis']);
    expect(lines[0]).toMatchObject({ outcome: 'duplicate', note: 'The workout has the new name.' });
    expect(await workouts(world)).toMatchObject([{ title: 'Albis' }]);
    expect(await outcomes(world, ['upload', 'a', '--name', 'Other'])).toEqual({
      'a/loop.gpx': 'skipped already-uploaded',
    });
  });

  it('becomes one workout with its name, by path, packed, renamed, from an archive and another computer', async () => {
    const world = await openLoggedInWorld();
    world.write('a/loop.gpx', track());
    expect(await outcomes(world, ['upload', 'a/loop.gpx'])).toEqual({ 'a/loop.gpx': 'uploaded' });
    expect(await workouts(world)).toMatchObject([{ title: 'Evening loop', durationSec: HOUR }]);
    world.write('b/other name.gpx.gz', gzipSync(track()));
    world.write('c.zip', makeZip([{ name: 'x/y.gpx', bytes: track() }]));
    expect(await outcomes(world, ['upload', 'a', 'b', 'c.zip'])).toEqual({
      'a/loop.gpx': 'skipped already-uploaded',
      'b/other name.gpx.gz': 'skipped already-uploaded',
      'c.zip/x/y.gpx': 'skipped already-uploaded',
    });
    world.sandbox.control.clearRequests();
    await outcomes(world, ['upload', 'a', 'b', 'c.zip']);
    expect(requestLines(world.sandbox)).toEqual([]);
    const other = otherComputer(world);
    other.write('copy.gpx', track());
    expect(await outcomes(other, ['upload', 'copy.gpx'])).toEqual({ 'copy.gpx': 'duplicate' });
    expect(await workouts(world)).toHaveLength(1);
  });

  it('with a blank name is named by its sport', async () => {
    const world = await openLoggedInWorld();
    world.write('1.gpx', gpx([{ name: ' ', type: 'cycling', segments: [ride] }]));
    const [line] = await world.lines(['upload', '1.gpx']);
    expect(line).toMatchObject({ outcome: 'uploaded', activity: { name: 'Ride' } });
    expect(await workouts(world)).toMatchObject([{ title: 'Ride' }]);
  });

  it('is explained, verified and undone by its file', async () => {
    const world = await openLoggedInWorld();
    world.write('loop.gpx', track());
    const explain = async () => (await world.lines(['explain', 'loop.gpx']))[0];
    expect(await explain()).toMatchObject({ state: 'new' });
    await world.lines(['upload', 'loop.gpx']);
    expect(await explain()).toMatchObject({ state: 'uploaded', upload: { path: 'loop.gpx' } });
    expect(await world.lines(['verify'])).toMatchObject([
      { path: 'loop.gpx', outcome: 'present' },
      { present: 1 },
    ]);
    const undone = await world.lines(['undo', 'upload', 'loop.gpx', '--yes']);
    expect(undone).toContainEqual(expect.objectContaining({ outcome: 'undone' }));
    expect(await workouts(world)).toEqual([]);
    expect(await outcomes(world, ['upload', 'loop.gpx'])).toEqual({ 'loop.gpx': 'skipped undone' });
    const [found] = await world.lines(['import', 'loop.gpx', '--yes']);
    expect(found).toMatchObject({ kind: 'undone', files: 1, sends: false });
    expect(await outcomes(world, ['upload', '--force', 'loop.gpx'])).toEqual({
      'loop.gpx': 'uploaded',
    });
  });

  it('that is no activity has the same exit code by name and in a folder', async () => {
    const world = await openLoggedInWorld();
    world.write('r/route.gpx', '<gpx><rte><rtept lat="1" lon="2"/></rte></gpx>');
    const skipped = { 'r/route.gpx': 'skipped not-an-activity' };
    expect(await outcomes(world, ['upload', 'r/route.gpx'])).toEqual(skipped);
    const known = await world.sync(['upload', 'r/route.gpx']);
    expect(await outcomes(world, ['upload', 'r'])).toEqual(skipped);
    const reason = 'r/route.gpx: not sent. It holds a route, not a recorded activity.';
    expect(known.stdout).toContain(reason);
    expect((await world.sync(['upload', 'r'])).stdout).not.toContain('r/route.gpx');
    world.write('r/cut.gpx', track().slice(0, -40));
    const invalid = { 'r/cut.gpx': 'invalid incomplete' };
    expect(await outcomes(world, ['upload', 'r/cut.gpx'], 3)).toEqual(invalid);
    expect(await outcomes(world, ['upload', 'r'], 3)).toEqual({ ...skipped, ...invalid });
  });

  it('shows its requests with --dry-run, which are those that are sent', async () => {
    const world = await openLoggedInWorld();
    world.write('brick.tcx', tcx([{ sport: 'Biking', laps: [{ points: ride }] }]));
    const [line] = await world.lines(['upload', 'brick.tcx', '--dry-run']);
    expect(line).toMatchObject({ outcome: 'would-upload' });
    expect(await workouts(world)).toEqual([]);
    await world.lines(['upload', 'brick.tcx']);
    const [request] = world.sandbox.control.requests({ route: 'upload-fit' });
    const { parts } = line?.['request'] as { readonly parts: readonly object[] };
    const sent = (request?.parts ?? []).map(({ name, fileName, text, sha256 }) =>
      fileName === null ? { name, value: text } : { name, filename: fileName, sha256 },
    );
    expect(parts).toMatchObject(sent);
  });
});

describe('a GPX file of a ride that a FIT recording has', () => {
  const whole = fit(ride);
  const part = (from: number, to: number) => ride.filter(({ at }) => at >= from && at <= to);
  const leg = (number: number) => part(number * 1200, (number + 1) * 1200);
  const indoorLeg = leg(1).map(({ at }) => ({ at, hr: 120 }));
  const indoors = (furtherSports: readonly number[] = []) =>
    makeRecording({ startTime: new Date(TRACK_START), durationSecs: HOUR, furtherSports });
  /** The same points at the same times, so many metres to the north. */
  const away = (points: readonly TrackPoint[], metres: number) =>
    points.map((at) => ({ ...at, lat: (at.lat ?? 0) + metres / 111_195 }));

  const detour = ride.map((at) =>
    at.at % 3000 < 600 ? at : { ...at, lon: (at.lon ?? 0) + Math.sin((at.at - 600) / 764) / 10 },
  );

  it('waits no longer once it is covered, although an earlier run could not send it', async () => {
    const world = await openLoggedInWorld();
    world.write('r/1.gpx', track());
    world.sandbox.control.addFaults('upload-fit:503*4');
    expect(await outcomes(world, ['upload', 'r'], 5)).toEqual({ 'r/1.gpx': 'failed' });
    world.write('r/2.fit', whole);
    expect(await outcomes(world, ['upload', 'r'])).toMatchObject({ 'r/1.gpx': 'covered r/2.fit' });
    const [explained] = await world.lines(['explain', 'r/1.gpx']);
    expect(explained).toMatchObject({ state: 'covered', reason: /r\/2\.fit/ });
    expect((await world.lines(['status']))[0]).toMatchObject({ waiting: { recordings: [] } });
  });

  it('is covered, and sent by --same-ride', async () => {
    const world = await openLoggedInWorld();
    world.write('r/1.gpx', track());
    world.write('r/2.fit', whole);
    const covered = { 'r/1.gpx': 'covered r/2.fit', 'r/2.fit': 'uploaded' };
    expect(await outcomes(world, ['upload', 'r'])).toEqual(covered);
    const [explained] = await world.lines(['explain', 'r/1.gpx']);
    expect(explained).toMatchObject({ state: 'covered', reason: /r\/2\.fit/ });
    expect(await outcomes(world, ['upload', 'r'])).toEqual({
      'r/1.gpx': 'covered r/2.fit',
      'r/2.fit': 'skipped already-uploaded',
    });
    expect(await workouts(world)).toHaveLength(1);
    expect(await outcomes(world, ['upload', 'r/1.gpx', '--same-ride'])).toEqual({
      'r/1.gpx': 'uploaded',
    });
    expect(await workouts(world)).toHaveLength(2);
  });

  it.each([
    ['a part of 12 minutes', [fit(part(0, 720))], track(), 'uploaded'],
    ['both halves', [fit(part(0, 1800)), fit(part(1800, HOUR), { serial: 2 })], track(), 'covered'],
    [
      'without its heart rate',
      [fit(ride.map((at) => ({ ...at, hr: undefined })))],
      track(),
      'uploaded',
    ],
    ['an hour later', [fit(ride, { start: TRACK_START + HOUR * 1000 })], track(), 'uploaded'],
    [
      'somewhere else, as on a trainer',
      [fit(ride.map((at) => ({ ...at, lat: (at.lat ?? 0) + 0.01 })))],
      track(),
      'uploaded',
    ],
    ['94 % of its time', [fit(part(0, 3380))], track(), 'uploaded'],
    ['96 % of its time', [fit(part(0, 3460))], track(), 'covered'],
    ['and the file is a half of it', [whole], track(part(600, 2400)), 'covered'],
    ['of the race after the warm-up', [fit(part(1200, HOUR))], track(part(0, 1200)), 'uploaded'],
    ['of a companion 20 m behind in a group ride', [whole], track(away(ride, 20)), 'covered'],
    [
      'of a companion who took another way after a third',
      [whole],
      track([...part(0, 1200), ...away(part(1205, HOUR), 400)]),
      'uploaded',
    ],
    [
      'which lost its positions in the detour of 40 minutes',
      [
        fit(
          detour.map(({ lat = 0, lon = 0, ...at }) =>
            at.at % 3000 < 600 ? { ...at, lat, lon } : at,
          ),
        ),
      ],
      track(detour),
      'covered',
    ],
    [
      'and the file is the bike leg of a triathlon',
      [fit(leg(0), { sport: 5 }), fit(leg(1), { serial: 2 }), fit(leg(2), { serial: 3, sport: 1 })],
      track(leg(1)),
      'covered',
    ],
    [
      'and the file has all legs of a triathlon',
      [fit(leg(0), { sport: 5 }), fit(leg(1), { serial: 2 }), fit(leg(2), { serial: 3, sport: 1 })],
      track(),
      'covered',
    ],
    ['and the file is an indoor part of it', [indoors()], track(indoorLeg), 'covered'],
    [
      'and the recording has several sessions, of which the platform takes one',
      [indoors([2, 1])],
      track(indoorLeg),
      'uploaded',
    ],
  ] as const)('is compared with it: %s', async (_, recordings, file, outcome) => {
    const world = await openLoggedInWorld();
    for (const [index, bytes] of recordings.entries()) world.write(`r/${index}.fit`, bytes);
    world.write('r/track.gpx', file);
    const found = await outcomes(world, ['upload', 'r']);
    expect(found['r/track.gpx']?.split(' ')[0]).toBe(outcome);
  });

  it('is sent once what covers it is undone, or never became a workout', async () => {
    const world = await openLoggedInWorld();
    world.write('r/1.gpx', track());
    world.write('r/2.fit', whole);
    await world.lines(['upload', 'r']);
    await world.lines(['undo', 'upload', 'r/2.fit', '--yes']);
    expect(await outcomes(world, ['upload', 'r'])).toEqual({
      'r/1.gpx': 'uploaded',
      'r/2.fit': 'skipped undone',
    });
  });

  it('is sent once what covers it turned out to be no workout', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.settings({ processingMs: 3_600_000 });
    world.write('r/1.gpx', track());
    world.write('r/2.fit', whole);
    const covered = { 'r/1.gpx': 'covered r/2.fit' };
    expect(await outcomes(world, ['upload', 'r'])).toMatchObject(covered);
    await world.sandbox.control.process({ outcome: 'none' });
    expect(await outcomes(world, ['upload', 'r'])).toMatchObject(covered);
    const clock = { ...systemClock, now: () => systemClock.now() + 2 * HOUR * 1000 };
    const lines = await world.lines(['upload', 'r'], { clock });
    expect(lines).toContainEqual(
      expect.objectContaining({ path: 'r/1.gpx', outcome: 'uploaded' }) as unknown,
    );
  });

  it('is sent if the platform refused what would cover it', async () => {
    const world = await openLoggedInWorld();
    world.write('r/1.gpx', track());
    world.write('r/2.fit', whole);
    world.sandbox.control.addFaults('upload-fit:400*1');
    expect(await outcomes(world, ['upload', 'r'], 6)).toEqual({
      'r/1.gpx': 'uploaded',
      'r/2.fit': 'rejected',
    });
  });

  it('is covered by the recording of its ride that the run could not send, and sent if it is named alone', async () => {
    const world = await openLoggedInWorld();
    world.write('r/1.gpx', track());
    world.write('r/2.fit', whole);
    const covered = { 'r/1.gpx': 'covered r/2.fit' };
    world.sandbox.control.addFaults('upload-fit:503(retry-after=600)');
    expect(await outcomes(world, ['upload', 'r'], 5)).toEqual({ ...covered, 'r/2.fit': 'failed' });
    expect(await outcomes(world, ['upload', 'r'])).toEqual({ ...covered, 'r/2.fit': 'uploaded' });
    const other = await openLoggedInWorld();
    other.write('r/1.gpx', track());
    other.write('r/2.fit', whole);
    other.sandbox.control.addFaults('upload-fit:503(retry-after=600)');
    expect(await outcomes(other, ['import', 'r', '--yes'], 5)).toMatchObject(covered);
    expect(await outcomes(other, ['upload', 'r/1.gpx'])).toEqual({ 'r/1.gpx': 'uploaded' });
  });

  it('comes first, and the FIT recording is sent with a note', async () => {
    const world = await openLoggedInWorld();
    world.write('1.gpx', track());
    world.write('2.fit', whole);
    await world.lines(['upload', '1.gpx']);
    const [line] = await world.lines(['upload', '2.fit']);
    expect(line).toMatchObject({ outcome: 'uploaded', sameRideAs: [{ path: '1.gpx' }] });
    expect(await workouts(world)).toHaveLength(2);
  });

  it('is covered by a workout that came to the platform another way', async () => {
    const world = await openLoggedInWorld();
    const other = otherComputer(world);
    other.write('2.fit', whole);
    await other.lines(['upload', '2.fit']);
    world.write('1.gpx', track());
    const found = await outcomes(world, ['upload', '1.gpx']);
    expect(found['1.gpx']).toMatch(/^covered the workout "/);
  });

  it('is sent if such a workout lacks one of its channels', async () => {
    const world = await openLoggedInWorld();
    const other = otherComputer(world);
    other.write('2.fit', fit(ride.map((point) => ({ ...point, hr: undefined }))));
    await other.lines(['upload', '2.fit']);
    world.write('1.gpx', track());
    expect(await outcomes(world, ['upload', '1.gpx'])).toEqual({ '1.gpx': 'uploaded' });
  });

  it('is not named as another recording of its ride, if an earlier version converted it', async () => {
    const world = await openLoggedInWorld();
    world.write('r/track.gpx', track());
    await world.lines(['upload', 'r']);
    const ledger = new DatabaseSync(join(world.home.dir, 'state', 'ledger.db'));
    ledger.exec(`UPDATE uploads SET sha256 = '${'0'.repeat(64)}', converter = 0`);
    ledger.close();
    world.sandbox.control.clearState();
    const [line] = await world.lines(['upload', '--force', 'r/track.gpx']);
    expect(line).toMatchObject({ outcome: 'uploaded' });
    expect(line).not.toHaveProperty('sameRideAs');
  });

  it('is the better one of two conversions', async () => {
    const world = await openLoggedInWorld();
    world.write('r/a.gpx', track(ridePoints(HOUR, { step: 10 })));
    world.write('r/b.tcx', tcx([{ sport: 'Biking', laps: [{ points: ride }] }]));
    world.write('r/c.gpx', track(ride.filter((_, index) => index % 2 === 0)));
    expect(await outcomes(world, ['upload', 'r', '--dry-run'])).toEqual({
      'r/a.gpx': 'covered r/b.tcx',
      'r/b.tcx': 'would-upload',
      'r/c.gpx': 'covered r/b.tcx',
    });
    expect(await outcomes(world, ['upload', 'r'])).toEqual({
      'r/a.gpx': 'covered r/b.tcx',
      'r/b.tcx': 'uploaded',
      'r/c.gpx': 'covered r/b.tcx',
    });
  });
});

describe('two FIT recordings of one ride', () => {
  const zwift = fit(
    ride.map(({ at, power = 200 }) => ({ at, power })),
    { serial: 7 },
  );

  it('are both sent, the second one with a note and the way back', async () => {
    const world = await openLoggedInWorld();
    world.write('watch.fit', fit(ride));
    world.write('zwift.fit', zwift);
    await world.lines(['upload', 'watch.fit']);
    const { stdout } = await world.sync(['upload', 'zwift.fit']);
    expect(stdout).toMatch(
      /uploaded\. The same ride as watch\.fit, sent .* ago; `sync undo upload watch\.fit` removes that one/,
    );
    expect(await workouts(world)).toHaveLength(2);
  });

  it('have the note also if they are sent at the same moment', async () => {
    const world = await openLoggedInWorld();
    world.write('r/watch.fit', fit(ride));
    world.write('r/zwift.fit', zwift);
    world.sandbox.control.addFaults('upload-fit:delay=200ms*inf');
    const lines = await world.lines(['upload', 'r']);
    const named = lines.flatMap(({ sameRideAs = [] }) => sameRideAs as { path: string }[]);
    expect(named).toMatchObject([
      { path: expect.stringMatching(/^r\/(?:watch|zwift)\.fit$/) as unknown },
    ]);
    expect(await workouts(world)).toHaveLength(2);
  });

  it('are compared with at most 50 others: a device without a clock gives all the same time', async () => {
    const world = await openLoggedInWorld();
    for (let serial = 1; serial <= 53; serial++)
      world.write(`r/${serial}.fit`, fit(ride.slice(0, 20), { serial }));
    await world.lines(['upload', 'r']);
    world.write('last.fit', fit(ride.slice(0, 20), { serial: 99 }));
    const [line] = await world.lines(['upload', 'last.fit']);
    expect(line).toMatchObject({ outcome: 'uploaded' });
    expect(line?.['sameRideAs']).toHaveLength(50);
  });

  it('of other sports, or three quarters within each other, are sent without a note', async () => {
    const world = await openLoggedInWorld();
    world.write('ride.fit', fit(ride));
    world.write('run.fit', fit(ride, { serial: 2, sport: 1 }));
    world.write('next.fit', fit(ridePoints(HOUR, { step: 5, from: HOUR })));
    world.write('later.fit', fit(ridePoints(HOUR, { step: 5, from: 900 }), { serial: 4 }));
    for (const name of ['ride.fit', 'run.fit', 'next.fit', 'later.fit']) {
      const [line] = await world.lines(['upload', name]);
      expect(line).toMatchObject({ outcome: 'uploaded' });
      expect(line).not.toHaveProperty('sameRideAs');
    }
  });

  it('are one with the setting sameRide: the second one is held, until --same-ride', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['config', 'set', 'sameRide', 'first']);
    world.write('r/1.fit', fit(ride));
    world.write('r/2.fit', zwift);
    await world.lines(['upload', 'r/1.fit']);
    const [explained] = await world.lines(['explain', 'r/2.fit']);
    expect(explained).toMatchObject({ state: 'held', reason: /r\/1\.fit/ });
    expect(await outcomes(world, ['upload', '--dry-run', 'r/2.fit'])).toEqual({
      'r/2.fit': 'held r/1.fit',
    });
    expect((await world.sync(['status'])).stdout).not.toContain('held');
    expect(await outcomes(world, ['upload', 'r'])).toMatchObject({ 'r/2.fit': 'held r/1.fit' });
    expect((await world.lines(['explain', 'r/2.fit']))[0]).toMatchObject({ state: 'held' });
    expect((await world.sync(['explain', 'r/2.fit'])).stdout).not.toContain('Sent as');
    expect((await world.sync(['status'])).stdout).toContain('1 held (the same ride was sent)');
    expect(await outcomes(world, ['upload', '--same-ride', 'r/2.fit'])).toEqual({
      'r/2.fit': 'uploaded',
    });
  });

  it.each(['2.fit', '2.gpx'])(
    'are one with that setting if GPX came first, and %s',
    async (name) => {
      const world = await openLoggedInWorld();
      await world.sync(['config', 'set', 'sameRide', 'first']);
      world.write('1.gpx', track(ride.map((point) => ({ ...point, hr: undefined }))));
      world.write(name, name === '2.fit' ? fit(ride) : track());
      await world.lines(['upload', '1.gpx']);
      expect(await outcomes(world, ['upload', name])).toEqual({ [name]: 'held 1.gpx' });
      await world.sync(['undo', 'upload', '1.gpx', '--yes']);
      expect(await outcomes(world, ['upload', name])).toEqual({ [name]: 'uploaded' });
    },
  );

  it('are one with that setting, although the first one failed: the second one is sent in its place', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['config', 'set', 'sameRide', 'first']);
    world.write('r/1.fit', fit(ride));
    world.write('w/2.fit', zwift);
    world.sandbox.control.addFaults('upload-fit:400*1', 'upload-fit:503*inf');
    await world.lines(['upload', 'r'], { code: 6 });
    await world.lines(['upload', 'r'], { code: 5 });
    world.sandbox.control.clearFaults();
    for (const [folder, outcome] of [
      ['w', 'uploaded'],
      ['r', 'held'],
    ] as const) {
      const [line] = await world.lines(['watch', '--once', join(world.home.dir, folder)]);
      expect(line).toMatchObject({ type: 'upload', outcome });
    }
    expect(await workouts(world)).toHaveLength(1);
    const explained = async () => (await world.lines(['explain', 'r/1.fit']))[0]?.['state'];
    expect(await explained()).toBe('held');
    // It may have arrived before it was held.
    await world.lines(['undo', 'upload', 'w/2.fit', '--yes']);
    expect(await explained()).toBe('waiting');
  });

  it.each([
    ['the other one is taken back', ['undo', 'upload', 'r/1.fit', '--yes'], 1],
    ['the setting is gone', ['config', 'unset', 'sameRide'], 2],
  ])(
    'are one with that setting until %s: the watcher sends the second one',
    async (_, command, count) => {
      const world = await openLoggedInWorld();
      await world.sync(['config', 'set', 'sameRide', 'first']);
      world.write('r/1.fit', fit(ride));
      await world.lines(['upload', 'r/1.fit']);
      world.write('r/2.fit', zwift);
      const watch = ['watch', '--once', join(world.home.dir, 'r')];
      expect(await world.lines(watch)).toContainEqual(
        expect.objectContaining({ outcome: 'held' }) as unknown,
      );
      expect((await world.sync(command)).code).toBe(0);
      expect(await world.lines(watch)).toContainEqual(
        expect.objectContaining({
          path: expect.stringMatching(/2\.fit$/) as unknown,
          outcome: 'uploaded',
        }) as unknown,
      );
      expect(await workouts(world)).toHaveLength(count);
    },
  );
});

describe.each(KINDS)('a GPX file that was sent to %s without an answer', (platform) => {
  play(platform);

  it.each([
    ['failed', 5, ['upload-fit:truncate*inf']],
    ['rejected', 6, ['upload-fit:504(after)*1', 'upload-fit:422*1']],
  ] as const)(
    'is sent again, and not covered by its own workout: %s',
    async (first, code, faults) => {
      const world = await openLoggedInWorld();
      world.write('loop.gpx', track());
      world.sandbox.control.addFaults(...faults);
      expect(await outcomes(world, ['upload', 'loop.gpx'], code)).toEqual({ 'loop.gpx': first });
      world.sandbox.control.clearFaults();
      expect(await workouts(world)).toHaveLength(1);
      const again = await outcomes(world, ['upload', 'loop.gpx']);
      expect(again['loop.gpx']).toMatch(/^(?:uploaded|duplicate)$/);
      expect(await workouts(world)).toHaveLength(1);
    },
  );
});

describe.each(KINDS)('an export in the form of Strava on %s', (platform) => {
  play(platform);

  const DAY = 86_400;
  const RIDES = 60;
  const COUNT = 1.5 * RIDES;

  /** Each second ride is in two files. Their forms take turns. */
  const files = Array.from({ length: COUNT }, (_, index) => {
    const day = index < RIDES ? index : (index - RIDES) * 2;
    const points = ridePoints(600, { step: 20, hr: 130 + (day % 20), lat: 40 + (day % 10) });
    const start = TRACK_START - (day + 1) * DAY * 1000;
    const text = gpx([{ name: `Ride ${day}`, type: 'cycling', segments: [points] }], { start });
    const forms = [
      ['fit', fit(points, { start })],
      ['fit.gz', gzipSync(fit(points, { start, serial: 2 }))],
      ['gpx', text],
      ['gpx.gz', gzipSync(text)],
      ['tcx.gz', gzipSync(tcx([{ sport: 'Biking', laps: [{ points }] }], { start }))],
    ] as const;
    // The second file of a ride is in a form that is converted.
    const [ending, bytes] = forms[index < RIDES ? day % 5 : 2 + (index % 3)] ?? forms[0];
    return { name: `activities/${index}.${ending}`, bytes };
  });
  const zip = makeZip([{ name: 'activities.csv', bytes: 'Activity ID,Filename\n' }, ...files]);

  it('arrives as one workout for each ride: twice, and from two computers', async () => {
    const world = await openLoggedInWorld();
    const path = world.write('export.zip', zip);
    const [first, ...lines] = await world.lines(['import', path, '--yes']);
    expect(first).toMatchObject({ kind: 'recordings', files: 0.4 * RIDES });
    const found = lines.filter(({ type }) => type === 'import-found');
    expect(found).toMatchObject([
      { kind: 'tracks', files: 0.6 * RIDES, sends: true },
      { kind: 'copies' },
      { kind: 'covered' },
      { kind: 'not-understood', files: 1 },
    ]);
    expect(await workouts(world)).toHaveLength(RIDES);
    const again = await world.lines(['import', path, '--yes']);
    expect(again.at(-1)).toMatchObject({ type: 'summary', uploaded: 0, failed: 0, invalid: 0 });
    // Each ride has a day of its own.
    const before = { kind: 'uploaded-before', days: RIDES };
    expect(again).toContainEqual(expect.objectContaining(before));
    const other = otherComputer(world);
    const copy = other.write('elsewhere/renamed.zip', zip);
    await other.lines(['import', copy, '--yes']);
    expect(await workouts(world)).toHaveLength(RIDES);
  });
});

it('an import sends tracks of a phone only if they are named', async () => {
  const world = await openLoggedInWorld();
  const points = ridePoints(600, { step: 10 });
  const walk = gpx([{ segments: [points] }], { creator: 'Apple Health Export' });
  world.write('apple/workout-routes/route.gpx', walk);
  const [found] = await world.lines(['import', 'apple', '--yes']);
  expect(found).toMatchObject({ kind: 'phone-tracks', files: 1, sends: false });
  expect(await workouts(world)).toEqual([]);
  const included = await world.lines(['import', 'apple', '--yes', '--include', 'phone-tracks']);
  expect(included[0]).toMatchObject({ kind: 'phone-tracks', sends: true });
  expect(await workouts(world)).toHaveLength(1);
  const wrong = await world.sync(['import', 'apple', '--yes', '--include', 'maps']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('phone-tracks')]);
});
