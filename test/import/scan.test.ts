import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Archives } from '../../src/archive/archives.ts';
import type { ImportRow } from '../../src/import/import-table.ts';
import { describeActivity } from '../../src/fit/activity.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { type ScanOptions, scanInputs } from '../../src/import/scan.ts';
import { knownFiles } from '../../src/ledger/known-files.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { SOURCES } from '../../src/records/sources/all.ts';
import { markIn, openIn } from '../ledger/support.ts';
import { testContext } from '../support/context.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { makeZip } from '../support/zip-maker.ts';
import { NO_WORKOUT } from '../support/activity.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const rideOf = (day: string, seed = 1) =>
  makeRecording({ seed, sizeBytes: 2_000, startTime: new Date(`${day}T07:30:00Z`) });
const RIDE = rideOf('2026-02-15');
const RUN = rideOf('2026-03-01', 2);
const SETTINGS = makeRecording({ seed: 3, sizeBytes: 2_000, type: 2 });

const WELLNESS = JSON.stringify([
  { date: '2026-02-15', restingHr: 48 },
  { date: '2026-02-16', restingHr: 49 },
]);
const MEALS = JSON.stringify({
  date: '2026-02-15',
  items: [{ logged_at: '2026-02-15T08:00:00Z', name: 'Oats', carbs: 60 }],
});
const UDS = JSON.stringify([
  { calendarDate: '2026-02-20', totalSteps: 9_000, restingHeartRate: 44, userProfilePK: 1 },
  { calendarDate: '2026-02-21', totalSteps: 8_000, restingHeartRate: 45, userProfilePK: 1 },
]);

/** Writes files into a folder, and scans these paths of it. */
async function scanOf(
  files: Readonly<Record<string, Uint8Array | string>>,
  paths: readonly string[],
  { confirmed, ...over }: Partial<ScanOptions> & { confirmed?: Uint8Array } = {},
) {
  const dir = scratchDir();
  const temp = scratchDir();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), bytes);
  }
  const state = scratchDir();
  const database = openIn(state);
  const uploads = uploadLedger(database, 'athlete:1', markIn(state), Date.now);
  const known = knownFiles(database, 'athlete:1', Date.now);
  if (confirmed !== undefined) {
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(confirmed).digest('hex');
    const activity = describeActivity(readSummary(confirmed));
    const { length: size } = confirmed;
    uploads.claim({ sha256, path: 'x.fit', size, activity, workout: NO_WORKOUT }, false);
    uploads.confirm(sha256, 1, {});
  }
  const context = testContext({});
  const archives = new Archives(context.signal, temp);
  onTestFinished(() => archives.close());
  const problems: string[] = [];
  const looked: string[] = [];
  const options: ScanOptions = {
    zone: { name: 'Europe/Berlin', from: 'flag' },
    strict: false,
    now: Date.parse('2026-04-01'),
    since: undefined,
    sources: { list: SOURCES, named: false, choose: () => Promise.reject(new Error('unused')) },
    include: [],
    ...over,
  };
  const scan = await scanInputs(context, paths, options, {
    cwd: dir,
    archives,
    known: { uploads, known },
    report: (item) => problems.push(`${item.path}: ${'reason' in item ? item.reason : ''}`),
    reportUnreadable: ({ path, reason }) => problems.push(`${path}: ${reason}`),
    progress: (count, path) => looked.push(`${count} ${path}`),
  });
  return { scan, problems, looked, dir, tempFiles: () => readdirSync(temp) };
}

/** A row in short. */
const row = ({ kind, title, files, days, sends }: ImportRow) =>
  `${kind}: ${title}, ${files}${days.length > 0 ? `, ${days[0] ?? ''} to ${days.at(-1) ?? ''}` : ''}${sends ? ', sent' : ''}`;

