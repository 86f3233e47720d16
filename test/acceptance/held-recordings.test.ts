import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { DatabaseSync } from '../support/sqlite.ts';
import { fit, ridePoints, tcx } from '../support/tracks.ts';
import { makeZip } from '../support/zip-maker.ts';

const HOUR = 3600;
const recording = (seed: number) => makeRecording({ seed, durationSecs: 60 });
const inner = makeZip([{ name: 'a/m2.fit', bytes: recording(2) }]);
const two = makeZip([
  { name: 'm1.fit', bytes: recording(1) },
  { name: 'photo.jpg', bytes: 'x' },
  { name: 'x/inner.ZIP', bytes: inner },
]);
const [OUTER, INNER] = ['two.zip/m1.fit', 'two.zip/x/inner.ZIP/a/m2.fit'];
const AGAIN = '`sync upload --force two.zip` sends it again, with all else in that file.';

/** A world with an archive of two recordings that were sent. */
async function openWithArchive() {
  const world = await openLoggedInWorld();
  world.write('two.zip', two);
  await world.lines(['upload', 'two.zip']);
  const paths = async (command: string, path: string) =>
    (await world.lines([...command.split(' '), path])).flatMap(({ type, ...line }) =>
      type === 'summary'
        ? []
        : [`${String(line['path'])} ${String(line['state'] ?? line['outcome'])}`],
    );
  return { world, paths };
}

describe('the recordings of an archive', () => {
  it('are explained, inspected and undone by the archive or by their own paths', async () => {
    const { world, paths } = await openWithArchive();
    expect(await paths('explain', 'two.zip')).toEqual([`${OUTER} uploaded`, `${INNER} uploaded`]);
    expect(await paths('explain', INNER)).toEqual([`${INNER} uploaded`]);
    expect(await paths('inspect', 'two.zip')).toEqual([`${OUTER} whole`, `${INNER} whole`]);
    expect(await paths('inspect', OUTER)).toEqual([`${OUTER} whole`]);
    const undone = await world.sync(['undo', 'upload', INNER, '--yes']);
    expect(undone.stdout).toContain(`${INNER}: undone. ${AGAIN}`);
    expect((await world.sync(['explain', INNER])).stdout).toContain(AGAIN);
    expect(await paths('undo upload --yes', 'two.zip')).toEqual([
      `${INNER} skipped`,
      `${OUTER} undone`,
    ]);
    expect(world.recordings()).toEqual([]);
  });

  it('are sent again as verify says', async () => {
    const { world } = await openWithArchive();
    world.sandbox.control.clearState();
    const ledger = new DatabaseSync(join(world.home.dir, 'state', 'ledger.db'));
    ledger.prepare('UPDATE uploads SET changed_at = changed_at - 7200000').run();
    ledger.close();
    expect((await world.sync(['verify'])).stdout).toContain(AGAIN);
    await world.lines(['upload', '--force', 'two.zip']);
    expect(world.recordings()).toHaveLength(2);
  });

  it('are named if there is none of a path, or none at all', async () => {
    const { world } = await openWithArchive();
    world.write('photos.zip', makeZip([{ name: 'photo.jpg', bytes: 'x' }]));
    for (const [path, problem] of [
      ['two.zip/m3.fit', 'two.zip holds no such recording.'],
      ['photos.zip', 'It holds no recording.'],
    ] as const) {
      expect((await world.sync(['explain', path])).stdout).toBe(`${path}: not sent. ${problem}\n`);
      expect(await world.sync(['undo', 'upload', path, '--yes'])).toMatchObject({
        code: 3,
        stderr: `Error: ${path}: ${problem}\n`,
      });
    }
    expect(await world.sync(['explain', 'none.zip/m3.fit'])).toMatchObject({ code: 2 });
    world.write('folder.zip/m1.fit', recording(1));
    expect((await world.sync(['explain', 'folder.zip/m1.fit'])).stdout).toContain('uploaded');
    for (const path of ['folder.zip', 'folder.zip/m3.fit']) {
      expect((await world.sync(['inspect', path])).stdout).toContain('It is a folder.');
    }
  });
});

it('the second activity of a file is undone by its path, and sent again with the file', async () => {
  const world = await openLoggedInWorld();
  const ride = (from: number) => [{ points: ridePoints(HOUR, { step: 5, from }) }];
  world.write('two.tcx', tcx([0, 3 * HOUR].map((from) => ({ sport: 'Biking', laps: ride(from) }))));
  await world.lines(['upload', 'two.tcx']);
  const undone = await world.sync(['undo', 'upload', 'two.tcx#2', '--yes']);
  expect(undone.stdout).toContain(
    'two.tcx#2: undone. `sync upload --force two.tcx` sends it again, with all else in that file.',
  );
  expect(world.recordings()).toHaveLength(1);
  expect(await world.lines(['explain', 'two.tcx'])).toMatchObject([
    { path: 'two.tcx', state: 'uploaded' },
    { path: 'two.tcx#2', state: 'undone' },
  ]);
  await world.lines(['upload', '--force', 'two.tcx']);
  expect(world.recordings()).toHaveLength(2);
});

it.each([
  [
    'coach-watts',
    /The same ride as rides\.zip\/a\.fit, sent .* ago; `sync undo upload rides\.zip\/a\.fit` removes that one$/m,
  ],
  ['interface', /The same ride as rides\.zip\/a\.fit, sent .* ago$/m],
] as const)('the note of a ride that was sent before is true on %s', async (platform, note) => {
  const world = await openLoggedInWorld({ platform });
  const ride = ridePoints(HOUR, { step: 5 });
  world.write('rides.zip', makeZip([{ name: 'a.fit', bytes: fit(ride) }]));
  world.write('b.fit', fit(ride, { serial: 7 }));
  await world.lines(['upload', 'rides.zip']);
  expect((await world.sync(['upload', 'b.fit'])).stdout).toMatch(note);
  if (platform === 'interface') return;
  await world.lines(['undo', 'upload', 'rides.zip/a.fit', '--yes']);
  expect(world.recordings()).toHaveLength(1);
});
