import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KINDS, play } from '../support/acceptance.ts';
import { briskClock } from '../support/delivery.ts';
import { type Run, ndjson } from '../support/program.ts';
import { type TrackPoint, fit, gpx, ridePoints, tcx } from '../support/tracks.ts';
import { systemClock } from '../../src/system/this-process.ts';
import { events, openWorld, put, ready, stop, until, world } from '../watch/support.ts';

const HOUR = 3600;
const ride = ridePoints(HOUR, { step: 5, hr: 140 });
const track = (points: readonly TrackPoint[] = ride) =>
  gpx([{ name: 'Evening loop', type: 'cycling', segments: [points] }]);
const later = (points: readonly TrackPoint[], secs: number) =>
  points.map((point) => ({ ...point, at: point.at + secs }));
const brick = tcx([
  { sport: 'Biking', laps: [{ points: ride }] },
  { sport: 'Running', laps: [{ points: later(ride, 2 * HOUR) }] },
]);
const course = tcx([]).replace(
  '<Activities></Activities>',
  '<Courses><Course><Name>A plan</Name></Course></Courses>',
);

/** Writes a file into the watched folder that was there for an hour. */
function file(name: string, bytes: Uint8Array | string): void {
  const path = join(world.folder, name);
  put(path, bytes);
  const before = new Date(Date.now() - HOUR * 1000);
  utimesSync(path, before, before);
}

const outbox = () => join(world.home.dir, 'state', 'outbox');
const copies = () => (existsSync(outbox()) ? readdirSync(outbox()) : []);

/** `OUTCOME REASON` of each file that the watcher has reported, in the order of the reports. */
const reported = (watcher: Run) =>
  events(watcher, 'upload').map(({ path, outcome, reason }) =>
    [String(path).slice(world.folder.length + 1), outcome, reason].filter(Boolean).join(' '),
  );

/** Looks at the folder once, in this process. */
async function once(args: readonly string[] = [], code = 0) {
  const command = ['watch', '--once', '--json', world.folder, ...args];
  const { stdout, ...end } = await world.sync(command, { clock: briskClock });
  expect(end).toEqual({ code, stderr: '' });
  return ndjson(stdout);
}

describe.each(KINDS)('a GPX or TCX file in a watched folder on %s', (platform) => {
  play(platform);

  it('arrives, packed too, and no rescan reads or sends it again', async () => {
    await openWorld();
    mkdirSync(world.folder);
    const watcher = await ready(world.watch(['--poll', '1']));
    put(join(world.folder, 'loop.gpx'), track());
    put(join(world.folder, 'next.gpx.gz'), gzipSync(track(later(ride, 2 * HOUR))));
    const laps = [{ points: later(ride, 4 * HOUR) }];
    put(join(world.folder, 'lap.tcx'), tcx([{ sport: 'Biking', laps }]));
    await until(() => world.recordings().length === 3);
    await until(() => reported(watcher).length === 3 && copies().length === 0);
    put(join(world.folder, 'same.gpx'), track());
    await until(() => reported(watcher).length === 4);
    expect(reported(watcher).sort()).toEqual([
      'lap.tcx uploaded',
      'loop.gpx uploaded',
      'next.gpx.gz uploaded',
      'same.gpx skipped already-uploaded',
    ]);
    await stop(watcher);
    expect(world.requests()).toBe(3);
    const summary = (await once()).at(-1);
    expect(summary).toMatchObject({ skipped: 4 });
    expect(world.requests()).toBe(3);
  });

  it('is covered by the FIT recording beside it, and sent once that is taken back', async () => {
    await openWorld();
    file('a.gpx', track());
    file('b.fit', fit(ride));
    file('half.gpx', track(ride.slice(0, 360)));
    const all = await once();
    expect(all.filter(({ type }) => type === 'upload')).toMatchObject([
      { path: join(world.folder, 'b.fit'), outcome: 'uploaded' },
      { path: join(world.folder, 'a.gpx'), outcome: 'covered', by: [join(world.folder, 'b.fit')] },
      { path: join(world.folder, 'half.gpx'), outcome: 'covered' },
    ]);
    expect(copies()).toEqual([]);
    world.sandbox.control.clearRequests();
    expect((await once()).at(-1)).toMatchObject({ skipped: 1, covered: 2 });
    expect(world.sandbox.control.requests({ route: 'workouts' })).toEqual([]);
    expect(world.requests()).toBe(0);
    if (platform !== 'coach-watts') return;
    await world.sync(['undo', 'upload', join(world.folder, 'b.fit'), '--yes']);
    const after = await once();
    expect(
      after.filter(({ outcome }) => outcome === 'uploaded' || outcome === 'covered'),
    ).toMatchObject([
      { path: join(world.folder, 'a.gpx'), outcome: 'uploaded' },
      { path: join(world.folder, 'half.gpx'), outcome: 'covered' },
    ]);
  });

  it('is compared with the workouts of its batch, which are listed once', async () => {
    await openWorld();
    for (let day = 0; day < 4; day++) file(`${day}.gpx`, track(later(ride, day * 24 * HOUR)));
    // Each list is read page by page.
    const lists = () =>
      world.sandbox.control
        .requests({ route: 'workouts' })
        .filter(({ query }) => query['offset'] === '0').length;
    expect((await once()).at(-1)).toMatchObject({ uploaded: 4 });
    expect(lists()).toBe(1);
    file('last.gpx', track(later(ride, 6 * HOUR)));
    expect((await once()).at(-1)).toMatchObject({ uploaded: 1 });
    expect(lists()).toBe(2);
  });
});

