import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loginWithToken, openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ridePoints, tcx } from '../support/tracks.ts';
import { until } from '../support/until.ts';

const HOUR = 3600;
const text = (part: string) => expect.stringContaining(part) as unknown;

it('sync explain names the recordings that a watcher copied and has to send', async () => {
  const world = await openLoggedInWorld();
  world.sandbox.control.addFaults('upload-fit:429(retry-after=600)*inf');
  mkdirSync(world.folder, { recursive: true });
  const path = (name: string) => join(world.folder, name);
  const ride = (seed: number, startTime: Date) =>
    world.write(
      `device/Garmin/${String(seed)}.fit`,
      makeRecording({ seed, startTime, durationSecs: 60 }),
    );
  ride(1, new Date('2026-02-14T07:10:00Z'));
  const watcher = await world.watch();
  await watcher.waitFor(/"obstacle":"service"/);
  ride(2, new Date('2026-02-15T07:10:00Z'));
  ride(3, new Date('2026-02-16T23:10:00Z'));
  const laps = (from: number) => [{ points: ridePoints(HOUR, { step: 5, from }) }];
  const two = tcx([0, 3 * HOUR].map((from) => ({ sport: 'Biking', laps: laps(from) })));
  world.write('device/Garmin/two.tcx', two);
  const outbox = join(world.home.dir, 'state', 'outbox');
  await until(() => existsSync(outbox) && readdirSync(outbox).length === 5);
  watcher.interrupt();
  await watcher.finished;

  const copied = 'A watcher copied it, and `sync watch` sends the copy.';
  const waiting = { state: 'waiting', reason: copied };
  rmSync(path('2.fit'));
  for (const name of ['2.fit', '3.fit', 'two.tcx']) {
    expect((await world.lines(['explain', path(name)]))[0]).toMatchObject(waiting);
  }
  expect((await world.lines(['explain', path('1.fit')]))[0]).toMatchObject({ state: 'waiting' });
  const [day] = await world.lines(['explain', '2026-02-17']);
  const activity = { name: text(''), startedAt: '2026-02-16T23:10:00Z' };
  expect(day?.['recordings']).toEqual([
    {
      path: path('3.fit'),
      sha256: text(''),
      activity: expect.objectContaining(activity) as unknown,
      ...waiting,
    },
  ]);
  const shown = (await world.sync(['explain', '2026-05-10'])).stdout;
  expect(shown.split(copied)).toHaveLength(3);
  expect(shown).toContain(path('two.tcx#2'));

  await loginWithToken(world, { athlete: 'athlete-2' });
  const whose = `athlete-1 at ${world.sandbox.url}`;
  for (const name of ['2.fit', '3.fit']) {
    expect(await world.lines(['explain', path(name)])).toMatchObject([
      {
        state: 'waiting',
        reason: `A watcher copied it for ${whose}. Log in as before and run \`sync watch\`: it sends the copy there.`,
      },
    ]);
  }
  expect(await world.lines(['explain', '2026-02-17'])).toMatchObject([{ recordings: [] }]);
});

it('sync explain says that a recording was left out by --new-only, or has a name that upload refuses', async () => {
  const world = await openLoggedInWorld();
  const old = world.write('device/Garmin/old.fit', makeRecording());
  await world.lines(['watch', '--once', '--new-only', world.folder]);
  expect(await world.lines(['explain', old])).toMatchObject([
    {
      state: 'new',
      reason: `It was never sent: \`sync watch --new-only\` left it out. \`sync upload ${old}\` sends it.`,
    },
  ]);
  const activity = tcx([{ sport: 'Biking', laps: [{ points: ridePoints(HOUR, { step: 5 }) }] }]);
  const explained = async (name: string) =>
    (await world.lines(['explain', world.write(name, activity)]))[0];
  const reason = text('Uploads convert it if its name ends in ".gpx" or ".tcx"');
  expect(await explained('ride.fit')).toMatchObject({ state: 'not-sent', reason });
  await world.lines(['upload', 'ride.fit'], { code: 3 });
  expect(await explained('ride.tcx')).toMatchObject({ state: 'new' });
});

it.each([
  [
    'interface',
    'nutrition',
    { items: [{ name: 'Gel', carbs: 25, logged_at: '2026-02-15T08:00:00Z' }] },
  ],
  ['coach-watts', 'wellness', { weight: 72 }],
] as const)('a day stays as it was if %s refuses to undo its %s', async (platform, kind, day) => {
  const world = await openLoggedInWorld({ platform });
  const push = async (values: object) => {
    const file = world.write('day.json', JSON.stringify({ date: '2026-02-15', ...values }));
    expect((await world.sync(['push', kind, file])).code).toBe(0);
  };
  if (kind === 'wellness') await push({ weight: 73 });
  await push(day);
  const explain = async () => {
    const [line] = await world.lines(['explain', '2026-02-15']);
    return (line?.['records'] as Record<string, unknown>[]).find((each) => each['kind'] === kind);
  };
  const before = await explain();
  expect(before).toMatchObject({ state: 'confirmed' });
  world.sandbox.control.addFaults(`${kind}:400*8`);
  expect(await world.sync(['undo', kind, '2026-02-15'])).toMatchObject({ code: 6 });
  expect(await explain()).toEqual(before);
  expect(await world.lines(['status'])).toMatchObject([{ waiting: { records: [] } }]);
  world.sandbox.control.clearFaults();
  expect(await world.sync(['undo', kind, '2026-02-15'])).toMatchObject({ code: 0 });
});

it('sync explain names the days that were sent from a file of records, and the command for a folder', async () => {
  const world = await openLoggedInWorld();
  const items = [{ logged_at: '2026-02-14T08:00:00Z', name: 'Oats', calories: 300 }];
  const file = world.write('week/food.json', JSON.stringify([{ date: '2026-02-14', items }]));
  const reason = 'This is a JSON file, not a FIT recording.';
  const explained = async () => (await world.lines(['explain', file]))[0];
  expect(await explained()).toMatchObject({
    reason: text(`${reason} If it is an export, \`sync import`),
  });
  await world.sync(['push', 'nutrition', file]);
  expect(await explained()).toMatchObject({
    state: 'not-sent',
    reason: `${reason} Its nutrition was sent: 2026-02-14.`,
  });
  const { code, stderr } = await world.sync(['explain', 'week']);
  expect([code, stderr]).toEqual([3, text('`sync upload week --dry-run` looks at all of them')]);
  symlinkSync('week', join(world.home.dir, 'link'), 'dir');
  const linked = await world.sync(['explain', 'link']);
  expect([linked.code, linked.stderr]).toEqual([3, text('looks at all of them')]);
});
