import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { START, fitFile, fitMessage } from '../support/fit-messages.ts';
import { ndjson } from '../support/program.ts';
import { type World, openLoggedInWorld } from '../support/world.ts';
import { makeZip } from '../support/zip-maker.ts';

const DAY = 86_400;
const HOUR = 3_600;
/** 2026-02-15T00:00:00 in Berlin, in seconds of FIT. */
const MIDNIGHT = START - 8.5 * HOUR;

/** Makes a file of monitoring: resting heart rates, each at a number of seconds after {@link MIDNIGHT}. */
function monitoring(...rates: readonly (readonly [secs: number, bpm: number])[]): Uint8Array {
  return fitFile(
    fitMessage('fileId', { type: 32, manufacturer: 1 }),
    fitMessage('monitoringInfo', { timestamp: MIDNIGHT, local: MIDNIGHT + HOUR }),
    ...rates.map(([secs, today]) =>
      fitMessage('monitoringHr', { timestamp: MIDNIGHT + secs, sevenDays: 50, today }),
    ),
  );
}

const hrvStatus = fitFile(
  fitMessage('fileId', { type: 68, manufacturer: 1 }),
  fitMessage('hrvStatus', { timestamp: MIDNIGHT + 7 * HOUR, lastNight: 8_512 }),
);

/** An activity with the VO2max after it. */
function activity(tenths: number, sport: number, secs: number): Uint8Array {
  return fitFile(
    fitMessage('fileId', { type: 4, manufacturer: 1 }),
    fitMessage('record', { timestamp: MIDNIGHT + secs, heartRate: 120 }),
    fitMessage('session', {
      timestamp: MIDNIGHT + secs,
      startTime: MIDNIGHT + secs - 600,
      sport,
      elapsedMs: 600_000,
      timerMs: 600_000,
    }),
    fitMessage('maxMet', { time: MIDNIGHT + secs, tenths, sport }),
  );
}

function weight(hundredthKg: number, user: number, secs = 7 * HOUR): Uint8Array {
  return fitFile(
    fitMessage('fileId', { type: 9, manufacturer: 1 }),
    fitMessage('weightScale', { timestamp: MIDNIGHT + secs, hundredthKg, user }),
  );
}

/** Two days of a device. */
function writeDevice(world: World): string {
  world.write('GARMIN/Monitor/M1.FIT', monitoring([600, 78], [6 * HOUR, 55]));
  world.write('GARMIN/Monitor/M2.FIT', monitoring([12 * HOUR, 54], [DAY, 53], [DAY + 600, 80]));
  world.write('GARMIN/HRVStatus/H1.FIT', hrvStatus);
  world.write('GARMIN/Activity/RUN.FIT', activity(523, 1, 9 * HOUR));
  world.write('GARMIN/Activity/RIDE.FIT', makeRecording());
  world.write('GARMIN/Settings/SETTINGS.FIT', makeRecording({ type: 2 }));
  world.write('GARMIN/Weight/W.FIT', weight(7_245, 0));
  return `${world.home.dir}/GARMIN`;
}

/** What the sandbox holds, by date. */
const heldBy = (world: World) =>
  Object.fromEntries(
    (world.sandbox.control.state('athlete-1').athletes[0]?.wellness ?? []).map(
      ({ date, record }) => [date, record],
    ),
  );

const BERLIN = ['--tz', 'Europe/Berlin'];
const open = () => openLoggedInWorld();