describe('a GPX or TCX file in a watched folder', () => {
  it('comes first, and the FIT recording is sent with a note; of two, the better one is sent', async () => {
    await openWorld();
    mkdirSync(world.folder);
    const watcher = await ready(world.watch());
    put(join(world.folder, 'poor.gpx'), track(ride.map((point) => ({ ...point, hr: undefined }))));
    put(join(world.folder, 'rich.gpx'), track());
    await until(() => reported(watcher).length === 2);
    put(join(world.folder, 'ride.fit'), fit(ride));
    await until(() => reported(watcher).length === 3);
    expect(reported(watcher)).toEqual([
      'rich.gpx uploaded',
      'poor.gpx covered',
      'ride.fit uploaded',
    ]);
    expect(events(watcher, 'upload').at(-1)).toMatchObject({
      sameRideAs: [{ path: join(world.folder, 'rich.gpx') }],
    });
    await stop(watcher);
  });

  it('with several activities is one file: each is sent once, by FILE#2', async () => {
    await openWorld();
    file('brick.tcx', brick);
    const paths = (await once())
      .filter(({ outcome }) => outcome === 'uploaded')
      .map(({ path }) => String(path).slice(world.folder.length + 1));
    expect(paths).toEqual(['brick.tcx', 'brick.tcx#2']);
    expect((await once()).at(-1)).toMatchObject({ skipped: 1 });
    expect(world.requests()).toBe(2);
  });

  it('with several activities and the longest name is copied while the platform is away', async () => {
    await openWorld();
    mkdirSync(world.folder);
    await world.stopService();
    const watcher = await ready(world.watch());
    const path = join(world.folder, `${'x'.repeat(248)}.tcx.gz`);
    put(path, gzipSync(brick));
    await until(() => copies().length === 2);
    rmSync(path);
    await world.startService();
    await until(() => world.recordings().length === 2 && copies().length === 0);
    expect(await stop(watcher)).toBe(0);
    expect(events(watcher, 'not-copied')).toEqual([]);
  });

  it('with several activities, one of them refused, is read again if the copy of that one is lost', async () => {
    await openWorld();
    file('brick.tcx', brick);
    world.sandbox.control.addFaults('upload-fit:422+1');
    const first = await once([], 6);
    expect(first.at(-1)).toMatchObject({ uploaded: 1, rejected: 1 });
    expect(copies()).toHaveLength(1);
    expect(await once([], 6)).toMatchObject([{ reason: 'refused-before' }, { skipped: 1 }]);
    expect(world.requests()).toBe(2);
    rmSync(outbox(), { recursive: true });
    const nextDay = { ...systemClock, now: () => systemClock.now() + 25 * HOUR * 1000 };
    const lines = await world.lines(['watch', '--once', world.folder], { clock: nextDay });
    const sent = lines.filter(({ outcome }) => outcome === 'uploaded');
    expect(sent).toMatchObject([{ path: join(world.folder, 'brick.tcx#2') }]);
    expect(world.recordings()).toHaveLength(2);
  });

  it('shows its request with --dry-run, which writes nothing', async () => {
    await openWorld();
    file('loop.gpx', track());
    file('ride.fit', fit(later(ride, 3 * HOUR)));
    for (let run = 0; run < 2; run++) {
      const lines = await once(['--dry-run']);
      expect(lines.filter(({ outcome }) => outcome === 'would-upload')).toHaveLength(2);
    }
    expect(world.requests()).toBe(0);
    expect((await once()).at(-1)).toMatchObject({ uploaded: 2 });
  });
});