describe('a scan of an account export', () => {
  it('classifies every member, in archives at any depth', async () => {
    const inner = makeZip([
      { name: 'athlete_1.fit', bytes: RIDE },
      { name: 'athlete_2.fit', bytes: RUN },
      { name: 'athlete_3.fit', bytes: SETTINGS },
      { name: 'athlete_4.fit', bytes: truncated(RIDE, 50) },
    ]);
    const zip = makeZip([
      { name: 'DI_CONNECT/DI-Connect-Uploaded-Files/Part1.zip', bytes: inner },
      { name: 'DI_CONNECT/DI-Connect-Aggregator/UDSFile_1.json', bytes: UDS },
      { name: 'DI_CONNECT/own.json', bytes: WELLNESS },
      { name: 'DI_CONNECT/meals.json', bytes: MEALS },
      { name: 'DI_CONNECT/devices.json', bytes: '{"devices":[{"id":1}]}' },
      { name: 'DI_CONNECT/broken.json', bytes: '{"devices":[' },
      { name: 'DI_CONNECT/empty.json', bytes: '' },
      { name: 'track.gpx', bytes: '<gpx/>' },
      { name: 'track.tcx.gz', bytes: 'x' },
      { name: 'image.JPG', bytes: 'x' },
      { name: 'image.jpg', bytes: 'x' },
      { name: 'README', bytes: 'x' },
      { name: 'copy.fit.gz', bytes: gzipSync(RIDE) },
    ]);
    const { scan, problems, tempFiles } = await scanOf({ 'export.zip': zip }, ['export.zip']);
    expect(scan.rows.map(row)).toEqual([
      'recordings: Recordings, 2, 2026-02-15 to 2026-03-01, sent',
      'wellness: Garmin Connect account export: daily summaries, 1, 2026-02-20 to 2026-02-21, sent',
      'wellness: JSON records, 1, 2026-02-15 to 2026-02-16, sent',
      'nutrition: JSON records, 1, 2026-02-15 to 2026-02-15, sent',
      'copies: Recordings found twice, 1',
      'no-activity: FIT files without an activity, 1',
      'no-activity: GPX and TCX without an activity, 1',
      'unusable: Invalid recordings, 2',
      'unreadable: Unreadable files, 1',
      'not-understood: .json files, 2',
      'not-understood: .jpg files, 2',
      'not-understood: Files without an extension, 1',
    ]);
    expect(problems).toEqual([
      'export.zip/DI_CONNECT/DI-Connect-Uploaded-Files/Part1.zip/athlete_4.fit: incomplete',
      'export.zip/DI_CONNECT/broken.json: unreadable',
      'export.zip/track.tcx.gz: not-fit',
    ]);
    expect(scan.recordings.map(({ path }) => path)).toEqual([
      'export.zip/DI_CONNECT/DI-Connect-Uploaded-Files/Part1.zip/athlete_1.fit',
      'export.zip/DI_CONNECT/DI-Connect-Uploaded-Files/Part1.zip/athlete_2.fit',
    ]);
    expect(tempFiles()).toEqual([]);
    const { wellness, nutrition } = scan.records;
    expect(wellness.records.map(({ date, sources }) => [date, sources])).toEqual([
      ['2026-02-15', ['export.zip/DI_CONNECT/own.json#/0']],
      ['2026-02-16', ['export.zip/DI_CONNECT/own.json#/1']],
      ['2026-02-20', ['export.zip/DI_CONNECT/DI-Connect-Aggregator/UDSFile_1.json#/0']],
      ['2026-02-21', ['export.zip/DI_CONNECT/DI-Connect-Aggregator/UDSFile_1.json#/1']],
    ]);
    expect(nutrition.records.map(({ date }) => date)).toEqual(['2026-02-15']);
  });

  it('takes a repaired copy for a recording, unless its original is whole', async () => {
    const swim = rideOf('2026-02-20', 4);
    const zip = makeZip([
      { name: 'cut.repaired.fit', bytes: RIDE },
      { name: 'cut.fit', bytes: truncated(RIDE, 50) },
      { name: 'alone.repaired.fit', bytes: RUN },
      // Before its original.
      { name: 'swim.repaired.fit', bytes: truncated(swim, 9) },
      { name: 'swim.fit', bytes: swim },
    ]);
    const walk = rideOf('2026-03-02', 3);
    const files = { 'a.zip': zip, 'b/whole.repaired.fit': truncated(walk, 9), 'b/whole.fit': walk };
    const { scan, problems } = await scanOf(files, ['a.zip', 'b']);
    expect(scan.rows.map(row)).toEqual([
      'recordings: Recordings, 4, 2026-02-15 to 2026-03-02, sent',
      'copies: Repaired copies, 2',
      'unusable: Invalid recordings, 1',
    ]);
    expect(problems).toEqual(['a.zip/cut.fit: incomplete']);
    expect(scan.recordings.map(({ path }) => path)).toEqual([
      'a.zip/swim.fit',
      'b/whole.fit',
      'a.zip/cut.repaired.fit',
      'a.zip/alone.repaired.fit',
    ]);
  });

  it('leaves the members readable for sending', async () => {
    const inner = makeZip([{ name: 'a.fit', bytes: RIDE }]);
    const zip = makeZip([
      { name: '1.zip', bytes: inner },
      { name: '2.zip', bytes: makeZip([{ name: 'b.fit', bytes: RUN }]) },
    ]);
    const { scan } = await scanOf({ 'export.zip': zip }, ['export.zip']);
    const read = [];
    for (const member of scan.recordings) read.push(await member.read());
    expect(read.map((contents) => ('bytes' in contents ? contents.bytes : contents))).toEqual([
      Buffer.from(RIDE),
      Buffer.from(RUN),
    ]);
  });

  it('counts a damaged or encrypted file of records as unreadable', async () => {
    const zip = makeZip([
      { name: 'a.json', bytes: WELLNESS, lies: { crc: 1 } },
      { name: 'b.json', bytes: WELLNESS, lies: { flags: 1 } },
    ]);
    const { scan, problems } = await scanOf({ 'export.zip': zip }, ['export.zip']);
    expect(problems).toEqual(['export.zip/a.json: corrupt', 'export.zip/b.json: unreadable']);
    expect(scan.rows.map(row)).toEqual(['unreadable: Unreadable files, 2']);
    expect(scan.records.wellness.records).toEqual([]);
  });

  it('counts files of a known source without any value, and reports none', async () => {
    const metaData = { calendarDate: '2026-02-15T06:31:00.0', sequence: 1 };
    const files = {
      'a_userBioMetrics.json': JSON.stringify([{ metaData, vo2Max: 52 }]),
      'wellness.json': JSON.stringify([{ id: '2026-02-15', restingHR: 47, kcalConsumed: null }]),
    };
    const { scan, problems } = await scanOf(files, ['.']);
    expect(problems).toEqual([]);
    const { wellness, nutrition } = scan.records;
    expect([...wellness.unreadable, ...nutrition.unreadable]).toEqual([]);
    expect(scan.rows.map(row)).toEqual([
      'wellness: intervals.icu: wellness, 1, 2026-02-15 to 2026-02-15, sent',
      'wellness: Garmin Connect account export: weights, 1',
      'nutrition: intervals.icu: food of whole days, 1',
    ]);
  });

  it('sends the recordings of a Strava export whose list of titles is damaged', async () => {
    const list = 'Activity ID,Activity Date,Activity Name,Filename\n1,x,Albis,activities/1.fit\n';
    const zip = makeZip([
      { name: 'activities/1.fit', bytes: RIDE },
      { name: 'activities.csv', bytes: list, lies: { crc: 1 } },
    ]);
    const { scan, problems } = await scanOf({ 'export.zip': zip }, ['export.zip']);
    expect(problems).toEqual(['export.zip/activities.csv: corrupt']);
    expect(scan.recordings).toMatchObject([{ path: 'export.zip/activities/1.fit' }]);
  });

  it('never takes JSON of an unknown program for records', async () => {
    const { scan } = await scanOf(
      {
        'a.json': JSON.stringify([{ date: '2026-02-15', vibes: 'good', userId: 7 }]),
        'b.json': JSON.stringify({ day: '2026-02-15', weight: 70 }),
      },
      ['a.json', 'b.json'],
    );
    expect(scan.rows.map(row)).toEqual(['not-understood: .json files, 2']);
  });
});

