import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { gpx, ridePoints } from '../support/tracks.ts';
import { ndjson } from '../support/program.ts';
import { makeZip } from '../support/zip-maker.ts';
import {
  type World,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  openTerminal,
  requestCounts,
  terminals,
  worldOf,
  sendingLines,
} from '../support/acceptance.ts';

const ride = (seed: number) =>
  makeRecording({ seed, sizeBytes: 3_000, startTime: new Date(Date.UTC(2026, 1, 1 + seed, 7)) });

const WELLNESS = JSON.stringify([
  { date: '2026-02-15', restingHr: 48 },
  { date: '2026-02-16', restingHr: 49 },
]);
const MEALS = JSON.stringify({
  date: '2026-02-15',
  items: [{ logged_at: '2026-02-15T08:00:00+01:00', name: 'Oats', carbs: 60 }],
});

/** An account export: recordings in an archive inside it, records, and other files. */
function accountExport(recordings = 2): Buffer {
  const inner = Array.from({ length: recordings }, (_, index) => ({
    name: `athlete_${index}.fit`,
    bytes: ride(index + 1),
  }));
  return makeZip([
    { name: 'DI_CONNECT/Part1.zip', bytes: makeZip(inner) },
    { name: 'DI_CONNECT/wellness.json', bytes: WELLNESS },
    { name: 'DI_CONNECT/meals.json', bytes: MEALS },
    { name: 'DI_CONNECT/copy.fit.gz', bytes: gzipSync(ride(1)) },
    { name: 'DI_CONNECT/track.gpx', bytes: '<gpx/>' },
    { name: 'DI_CONNECT/photo.jpg', bytes: 'x' },
  ]);
}

/** A world with the export of an account. */
async function openExport() {
  const world = await openLoggedInWorld();
  return { world, path: world.write('export.zip', accountExport()) };
}

function stateOf({ sandbox }: World) {
  const [athlete] = sandbox.control.state('athlete-1').athletes;
  return {
    recordings: athlete?.recordings.length ?? 0,
    wellness: athlete?.wellness.map(({ date }) => date) ?? [],
    foods: foodsHeld(sandbox, '2026-02-15').length,
  };
}

const NOTHING = { recordings: 0, wellness: [], foods: 0 };
const ALL = { recordings: 2, wellness: ['2026-02-15', '2026-02-16'], foods: 1 };