it('a course is reported once, by its reason, and never copied or read again', async () => {
  await openWorld();
  file('plan.tcx', course);
  // A file that was just written may change unnoticed.
  await systemClock.sleep(2_100);
  const [line] = await once();
  expect(line).toMatchObject({
    outcome: 'skipped',
    reason: 'not-an-activity',
    detail: 'It holds a course, not a recorded activity.',
  });
  expect((await once()).at(-1)).toMatchObject({ skipped: 1 });
  const watcher = await ready(world.watch());
  expect(reported(watcher)).toEqual([]);
  await stop(watcher);
  expect(copies()).toEqual([]);
});

it('a track of Google Fit is left out, and sent if its file is named', async () => {
  await openWorld();
  file('walk.gpx', gpx([{ segments: [ride] }], { creator: 'Google Fit' }));
  const path = join(world.folder, 'walk.gpx');
  const [line] = await once();
  expect(line).toMatchObject({
    outcome: 'skipped',
    detail: expect.stringContaining(`\`sync upload ${path}\` sends it`) as string,
  });
  expect([copies(), world.recordings()]).toEqual([[], []]);
  const { code } = await world.sync(['upload', path]);
  expect(code).toBe(0);
  expect(world.recordings()).toHaveLength(1);
});

it('a GPX file that a program is still writing is sent when it is complete', async () => {
  await openWorld();
  mkdirSync(world.folder);
  const watcher = await ready(world.watch(['--poll', '1']));
  const path = join(world.folder, 'loop.gpx');
  const whole = track();
  for (const share of [0.1, 0.5, 0.9]) put(path, whole.slice(0, whole.length * share));
  await until(() => events(watcher, 'upload').length === 0 && copies().length === 0);
  put(path, whole);
  await until(() => world.recordings().length === 1);
  expect(await stop(watcher)).toBe(0);
  expect(reported(watcher)).toEqual(['loop.gpx uploaded']);
});

it.each(['UTF-16LE', 'UTF-16BE'])('a GPX file in %s is sent', async (encoding) => {
  await openWorld();
  const bytes = Buffer.from(`\ufeff${track()}`, 'utf16le');
  file('loop.gpx', encoding === 'UTF-16LE' ? bytes : bytes.swap16());
  const [line] = await once([], 0);
  expect(line).toMatchObject({ outcome: 'uploaded' });
  expect(world.recordings()).toHaveLength(1);
});

it.each([
  ['with blank lines behind it', 'a.gpx', `${track()}${'\n'.repeat(1_500)}`],
  [
    'with a long comment behind it',
    'b.gpx',
    `${track()}<!-- ${'exported by an app '.repeat(80)}-->`,
  ],
  [
    'with a hyphen in its prefix',
    'c.gpx',
    track()
      .replace(/<(\/?)(?=\w)/g, '<$1my-gpx:')
      .replace('xmlns=', 'xmlns:my-gpx='),
  ],
  ['packed under the name .gpx', 'd.gpx', gzipSync(track())],
  ['that is a FIT recording', 'e.gpx', fit(ride)],
  ['packed under the name .fit', 'f.fit', gzipSync(fit(ride))],
])('a file %s is sent by upload and by the watcher', async (_, name, bytes) => {
  await openWorld();
  file(name, bytes);
  const [planned] = await world.lines(['upload', '--dry-run', world.folder]);
  expect(planned).toMatchObject({ outcome: 'would-upload' });
  const [line] = await once();
  expect(line).toMatchObject({ outcome: 'uploaded' });
  expect(world.recordings()).toHaveLength(1);
});

it.each(['watch', 'upload'])(
  'a GPX file that %s saw with a clock that was behind is sent later',
  async (command) => {
    await openWorld();
    file('loop.gpx', track());
    const args = command === 'watch' ? ['watch', '--once', world.folder] : ['upload', world.folder];
    const clock = { ...systemClock, now: () => systemClock.now() - 400 * 86_400_000 };
    const [early] = await world.lines(args, { clock });
    expect(early).toMatchObject({ reason: 'not-an-activity' });
    expect(await world.lines(args)).toMatchObject([{ outcome: 'uploaded' }, {}]);
  },
);