describe('a scan of files and folders', () => {
  it('finds recordings, records and archives at any depth, each once', async () => {
    const files = {
      'r/a.fit': RIDE,
      'r/deep/er/w.json': WELLNESS,
      'r/deep/b.zip': makeZip([{ name: 'c.fit', bytes: RUN }]),
      'r/.hidden/d.fit': rideOf('2026-01-01', 9),
      'r/.DS_Store': 'x',
    };
    const { scan, looked } = await scanOf(files, ['r', 'r/a.fit', './r/deep/er/w.json']);
    expect(scan.recordings.map(({ path }) => path)).toEqual(['r/a.fit', 'r/deep/b.zip/c.fit']);
    expect(scan.records.wellness.records).toHaveLength(2);
    expect(looked.slice(0, 3)).toEqual(['1 r/a.fit', '2 r/deep/b.zip/c.fit', '3 r/deep/er/w.json']);
  });

  it('follows no link in a folder', async () => {
    const dir = scratchDir();
    writeFileSync(join(dir, 'ride.fit'), RIDE);
    const { dir: cwd } = await scanOf({ 'r/x.txt': 'x' }, []);
    symlinkSync(dir, join(cwd, 'r/link'));
    symlinkSync(join(dir, 'ride.fit'), join(cwd, 'r/ride.fit'));
    const { scan } = await scanOf({}, [join(cwd, 'r')]);
    expect(scan.rows.map(row)).toEqual(['not-understood: .txt files, 1']);
  });

  it('reports a path that does not exist, and looks at the others', async () => {
    const { scan, problems } = await scanOf({ 'a.fit': RIDE }, ['nowhere', 'a.fit', '']);
    expect(problems).toEqual(['nowhere: unreadable', ': unreadable']);
    expect(scan.recordings).toHaveLength(1);
  });

  it('reports a zip archive whose download failed or still runs, and looks at the others', async () => {
    const part = makeZip([{ name: 'c.fit', bytes: RUN }]).subarray(0, -40);
    const page = Buffer.from('<!DOCTYPE html><html>');
    const files = { 'a.fit': RIDE, 'r/page.zip': page, 'r/zero.zip': '', 'r/part.zip': part };
    const { scan, problems } = await scanOf(files, ['r', 'a.fit']);
    expect(problems.sort()).toEqual([
      'r/page.zip: unreadable',
      'r/part.zip: incomplete',
      'r/zero.zip: unreadable',
    ]);
    expect(scan.recordings).toHaveLength(1);
  });
});