describe('sync import', () => {
  it('gives recordings the titles of a Strava export, in whatever language its list is', async () => {
    const world = await openLoggedInWorld();
    const list = [
      'Aktivitäts-ID,Aktivitätsdatum,Name der Aktivität,Aktivitätsart,Aktivitätsbeschreibung,Dateiname',
      '1,"09.12.2022, 15:24:49","Albis, ""hinten"" herum",Radfahrt,"kalt\n 0°C",activities/1.fit.gz',
      '2,"10.12.2022, 15:24:49",Zürichsee,Radfahrt,,activities/2.gpx.gz',
      '3,"11.12.2022, 15:24:49",,Radfahrt,,activities/3.fit',
      '4,"12.12.2022, 15:24:49",Von Hand,Yoga,,',
    ].join('\n');
    const track = gpx([{ name: 'Afternoon Ride', type: 'cycling', segments: [ridePoints(600)] }]);
    world.write('rides/activities/2.gpx', track);
    world.write('rides/activities/3.fit', ride(3));
    world.write('rides/activities.csv', `\ufeff${list}`);
    const zipped = [
      { name: 'activities/1.fit.gz', bytes: gzipSync(ride(1)) },
      { name: 'elsewhere/2.fit', bytes: ride(2) },
      { name: 'activities.csv', bytes: list },
      { name: 'other/activities.csv', bytes: 'Activity ID,Activity Date\n"1,' },
    ];
    const path = world.write('export.zip', makeZip(zipped));
    const args = ['import', path, 'rides', '--yes'];
    const { stdout, code } = await world.sync(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Strava account export: list of activities +2 .*recordings get its titles/m,
    );
    const [athlete] = world.sandbox.control.state('athlete-1').athletes;
    const names = athlete?.recordings.map(({ name }) => name).sort();
    expect(names).toEqual(['Albis, "hinten" herum', 'Ride', 'Ride', 'Zürichsee']);
  });

  it('sends the recordings, wellness and nutrition of an export once, in one run', async () => {
    const { world, path } = await openExport();
    const first = await world.sync(['import', path, '--yes', '--json']);
    expect(first.code).toBe(0);
    expect(stateOf(world)).toEqual(ALL);
    const lines = ndjson(first.stdout);
    expect(lines.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 6 }, () => 'import-found'),
      'upload',
      'upload',
      'wellness',
      'wellness',
      'nutrition',
      'summary',
    ]);
    expect(lines.at(-1)).toMatchObject({ recordings: 2, days: 3, uploaded: 2, pushed: 3 });
    world.sandbox.control.clearRequests();
    const second = await world.sync(['import', path, '--yes', '--json']);
    expect(second.code).toBe(0);
    expect(ndjson(second.stdout).at(-1)).toMatchObject({ uploaded: 0, pushed: 0, skipped: 3 });
    expect(sendingLines(world.sandbox)).toEqual([]);
    expect(stateOf(world)).toEqual(ALL);
  });

  it('prints a table of its findings before it sends', async () => {
    const { world, path } = await openExport();
    const { stdout, stderr } = await world.sync(['import', path, '--yes']);
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      /^FOUND +FILES +DAYS +FROM +TO +SENT$/,
      /^Recordings +2 +2 +2026-02-02 +2026-02-03 +yes \(6\.0 kB\)$/,
      /^JSON records +1 +2 +2026-02-15 +2026-02-16 +as wellness$/,
      /^JSON records +1 +1 +2026-02-15 +2026-02-15 +as nutrition$/,
      /^Recordings found twice +1 +no: the same recording is sent once$/,
      /^GPX and TCX without an activity +1 +no: routes, plans and the like$/,
      /^\.jpg files +1 +no: of no known source$/,
    ]);
    expect(stderr).toContain(
      'To send: 2 recordings (6.0 kB), 2 days of wellness and 1 day of nutrition.',
    );
    for (const day of [
      'wellness of 2026-02-15',
      'wellness of 2026-02-16',
      'nutrition of 2026-02-15',
    ])
      expect(stdout).toMatch(new RegExp(`^${day}: sent`, 'm'));
    // What was sent before is not counted; without anything to send, no question is asked.
    const again = await world.sync(['import', path]);
    expect([again.code, again.stderr]).toEqual([0, 'There is nothing to send.\n']);
  });

  it('without --yes and without a terminal shows the table, sends nothing and exits 2', async () => {
    const { world, path } = await openExport();
    const { code, stdout, stderr } = await world.sync(['import', path]);
    expect([code, stdout]).toEqual([2, /Recordings/]);
    expect(stderr).toContain('Run the same command with --yes to send it.');
    expect(stateOf(world)).toEqual(NOTHING);
  });

  it('with --dry-run shows people the table and the sums, and the requests if verbose', async () => {
    const { world, path } = await openExport();
    const brief = await world.sync(['import', path, '--dry-run']);
    const [title = '', ...rows] = brief.stdout.trimEnd().split('\n');
    expect(title).toMatch(/^FOUND +FILES +DAYS/);
    expect(rows.slice(-3)).toEqual([
      '2 files: 2 would be uploaded.',
      'wellness: 2 would be sent.',
      'nutrition: 1 would be sent.',
    ]);
    expect(brief.stdout).not.toMatch(/POST|"date"|\.fit: /);
    const long = await world.sync(['import', path, '--dry-run', '--verbose']);
    expect(long.stdout.match(/POST /g)).toHaveLength(5);
    expect(requestCounts(world.sandbox)).toEqual({});
  });

  it('with --dry-run needs no login and no address', async () => {
    const { world, path } = await openExport();
    const lines = await worldOf(world.sandbox, openHome()).lines(['import', path, '--dry-run']);
    expect(lines[0]).toMatchObject({ kind: 'recordings', files: 2, sends: true });
  });

  it('says what is left out of wellness and of food, and takes the unit that is missing', async () => {
    const world = await openLoggedInWorld();
    const foods = 'Day,Group,Food Name,Amount,Energy (kcal)\n2026-02-15,Frühstück,Müsli,60 g,227\n';
    const zip = makeZip([
      { name: 'weights.csv', bytes: 'Date,Body Fat %,Weight\n2026-02-15,14.2,72.4\n' },
      { name: 'servings.csv', bytes: Buffer.from(foods, 'latin1') },
    ]);
    const path = world.write('export.zip', zip);
    const { stderr } = await world.sync(['import', path, '--dry-run']);
    expect(stderr).toContain('weights.csv: weight: the file does not state its unit');
    expect(stderr).toContain('servings.csv: the text is not UTF-8');
    expect((await world.sync(['import', path, '--yes', '--unit', 'weight=lb'])).code).toBe(0);
    const [athlete] = world.sandbox.control.state('athlete-1').athletes;
    expect(athlete?.wellness).toMatchObject([{ record: { weight: 32.8401 } }]);
  });

  it('sends with --since nothing from before that day', async () => {
    const { world, path } = await openExport();
    expect((await world.sync(['import', path, '--yes', '--since', '2026-02-16'])).code).toBe(0);
    expect(stateOf(world)).toEqual({ recordings: 0, wellness: ['2026-02-16'], foods: 0 });
    expect((await world.sync(['import', path, '--yes', '--since', 'soon'])).code).toBe(2);
  });

  it('sends the rest of an export with damaged parts, and exits 3', async () => {
    const world = await openLoggedInWorld();
    const path = world.write(
      'export.zip',
      makeZip([
        { name: 'cut.zip', bytes: accountExport().subarray(0, 900) },
        { name: 'cut.fit', bytes: ride(5).subarray(0, 2_000) },
        { name: 'whole.fit', bytes: ride(6) },
      ]),
    );
    expect(await world.lines(['import', path, '--yes'], { code: 3 })).toMatchObject([
      { type: 'import-unreadable', path: `${path}/cut.zip`, reason: 'incomplete' },
      { type: 'upload', path: `${path}/cut.fit`, outcome: 'invalid', reason: 'incomplete' },
      { type: 'import-found', kind: 'recordings', files: 1 },
      { type: 'import-found', kind: 'unusable' },
      { type: 'import-found', kind: 'unreadable' },
      { type: 'upload', path: `${path}/whole.fit`, outcome: 'uploaded' },
      { type: 'summary', uploaded: 1, invalid: 1 },
    ]);
    // An archive that cannot be read is enough.
    const cut = world.write('cut.zip', accountExport().subarray(0, 900));
    expect((await world.sync(['import', cut, '--dry-run'])).code).toBe(3);
  });

  it('says that there is nothing to send, and does not ask', async () => {
    const world = await openLoggedInWorld();
    world.write('photos/a.jpg', 'x');
    const { code, stderr } = await world.sync(['import', 'photos']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'There is nothing to send.\n' });
  });
});