it('--new-only leaves out the GPX files that were there before, also renamed', async () => {
  await openWorld();
  file('old.gpx', track());
  const watcher = await ready(world.watch(['--new-only']));
  renameSync(join(world.folder, 'old.gpx'), join(world.folder, 'renamed.gpx'));
  put(join(world.folder, 'new.gpx'), track(later(ride, 3 * HOUR)));
  await until(() => world.recordings().length === 1);
  expect(await stop(watcher)).toBe(0);
  expect(reported(watcher)).toEqual(['new.gpx uploaded']);
});

it('a GPX file that was copied by a watcher that was killed arrives once, although the file is gone', async () => {
  await openWorld();
  mkdirSync(world.folder);
  await world.stopService();
  const watcher = await ready(world.watchProgram());
  put(join(world.folder, 'loop.gpx'), track());
  await until(() => events(watcher, 'kept').length === 1);
  const [copy = ''] = copies();
  expect(events(watcher, 'kept')).toMatchObject([{ sha256: copy }]);
  watcher.child.kill('SIGKILL');
  await watcher.finished;
  rmSync(join(world.folder, 'loop.gpx'));
  expect(await world.lines(['explain', join(world.folder, 'loop.gpx')])).toMatchObject([
    { state: 'waiting', path: join(world.folder, 'loop.gpx') },
  ]);
  await world.startService();
  const next = await ready(world.watch());
  await until(() => world.recordings().length === 1 && copies().length === 0);
  put(join(world.folder, 'again.gpx'), track());
  await until(() => reported(next).length === 2);
  expect(reported(next)).toEqual(['loop.gpx uploaded', 'again.gpx skipped already-uploaded']);
  await stop(next);
  expect(world.requests()).toBe(1);
  expect(world.recordings()).toMatchObject([{ sha256: copy }]);
  const parts = world.sandbox.control.requests({ route: 'upload-fit' })[0]?.parts;
  expect(parts?.find(({ name }) => name === 'name')).toMatchObject({ text: 'Evening loop' });
});

it('a copied GPX file waits for the FIT recordings that the next watcher finds', async () => {
  await openWorld();
  file('loop.gpx', track());
  await world.stopService();
  const first = await ready(world.watch());
  await until(() => copies().length === 1);
  await stop(first);
  file('ride.fit', fit(ride));
  await world.startService();
  const watcher = await ready(world.watch());
  await until(() => reported(watcher).length === 2);
  expect(reported(watcher)).toEqual(['ride.fit uploaded', 'loop.gpx covered']);
  await stop(watcher);
});

it('a GPX file waits for a FIT recording that comes while the workouts are listed', async () => {
  await openWorld();
  mkdirSync(world.folder);
  const watcher = await ready(world.watch());
  world.sandbox.control.addFaults('workouts:delay=1s', 'upload-fit:delay=3s');
  file('loop.gpx', track());
  const lists = () => world.sandbox.control.requests({ route: 'workouts' });
  await until(() => lists().length === 1);
  put(join(world.folder, 'ride.fit'), fit(ride));
  await until(() => reported(watcher).length === 2);
  expect(reported(watcher)).toEqual(['ride.fit uploaded', 'loop.gpx covered']);
  await stop(watcher);
});

it('a GPX file waits for a FIT recording that fails if that is of its time, and for no other', async () => {
  await openWorld();
  file('loop.gpx', track());
  file('next.gpx', track(later(ride, 2 * HOUR)));
  file('ride.fit', fit(ride));
  world.sandbox.control.addFaults('upload-fit:503(retry-after=5)');
  const watcher = await ready(world.watch());
  await until(() => reported(watcher).length === 3);
  expect(reported(watcher)).toEqual(['next.gpx uploaded', 'ride.fit uploaded', 'loop.gpx covered']);
  await stop(watcher);
});

it('a GPX file that the platform refuses is kept, and offered again after a day', async () => {
  await openWorld();
  file('loop.gpx', track());
  world.sandbox.control.addFaults('upload-fit:422');
  expect((await once([], 6)).at(-1)).toMatchObject({ rejected: 1 });
  expect(copies()).toHaveLength(1);
  await once([], 6);
  expect(world.requests()).toBe(1);
});

it('the copy of a GPX file that another command delivered does not wait', async () => {
  await openWorld();
  file('loop.gpx', track());
  world.sandbox.control.addFaults('upload-fit:422');
  await once([], 6);
  expect(await world.lines(['status'])).toMatchObject([{ waiting: { kept: 1 } }]);
  await world.lines(['upload', world.folder]);
  expect(await world.lines(['status'])).toMatchObject([{ waiting: { kept: 0 } }]);
});