describe('a scan', () => {
  it('leaves out recordings that the platform confirmed before', async () => {
    const files = { 'a.zip': makeZip([{ name: 'a.fit', bytes: RIDE }]), 'b.fit': RUN };
    const { scan } = await scanOf(files, ['a.zip', 'b.fit'], { confirmed: RIDE });
    expect(scan.rows.map(row)).toEqual([
      'recordings: Recordings, 1, 2026-03-01 to 2026-03-01, sent',
      'uploaded-before: Recordings uploaded before, 1, 2026-02-15 to 2026-02-15',
    ]);
    expect(scan.recordings.map(({ path }) => path)).toEqual(['b.fit']);
  });

  it('reads records in the only list of an object, and lists foods and days of foods in one', async () => {
    const { items } = JSON.parse(MEALS) as { items: unknown };
    const files = {
      'w.json': `{"user": "ana", "data": ${WELLNESS}}`,
      'days.json': `{"data": [${MEALS}]}`,
      'foods.json': JSON.stringify({ foods: items }),
    };
    const { scan } = await scanOf(files, ['.']);
    expect(scan.rows.map(row)).toEqual([
      'wellness: JSON records, 1, 2026-02-15 to 2026-02-16, sent',
      'ambiguous: Perhaps nutrition: JSON with field names of the platform, 2',
    ]);
  });

  it('begins with --since: recordings by their start, records by their day', async () => {
    const files = { 'a.fit': RIDE, 'b.fit': RUN, 'w.json': WELLNESS };
    const { scan } = await scanOf(files, ['.'], { since: '2026-02-16' });
    expect(scan.rows.map(row)).toEqual([
      'recordings: Recordings, 1, 2026-03-01 to 2026-03-01, sent',
      'wellness: JSON records, 1, 2026-02-16 to 2026-02-16, sent',
      'too-early: Earlier recordings, 1, 2026-02-15 to 2026-02-15',
    ]);
    expect(scan.records.wellness.records.map(({ date }) => date)).toEqual(['2026-02-16']);
  });

  it('counts a recording on its local day, or on the day of the zone', async () => {
    const late = new Date('2026-02-15T23:30:00Z');
    const files = {
      'zone.fit': makeRecording({ seed: 4, sizeBytes: 2_000, startTime: late }),
      'local.fit': makeRecording({
        seed: 5,
        sizeBytes: 2_000,
        startTime: late,
        localOffsetMinutes: -300,
      }),
    };
    const { scan } = await scanOf(files, ['.']);
    expect(scan.rows[0]?.days).toEqual(['2026-02-15', '2026-02-16']);
  });
});

it('takes members with one name in steps that grow with their number, not with its square', async () => {
  const steps = async (count: number): Promise<number> => {
    const members = Array.from({ length: count }, () => ({ name: 'a.json', bytes: WELLNESS }));
    const looks = [vi.spyOn(Set.prototype, 'has'), vi.spyOn(Map.prototype, 'has')];
    const { scan } = await scanOf({ 'x.zip': makeZip(members) }, ['x.zip']);
    const total = looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const look of looks) look.mockRestore();
    expect(scan.rows.map(row)).toEqual([
      `wellness: JSON records, ${count}, 2026-02-15 to 2026-02-16, sent`,
    ]);
    return total;
  };
  const few = await steps(200);
  expect(await steps(400)).toBeLessThan(2.2 * few);
});