describe(`sync import on a terminal${terminals.note}`, () => {
  it.skipIf(!terminals.present).each([
    ['y', 0, ALL],
    ['n', 0, NOTHING],
    ['\u0003', 130, NOTHING],
  ])('answers %j at the question', async (answer, code, state) => {
    const world = await openLoggedInWorld();
    const terminal = openTerminal(world, ['import', world.write('export.zip', accountExport())]);
    await terminal.waitFor(/Send it\? \[y\/N\] /);
    expect(stateOf(world)).toEqual(NOTHING);
    terminal.type(answer === '\u0003' ? answer : `${answer}\r`);
    expect((await terminal.finished).code).toBe(code);
    expect(stateOf(world)).toEqual(state);
  });
});

it('an interrupted import leaves no temporary file, and the next run sends the rest once', async () => {
  const world = await openLoggedInWorld();
  const temp = join(world.home.dir, 'temp');
  mkdirSync(temp);
  const path = world.write('export.zip', accountExport(40));
  world.sandbox.control.addFaults('upload-fit:delay=100ms*inf');
  const running = world.start(['import', path, '--yes'], { env: { TMPDIR: temp } });
  await running.waitFor(/ {2}uploaded$/m);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect(readdirSync(temp)).toEqual([]);
  world.sandbox.control.clearFaults();
  expect((await world.sync(['import', path, '--yes'], { env: { TMPDIR: temp } })).code).toBe(0);
  expect(stateOf(world)).toMatchObject({ recordings: 40, foods: 1 });
  const received = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
  // Only requests in flight at the interruption are sent again.
  expect(received.filter(({ receivedCount }) => receivedCount > 1).length).toBeLessThan(5);
  expect(readdirSync(temp)).toEqual([]);
});

it.each([['import', '--yes'], ['upload']])(
  'sync %s ends with a summary if a signal arrives while it reads',
  async (...command) => {
    const world = await openLoggedInWorld();
    const folder = join(world.home.dir, 'tracks');
    world.write('tracks/0.gpx', 'no XML');
    const track = gpx([{ segments: [ridePoints(3_000)] }]);
    for (let n = 1; n <= 60; n++) world.write(`tracks/${n}.gpx`, track);
    const running = world.start([...command, folder, '--json']);
    await running.waitFor(/"type":"upload"/);
    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.finished;
    expect([code, stderr]).toEqual([130, expect.stringContaining('Interrupted.')]);
    const lines = ndjson(stdout);
    expect(lines.slice(-2)).toMatchObject([
      { type: 'error', code: 'INTERRUPTED' },
      { type: 'summary' },
    ]);
    expect(stateOf(world)).toEqual(NOTHING);
  },
);