describe('sync push wellness of FIT files', () => {
  it('sends one record a day from all files of a device, and counts the rest', async () => {
    const world = await open();
    const device = writeDevice(world);
    expect(await world.sync(['push', 'wellness', device, ...BERLIN])).toEqual({
      code: 0,
      // The monitoring file states the offset, for the files without one too.
      stdout: '2026-02-15: sent\n2026-02-16: sent\nwellness: 2 sent.\n',
      stderr: [
        `${device}: 2 FIT files without wellness.`,
        '4 FIT files: wellness of 2026-02-15 to 2026-02-16',
        '',
      ].join('\n'),
    });
    expect(heldBy(world)).toEqual({
      '2026-02-15': { restingHr: 53, vo2max: 52.3, hrv: 66.5, weight: 72.45 },
      '2026-02-16': { restingHr: 80 },
    });
    const again = await world.sync(['push', 'wellness', device, ...BERLIN]);
    expect(again.stdout).toBe('wellness: 2 unchanged.\n');
  });

  it('names the files of each value, in JSON and in explain', async () => {
    const world = await open();
    const device = writeDevice(world);
    const run = await world.sync(['push', 'wellness', device, ...BERLIN, '--json']);
    const lines = ndjson(run.stdout);
    const exports = lines.filter(({ type }) => type === 'export');
    expect(exports.map(({ path, source, days, first }) => [path, source, days, first])).toEqual([
      [`${device}/Activity/RUN.FIT`, 'fit', 1, '2026-02-15'],
      [`${device}/HRVStatus/H1.FIT`, 'fit', 1, '2026-02-15'],
      [`${device}/Monitor/M2.FIT`, 'fit', 2, '2026-02-15'],
      [`${device}/Weight/W.FIT`, 'fit', 1, '2026-02-15'],
    ]);
    const files = ['Activity/RUN', 'HRVStatus/H1', 'Monitor/M2', 'Weight/W'].map(
      (name) => `${device}/${name}.FIT`,
    );
    expect(lines.filter(({ type }) => type === 'wellness')).toMatchObject([
      { date: '2026-02-15', outcome: 'pushed', sources: files, warnings: [] },
      { date: '2026-02-16', outcome: 'pushed', sources: [files[2]], warnings: [] },
    ]);
    const explained = (await world.lines(['explain', '2026-02-15']))[0];
    const [wellness] = explained?.['records'] as { files: { path: string }[] }[];
    expect(wellness?.files.map(({ path }) => path)).toEqual(files);
    const text = (await world.sync(['explain', '2026-02-16'])).stdout;
    expect(text).toContain(`           from ${device}/Monitor/M2.FIT\n`);
    expect(text).not.toContain('M1.FIT');
  });

  it('reads one file, also from stdin, and merges it with records of other forms', async () => {
    const world = await open();
    const json = world.write('a.json', '{"date": "2026-02-15", "steps": 9000, "weight": 70}');
    const run = await world.sync(['push', 'wellness', '-', json, ...BERLIN], {
      input: weight(7_245, 0),
    });
    expect(run.stderr).toBe('stdin: FIT file of a device: wellness, 1 day (2026-02-15)\n');
    // The athlete's own records count before a device's.
    expect(heldBy(world)).toEqual({ '2026-02-15': { steps: 9000, weight: 70 } });
  });

  it('reads zip archives', async () => {
    const world = await open();
    const inner = makeZip([
      { name: 'ada_1.fit', bytes: monitoring([DAY, 53]) },
      { name: 'ada_2.fit', bytes: makeRecording() },
    ]);
    const name = 'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip';
    const archive = world.write('export.zip', makeZip([{ name, bytes: inner }]));
    const run = await world.sync(['push', 'wellness', archive, ...BERLIN]);
    expect(run.stdout).toBe('2026-02-15: sent\nwellness: 1 sent.\n');
    const text = (await world.sync(['explain', '2026-02-15'])).stdout;
    expect(text).toContain(`from ${archive}/${name}/ada_1.fit\n`);
  });

  it('sends the weights of one user with --user', async () => {
    const world = await open();
    world.write('in/a.fit', weight(7_245, 0));
    world.write('in/b.fit', weight(5_100, 1, 8 * HOUR));
    const args = ['push', 'wellness', `${world.home.dir}/in`, ...BERLIN];
    const both = await world.sync(args);
    expect(both.stderr).toContain('`sync push wellness --user 0` with these files');
    expect(both.stdout).toBe('No wellness records found.\n');
    expect((await world.sync([...args, '--user', '1'])).code).toBe(0);
    expect(heldBy(world)).toEqual({ '2026-02-15': { weight: 51 } });
    expect(await world.sync([...args, '--user', 'ada'])).toMatchObject({
      code: 2,
      stderr: 'Error: --user ada: a number from 0 is expected.\n',
    });
  });
});

describe('a FIT file without wellness', () => {
  it.each<[string, Uint8Array, string, string]>([
    ['an activity', makeRecording(), 'an activity', '`sync upload FILE` sends it.'],
    ['settings', makeRecording({ type: 2 }), 'settings', 'docs/records.md'],
    ['monitoring', monitoring(), 'monitoring data', 'docs/records.md'],
  ])('is refused by its contents if it is named: %s', async (_, bytes, holds, hint) => {
    const world = await open();
    const file = world.write('x.fit', bytes);
    const run = await world.sync(['push', 'wellness', file]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`${file} has no wellness in it: it is ${holds}. `);
    expect(run.stdout).toContain(hint.replace('FILE', file));
  });

  it('has no nutrition either', async () => {
    const world = await open();
    const ride = world.write('x.fit', makeRecording());
    const scale = world.write('w.fit', weight(7_245, 0));
    const run = await world.sync(['push', 'nutrition', ride, scale]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`${ride} has no nutrition in it: it is an activity.`);
    expect(run.stdout).toContain(`Send it with \`sync push wellness ${scale}\`.`);
  });

  it('is passed over in a folder, which is refused if it has no other', async () => {
    const world = await open();
    world.write('in/x.fit', makeRecording());
    const run = await world.sync(['push', 'wellness', `${world.home.dir}/in`]);
    expect(run.code).toBe(3);
    expect(run.stderr).toBe(`${world.home.dir}/in: 1 FIT file without wellness.\n`);
    expect(run.stdout).toContain('in holds no wellness that sync understands.');
  });
});

it('a damaged FIT file costs only itself, and is named', async () => {
  const world = await open();
  const whole = monitoring([DAY, 53]);
  const cut = world.write('in/cut.fit', truncated(whole, 5));
  world.write('in/good.fit', whole);
  const inFolder = await world.sync(['push', 'wellness', `${world.home.dir}/in`, ...BERLIN]);
  expect(inFolder.stderr).toContain(`${cut}: The end is missing: 5 bytes of ${whole.length}.`);
  expect(inFolder.stdout).toBe('2026-02-15: sent\nwellness: 1 sent.\n');
  const named = await world.sync(['push', 'wellness', cut, ...BERLIN]);
  expect(named.code).toBe(3);
  expect(named.stdout).toContain(`${cut}: The end is missing: 5 bytes of ${whole.length}.`);
});

describe('sync sources of a FIT file', () => {
  it('shows its first day', async () => {
    const world = await open();
    const file = world.write('m.fit', monitoring([DAY, 53], [2 * DAY, 52]));
    const run = await world.sync(['sources', file]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(
      `${file}: FIT file of a device: wellness, 2 days (2026-02-15 to 2026-02-16)\n`,
    );
    expect(run.stdout).toContain('"restingHr": 53');
  });

  it('says why it shows no day', async () => {
    const world = await open();
    const file = world.write('m.fit', monitoring([100 * 365 * DAY, 53]));
    const run = await world.sync(['sources', file]);
    expect([run.code, run.stdout]).toEqual([0, '']);
    expect(run.stderr).toContain("is not sent: the device's clock was wrong.");
  });
});

it('sync import of FIT files uploads an activity and sends the VO2max in it', async () => {
  const world = await open();
  const device = writeDevice(world);
  const run = await world.sync(['import', device, '--yes', ...BERLIN, '--json']);
  expect(run.code).toBe(0);
  const lines = ndjson(run.stdout);
  expect(lines.filter(({ type }) => type === 'import-found')).toMatchObject([
    { kind: 'recordings', files: 2 },
    { kind: 'wellness', source: 'fit', files: 5, days: 2 },
    { kind: 'no-activity', files: 1 },
  ]);
  expect(lines.filter(({ type }) => type === 'upload')).toHaveLength(2);
  expect(heldBy(world)).toEqual({
    '2026-02-15': { restingHr: 53, vo2max: 52.3, hrv: 66.5, weight: 72.45 },
    '2026-02-16': { restingHr: 80 },
  });
  const again = await world.lines(['import', device, '--yes', ...BERLIN]);
  expect(again.filter(({ type }) => type === 'wellness')).toMatchObject([
    { outcome: 'skipped', reason: 'unchanged' },
    { outcome: 'skipped', reason: 'unchanged' },
  ]);
});

it('sync import of an archive sends the recordings and the wellness of the FIT files in it, packed or not', async () => {
  const world = await open();
  const inner = makeZip([
    { name: 'ada_1.fit.gz', bytes: gzipSync(monitoring([DAY, 53])) },
    { name: 'ada_2.fit', bytes: activity(523, 1, 9 * HOUR) },
  ]);
  const name = 'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip';
  const archive = world.write('export.zip', makeZip([{ name, bytes: inner }]));
  const lines = await world.lines(['import', archive, '--yes', ...BERLIN]);
  expect(lines.filter(({ type }) => type === 'upload')).toHaveLength(1);
  expect(heldBy(world)).toEqual({ '2026-02-15': { restingHr: 53, vo2max: 52.3 } });
});

describe('sync upload of a FIT file with wellness', () => {
  const command = (path: string) => `\`sync push wellness ${path}\` sends its wellness.`;

  it('skips it in a folder, with one sentence about all of them, also when it is known', async () => {
    const world = await open();
    const device = writeDevice(world);
    expect((await world.sync(['upload', device])).stdout).toContain(
      '5 without an activity to send (settings, courses, walks of phone apps). 4 files hold wellness: `sync push wellness` with the same folder sends it.',
    );
    const again = await world.lines(['upload', device]);
    expect(again.filter(({ wellness }) => wellness === true)).toHaveLength(4);
  });

  it('names the command that sends it if the file is named', async () => {
    const world = await open();
    const file = world.write('m.fit', monitoring([DAY, 53]));
    const run = await world.sync(['upload', file]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(command(file));
    expect((await world.sync(['explain', file])).stdout).toContain(command(file));
  });
});
