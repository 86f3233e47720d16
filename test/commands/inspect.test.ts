import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { inspect } from '../../src/commands/inspect/inspect.ts';
import { type InspectItem, inspectRecording } from '../../src/commands/inspect/findings.ts';
import { inspectLines } from '../../src/commands/inspect/text.ts';
import { joinTexts } from '../../src/base/phrase.ts';
import { wrap } from '../../src/terminal/wrap.ts';
import { readFile } from '../../src/upload/read-recording.ts';
import { testSystem } from '../auth/support.ts';
import { startCommand, startJsonCommand } from '../support/command.ts';
import { makeRecording, truncated, unfinished, wrapRecords } from '../support/fit-maker.ts';
import { gpx, ridePoints } from '../support/tracks.ts';
import {
  type ActivityParts,
  START,
  fitFile,
  fitMessage,
  makeActivity,
  semicircles,
} from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'inspect-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs `sync inspect --json` to its end. */
async function inspectAll(...files: string[]) {
  const { lines, finished } = startJsonCommand(inspect, [files, {}], { homeDir: folder });
  return { exitCode: await finished, lines: lines() };
}

const ride = makeRecording({
  startTime: new Date('2026-02-15T07:30:00Z'),
  localOffsetMinutes: 60,
  durationSecs: 1800,
  serial: 3412345678,
  developerField: true,
});

const screen = (columns: number, unicode = true) => ({ columns, unicode });

function inspectFile(path: string): InspectItem {
  const contents = readFile(path, (size) => Buffer.allocUnsafe(size));
  return 'problem' in contents
    ? { path, state: 'unreadable', detail: contents.problem }
    : inspectRecording(path, contents.bytes);
}

/** Returns what a terminal of this width shows, line by line. */
function shown(item: InspectItem, columns = 80, unicode = true): string[] {
  return wrap(
    joinTexts(inspectLines(item, screen(columns, unicode)), '\n').render(),
    columns,
  ).split('\n');
}

type Session = NonNullable<ActivityParts['session']>;
type Averages = Partial<Record<'power' | 'heartRate' | 'cadence', number>>;

/** A ride at 90 rpm that stands still for half of the time, and one that coasts. */
const STOPS = [90, 0, 90, 0].map((cadence) => ({ cadence }));
const COASTS = [200, 0, 0, 0].map((power) => ({ power }));

/** Returns the averages that a recording shows, and those of its records that contradict them. */
function averagesIn(path: string): (Averages | undefined)[] {
  const item = inspectFile(path);
  if (!('averages' in item)) return [];
  return [item.averages, item.recordedAverages].map(
    ({ power, heartRate, cadence }) =>
      Object.fromEntries(
        Object.entries({ power, heartRate, cadence }).filter(([, value]) => value !== undefined),
      ) as Averages,
  );
}

function drawnIn(lines: readonly string[]): string[] {
  return lines.filter((line) => /[\u2801-\u28ff▁▂▃▄▅▆▇█]/u.test(line));
}

describe('sync inspect', () => {
  it('prints the contents of a recording as JSON', async () => {
    const path = file('ride.fit', ride);
    const [line] = (await inspectAll(path)).lines;
    const distanceMeters = line?.['distanceMeters'];
    expect(distanceMeters).toBeGreaterThan(10_000);
    expect(line).toEqual({
      type: 'recording',
      path,
      state: 'whole',
      sha256: createHash('sha256').update(ride).digest('hex'),
      size: ride.length,
      segments: 1,
      holds: 'an activity',
      isSent: true,
      hasWellness: false,
      device: {
        id: 'garmin-4062-3412345678',
        manufacturer: 'garmin',
        product: 'Edge 840',
        serial: 3412345678,
      },
      name: 'Morning ride',
      startTime: '2026-02-15T07:30:00.000Z',
      localStartTime: '2026-02-15T08:30:00+01:00',
      elapsedSecs: 1800,
      timerSecs: 1800,
      distanceMeters,
      fromRecords: [],
      maxima: { power: 268, heartRate: 154, speedMetersPerSec: 9.222 },
      averages: { power: 205, heartRate: 142, cadence: 87, cadenceUnit: 'rpm' },
      recordedAverages: {},
      sessions: [
        {
          sport: 'cycling',
          startTime: '2026-02-15T07:30:00.000Z',
          elapsedSecs: 1800,
          timerSecs: 1800,
          distanceMeters,
        },
      ],
      laps: 1,
      records: 1800,
      recordedSecs: 1799,
      developerFields: [{ name: 'core_temperature' }],
    });
  });

  it('prints text with charts and a map', () => {
    const lines = shown(inspectFile(file('ride.fit', ride)), 100);
    const text = lines.join('\n');
    expect(lines.slice(1, 5)).toEqual([
      '  Morning ride',
      '  Sunday 2026-02-15 08:30 local time (UTC+01:00)',
      /^ {2}30:00 {3}\d+\.\d\d km {3}\d+\.\d km\/h$/,
      '  205 W   142 bpm   87 rpm',
    ]);
    expect(text).toContain('Developer fields: core_temperature');
    expect(text).toContain('Device  Garmin Edge 840 (garmin-4062-3412345678)');
    expect(text).toMatch(/[\u2801-\u28ff]/u);
    expect(text).toMatch(/Altitude .*\n/);
    expect(text).toMatch(/[▁▂▃▄▅▆▇█]+ \d+ to \d+ W/);
  });

  it('draws its picture with ASCII characters if the terminal has no others', () => {
    const text = shown(inspectFile(file('ride.fit', ride)), 60, false).join('\n');

    expect(text).toMatch(/^[\0-\x7f]*$/);
    expect(text).toMatch(/[:'.]{2}/);
    expect(text).toMatch(/Power +[.:|# ]+\n/);
    expect(text).toMatch(/[.:|#]+ \d+ to \d+ W/);
  });

  it.each([40, 60, 80, 120])('keeps its picture within %d columns', (columns) => {
    const lines = shown(inspectFile(file('ride.fit', ride)), columns);
    expect(drawnIn(lines).length).toBeGreaterThan(4);
    for (const line of drawnIn(lines)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it.each([60, 80])('keeps its picture within %d columns above 1,000 m', (columns) => {
    const records = Array.from({ length: 800 }, (_, i) => ({
      altitude: (1000 + i + 500) * 5,
      heartRate: 90 + (i % 90),
      latitude: semicircles(46 + i / 10_000),
      longitude: semicircles(8 + i / 10_000),
    }));
    const lines = shown(inspectFile(file('col.fit', makeActivity({ records }))), columns);
    const altitude = lines.filter((line) => / 1,\d{3} to 1,\d{3} m$/.test(line));
    expect(altitude).toHaveLength(1);
    for (const line of drawnIn(lines)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('draws no chart of a constant value', () => {
    const records = Array.from({ length: 60 }, (_, i) => ({ altitude: 2600, heartRate: 90 + i }));
    const text = shown(inspectFile(file('flat.fit', makeActivity({ records })))).join('\n');
    expect(text).not.toContain('Altitude');
    expect(text).toContain('Heart rate');
  });

  it('shows UTC and no part of the day if the local time is unknown', () => {
    const path = file('utc.fit', makeRecording({ startTime: new Date('2026-02-15T07:30:00Z') }));
    expect(shown(inspectFile(path)).slice(1, 3)).toEqual([
      '  Ride',
      '  2026-02-15 07:30 UTC; the device does not say the local time',
    ]);
  });

  it('lists the sports of a triathlon', () => {
    const path = file('tri.fit', makeRecording({ sport: 5, furtherSports: [3, 2, 3, 1] }));
    const text = shown(inspectFile(path)).join('\n');
    expect(text).toContain('  Triathlon\n');
    expect(text).toMatch(/1\. swimming .*\n {2}2\. transition .*\n {2}3\. cycling /);
  });

  it.each<[string, Parameters<typeof makeActivity>[0], string]>([
    ['a ride', { session: { sport: 2, cadence: 87 } }, '36.0 km/h 87 rpm'],
    ['a run', { session: { sport: 1, cadence: 87, fractionalCadence: 64 } }, '1:40 /km 175 spm'],
    ['a hike', { session: { sport: 17, cadence: 55 } }, '1:40 /km 110 spm'],
    ['a swim', { session: { sport: 5, cadence: 27 } }, '0:10 /100 m 27 strokes/min'],
    ['a row', { session: { sport: 15, cadence: 24 } }, '0:50 /500 m 24 strokes/min'],
    ['indoors', { session: { sport: 4, subSport: 14, cadence: 24 } }, '0:50 /500 m 24 strokes/min'],
    ['a paddle', { session: { sport: 41, cadence: 60 } }, '36.0 km/h 60 strokes/min'],
    ['a ski', { session: { sport: 13, cadence: 60 } }, '36.0 km/h'],
  ])('shows the units of %s', (_, parts, units) => {
    const session = { ...parts.session, distanceCm: 600_000 };
    const lines = shown(inspectFile(file('units.fit', makeActivity({ session }))));
    const figures = lines.slice(3, 5).join(' ').replace(/ +/g, ' ');
    expect(
      figures
        .replace('10:00 6.00 km ', '')
        .replace(/ no records.*| SHA.*/, '')
        .trim(),
    ).toBe(units);
  });

  it('shows the depth of a dive', () => {
    const records = Array.from({ length: 600 }, (_, i) => ({
      depthMm: 18_300 * Math.sin((i / 600) * Math.PI),
    }));
    const [stated, recorded] = [{ sport: 53, maxDepthMm: 18_300 }, { sport: 53 }].map((each) =>
      inspectFile(file('dive.fit', makeActivity({ session: each, records }))),
    );
    const text = shown(stated as InspectItem).join('\n');
    expect(text).toContain('10:00   18.3 m deep');
    expect(text).toMatch(/Depth +█/);
    expect(text).toMatch(/ 0 to 18 m\n/);
    expect(recorded).toMatchObject({ maxDepthMeters: 18.3 });
  });

  it('states no time, distance or maximum that only damaged records have', () => {
    const bytes = fitFile(
      fitMessage('fileId', { type: 4, manufacturer: 1 }),
      ...[0, 60, 120, 180].map((secs) =>
        fitMessage('record', {
          timestamp: START + secs,
          distanceCm: 300 * secs,
          power: 200 + secs,
        }),
      ),
      fitMessage('record', { timestamp: START + 181, distanceCm: 4_000_000_000, power: 65_407 }),
      fitMessage('record', { timestamp: 4_200_000_000, heartRate: 250, speed: 65_000 }),
      fitMessage('record', { timestamp: START + 182, distanceCm: 54_600, speed: 60_000 }),
    );
    expect(inspectFile(file('damaged.fit', bytes))).toMatchObject({
      elapsedSecs: 182,
      distanceMeters: 546,
      maxima: { power: 380, heartRate: undefined, speedMetersPerSec: 60 },
    });
  });

  it('shows the range of the records beside a chart of any width', () => {
    const records = Array.from({ length: 600 }, (_, i) => ({
      heartRate: i === 7 ? 0 : i === 300 ? 173 : i === 301 ? 103 : 140 + (i % 20),
      power: i === 200 ? 1059 : 200 + (i % 50),
    }));
    const item = inspectFile(file('range.fit', makeActivity({ records })));
    for (const columns of [60, 80, 200]) {
      const text = shown(item, columns).join('\n');
      expect(text).toMatch(/ 103 to 173 bpm\n/);
      expect(text).toMatch(/ 200 to 1,059 W\n/);
    }
  });

  it('shows the maxima of the device, else those of the records', () => {
    const records = [{ heartRate: 160, power: 400, speed: 12_000 }];
    const session = { sport: 2, maxHeartRate: 171, maxPower: 0, maxSpeed: 15_000 };
    const item = inspectFile(file('maxima.fit', makeActivity({ session, records })));
    expect(item).toMatchObject({ maxima: { power: 400, heartRate: 171, speedMetersPerSec: 15 } });
    expect(shown(item).join('\n')).toContain('  Maximum: 400 W, 171 bpm, 54.0 km/h\n');
    const run = makeActivity({ session: { sport: 1, maxSpeed: 5000 } });
    expect(shown(inspectFile(file('run.fit', run))).join('\n')).toContain('Maximum: 3:20 /km');
  });

  it.each<[string, Parameters<typeof makeActivity>[0]['session'], string]>([
    ['of 25 m', { poolCm: 2500, poolUnit: 0, lengths: 40 }, '40 lengths of 25 m'],
    ['of 25 yards', { poolCm: 2286, poolUnit: 1, lengths: 30 }, '30 lengths of 25 yd'],
    ['without lengths', { poolCm: 3333, poolUnit: 0 }, '33.33 m pool'],
  ])('shows a pool %s', (_, pool, text) => {
    const session = { sport: 5, subSport: 17, ...pool };
    const item = inspectFile(file('pool.fit', makeActivity({ session })));
    expect(shown(item).join('\n')).toContain(`10:00   ${text}\n`);
  });

  it('shows no negative number of lengths, which a damaged file may have', () => {
    const session = { sport: 5, subSport: 17, poolCm: 2500, poolUnit: 0, lengths: 0xfffb };
    const data = Buffer.from(makeActivity({ session })).subarray(14, -2);
    const [UINT16, SINT16] = [0x84, 0x83];
    data[data.indexOf(Uint8Array.of(33, 2, UINT16)) + 2] = SINT16;
    const item = inspectFile(file('pool.fit', wrapRecords(data)));
    expect(item).toMatchObject({ sessions: [{ pool: { lengthMetres: 25, lengths: undefined } }] });
    expect(shown(item).join('\n')).toContain('10:00   25 m pool\n');
  });

  it('shows no fraction of a length, which a damaged file may have', () => {
    const session = { sport: 5, subSport: 17, poolCm: 2500, poolUnit: 0, maxDepthMm: 0x3f000000 };
    const data = Buffer.from(makeActivity({ session })).subarray(14, -2);
    const [UINT32, FLOAT32] = [0x86, 0x88];
    Buffer.from([33, 4, FLOAT32]).copy(data, data.indexOf(Uint8Array.of(141, 4, UINT32)));
    const item = inspectFile(file('pool.fit', wrapRecords(data)));
    expect(item).toMatchObject({ sessions: [{ pool: { lengthMetres: 25, lengths: undefined } }] });
  });

  it('counts records without a time', () => {
    const records = Array.from({ length: 8 }, () => fitMessage('record', { heartRate: 120 }));
    const bytes = fitFile(fitMessage('fileId', { type: 4 }), ...records);
    expect(inspectFile(file('untimed.fit', bytes))).toMatchObject({ records: 8 });
  });

  it('names the product by the device_info of the recording device', () => {
    const bytes = fitFile(
      fitMessage('fileId', { type: 4, manufacturer: 32, product: 31 }),
      fitMessage('deviceInfo', { index: 1, productName: 'TICKR' }),
      fitMessage('deviceInfo', { index: 0, productName: 'ELEMNT BOLT' }),
    );
    const item = inspectFile(file('bolt.fit', bytes));
    expect(item).toMatchObject({ device: { id: 'wahoo_fitness-31', product: 'ELEMNT BOLT' } });
    expect(shown(item).join('\n')).toContain(
      'Device  Wahoo Fitness ELEMNT BOLT (wahoo_fitness-31)',
    );
  });

  it('shows the time with pauses beside the time without', () => {
    const session = { sport: 2, timerMs: 540_000 };
    const text = shown(inspectFile(file('pause.fit', makeActivity({ session })))).join('\n');
    expect(text).toContain('  9:00 (10:00 with pauses)\n');
  });

  it("shows the device's cadence, and that of its records only if it contradicts", () => {
    const at = (cadence: number) => {
      const records = Array.from({ length: 60 }, () => ({ cadence: 68 }));
      const bytes = makeActivity({ session: { sport: 2, cadence }, records });
      return shown(inspectFile(file('cadence.fit', bytes))).join('\n');
    };
    expect(at(131)).toMatch(/ 131 rpm\n {2}Its records average 68 rpm instead\.\n/);
    expect(at(66)).toMatch(/ 66 rpm\n(?! {2}Its records)/);
  });

  it.each<[string, Session, readonly object[], Averages, Averages?]>([
    ['cadence without standing still', { cadence: 90 }, STOPS, { cadence: 90 }],
    ['cadence with standing still', { cadence: 45 }, STOPS, { cadence: 45 }],
    ['cadence between the two', { cadence: 70 }, STOPS, { cadence: 70 }],
    ['cadence far above', { cadence: 131 }, STOPS, { cadence: 131 }, { cadence: 90 }],
    ['cadence far below', { cadence: 20 }, STOPS, { cadence: 20 }, { cadence: 90 }],
    ['no cadence', { cadence: 0xff }, STOPS, { cadence: 90 }],
    ['a cadence of 0', { cadence: 0 }, STOPS, { cadence: 90 }],
    ['cadence with a fraction', { cadence: 89, fractionalCadence: 64 }, STOPS, { cadence: 89.5 }],
    ['cadence without a sensor', { cadence: 0 }, [{ cadence: 0 }], {}],
    ['power without coasting', { power: 200 }, COASTS, { power: 200 }],
    ['power with coasting', { power: 50 }, COASTS, { power: 50 }],
    ['power far above', { power: 400 }, COASTS, { power: 400 }, { power: 50 }],
    ['no power', { power: 0xffff }, COASTS, { power: 50 }],
    ['no heart rate', { heartRate: 0xff }, [{ heartRate: 140 }], { heartRate: 140 }],
  ])(
    "reports the device's averages, and those of the records that contradict: %s",
    (_, session, records, averages, recordedAverages = {}) => {
      const bytes = makeActivity({ session: { sport: 2, ...session }, records });
      expect(averagesIn(file('averages.fit', bytes))).toEqual([averages, recordedAverages]);
    },
  );

  it('counts the averages of several sessions by their time', () => {
    const path = file('three.fit', makeRecording({ durationSecs: 90, furtherSports: [2, 2] }));
    expect(averagesIn(path)).toEqual([{ power: 205, heartRate: 142, cadence: 87 }, {}]);
  });

  it.skipIf(!realRecordings.present)(
    `contradicts the averages of real recordings only if the device was wrong${realRecordings.note}`,
    () => {
      const all = realRecordings.names().map((name) => averagesIn(realRecordings.path(name)));
      // The device wrote 131.
      expect(all.flatMap(([, recorded]) => Object.values(recorded ?? {}))).toEqual([68.5]);
      const edge840 = averagesIn(realRecordings.path('garmin-edge840-indoor-ride.fit'));
      expect(edge840).toEqual([{ power: 198, heartRate: 139, cadence: 86.1 }, {}]);
    },
  );

  it.each([
    ['settings', 2, 'settings'],
    ['fitness metrics', 44, 'fitness metrics'],
    ['HRV status', 68, 'HRV status'],
  ])('says that %s are not sent', (_, type, holds) => {
    const path = file('other.fit', fitFile(fitMessage('fileId', { type, manufacturer: 1 })));
    const item = inspectFile(path);
    expect(item).toMatchObject({ state: 'whole', holds, isSent: false });
    const text = shown(item).join(' ').replace(/\s+/g, ' ');
    expect(text).toContain(`Not an activity but ${holds}, so uploads leave it out.`);
    expect(text).toContain(`\`sync upload --any-type ${path}\` sends it all the same.`);
  });

  it('names the command for the wellness in a file that is no activity', () => {
    const vo2max = fitMessage('maxMet', { time: START, tenths: 500, sport: 1 });
    const path = file('metrics.fit', fitFile(fitMessage('fileId', { type: 44 }), vo2max));
    const item = inspectFile(path);
    expect(item).toMatchObject({ isSent: false, hasWellness: true });
    const text = shown(item).join(' ').replace(/\s+/g, ' ');
    expect(text).toContain(`\`sync push wellness ${path}\` sends its wellness.`);
  });

  it('gives a file that is no activity no name', () => {
    const messages = [fitMessage('fileId', { type: 3 }), fitMessage('sport', { sport: 1 })];
    const item = inspectFile(file('sport.fit', fitFile(...messages)));
    expect(item).toMatchObject({ holds: 'sport settings', name: undefined });
  });

  it('takes a file without a type for an activity if it has a session', () => {
    const bytes = fitFile(
      fitMessage('fileId', { manufacturer: 1 }),
      fitMessage('session', { startTime: START, sport: 2, timerMs: 600_000 }),
    );
    const item = inspectFile(file('typeless.fit', bytes));
    expect(item).toMatchObject({ holds: 'an activity', isSent: true, name: 'Ride' });
    expect(shown(item).join('\n')).not.toContain('uploads leave it out');
  });

  it('shows when the records of a recording without a session began', () => {
    const records = [0, 60, 3600].map((secs) =>
      fitMessage('record', { timestamp: START + secs, distanceCm: 300 * secs }),
    );
    const fileId = fitMessage('fileId', { type: 4 });
    const item = inspectFile(file('no-session.fit', fitFile(fileId, ...records)));
    expect(item).toMatchObject({
      startTime: '2026-02-15T07:30:00.000Z',
      recordedSecs: 3600,
      elapsedSecs: 3600,
      distanceMeters: 10_800,
      fromRecords: ['elapsedSecs', 'distanceMeters'],
    });
    const text = shown(item).join('\n');
    expect(text).toContain('  1:00:00   10.80 km\n');
    expect(text).toContain('  Its records state the time and the distance; no session does.\n');
  });

  it('reports a whole file that cannot be decoded', () => {
    const item = inspectFile(file('garbage.fit', fitFile([0x0f, ...new Uint8Array(200).fill(7)])));
    expect(item).toMatchObject({ state: 'whole', readableBytes: 14, records: 0, isSent: false });
    const text = shown(item).join(' ').replace(/\s+/g, ' ');
    expect(text).toContain('Its checksum is correct, but it cannot be decoded to its end');
    expect(text).toContain('Readable: 14 of 217 bytes, no records.');
  });

  it('counts no byte behind a file that ends in its header', () => {
    const item = inspectFile(file('header.fit', ride.subarray(0, 12)));
    expect(shown(item).join(' ')).toContain('Readable: 12 of 12 bytes, no records.');
  });

  it('says how much of an unfinished recording is readable, and what to do', () => {
    const path = file('unfinished.fit', unfinished(ride));
    const item = inspectFile(path);
    expect(item).toMatchObject({ state: 'incomplete', records: 1800, recordedSecs: 1799 });
    const text = shown(item).join(' ').replace(/\s+/g, ' ');
    const size = (ride.length - 2).toLocaleString('en-US');
    expect(text).toContain('The device has not finished this recording');
    expect(text).toContain(`Readable: ${size} of ${size} bytes, 1,800 records over 29:59.`);
    expect(text).toContain(`\`sync repair ${path}\` writes a complete copy`);
  });

  it.each([1, 2])('counts no byte that a file lacks which is %i bytes short', (missing) => {
    const size = ride.length - missing;
    const item = inspectFile(file('short.fit', truncated(ride, missing)));
    expect(item).toMatchObject({ state: 'incomplete', size, readableBytes: undefined });
    const all = size.toLocaleString('en-US');
    expect(shown(item).join(' ').replace(/\s+/g, ' ')).toContain(
      `Readable: ${all} of ${all} bytes`,
    );
  });

  it('unpacks .fit.gz, and shows hash and size of the recording inside', () => {
    expect(inspectFile(file('ride.fit.gz', gzipSync(ride)))).toMatchObject({
      state: 'whole',
      size: ride.length,
      sha256: createHash('sha256').update(ride).digest('hex'),
      name: 'Morning ride',
    });
  });

  it('reports each bad file, continues, and exits with 3', async () => {
    const files = [
      file('cut.fit', truncated(ride, 100)),
      join(folder, 'absent.fit'),
      file('page.fit', Buffer.from('<!doctype html><title>Sign in</title>')),
      file('broken.fit.gz', gzipSync(ride).subarray(0, 500)),
      folder,
      file('ride.fit', ride),
    ];
    const report = await inspectAll(...files);
    expect(report.lines.map(({ state }) => state)).toEqual(
      'incomplete unreadable not-fit unreadable unreadable whole'.split(' '),
    );
    expect(report.exitCode).toBe(3);
    expect((await inspectAll(file('ride.fit', ride))).exitCode).toBe(0);
    const text = (path: string) => shown(inspectFile(path)).join('\n');
    const [cut, absent, page] = files.slice(0, 3).map(text);
    expect(cut).toContain('The end is missing: 100 bytes of');
    expect(cut).toMatch(/[▁▂▃▄▅▆▇█]/);
    expect(absent).toContain('Cannot be read. ');
    expect(page).toContain('This is a web page, not a recording');
    expect(page).not.toContain('of an unknown type');
  });

  it('replaces control characters from a file', () => {
    const name = Buffer.from('\u001b]0;owned\u0007Edge\0');
    const fields = [
      [0, 1, 0x00],
      [1, 2, 0x84],
      [8, name.length, 0x07],
    ];
    const fileId = [0x40, 0, 0, 0, 0, fields.length, ...fields.flat(), 0, 4, 32, 0, ...name];
    const item = inspectFile(file('evil.fit', wrapRecords(Uint8Array.from(fileId))));
    expect(item).toMatchObject({ holds: 'an activity' });
    const lines = shown({ ...item, path: 'a\u001b[2Jb.fit' }, 80);
    expect(lines.join(' ')).toContain(']0;owned Edge');
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
  });

  it('separates several files by an empty line', async () => {
    file('one.fit', ride);
    file('two.fit', ride);
    const system = testSystem({ homeDir: folder });
    const { done, stdout } = startCommand(inspect, system, ['one.fit', 'two.fit']);
    await done;
    const [first = '', second = ''] = stdout;
    expect(first).toMatch(/^one\.fit\n/);
    expect(second).toMatch(/^\ntwo\.fit\n/);
  });

  it('stops after an interruption', async () => {
    const controller = new AbortController();
    const files = [file('ride.fit', ride), file('run.fit', ride)];
    const { lines, finished } = startJsonCommand(
      inspect,
      [files, {}],
      { homeDir: folder, signal: controller.signal },
      () => controller.abort(new Error('stopped')),
    );
    await expect(finished).rejects.toThrow('stopped');
    expect(lines()).toHaveLength(1);
  });

  it('shows the recordings that a GPX or TCX file is converted to', async () => {
    const track = { name: 'To work', type: 'cycling', segments: [ridePoints(600, { hr: 130 })] };
    const again = { ...track, segments: [ridePoints(600, { from: 36_000 })] };
    const { exitCode, lines } = await inspectAll(
      file('two.gpx', Buffer.from(gpx([track, again]))),
      file('route.gpx', Buffer.from('<gpx><rte/></gpx>')),
    );
    expect(exitCode).toBe(3);
    expect(lines).toMatchObject([
      { path: /two\.gpx$/, state: 'whole', name: 'To work', isSent: true, records: 601 },
      { path: /two\.gpx#2$/, state: 'whole', averages: {} },
      { path: /route\.gpx$/, state: 'unreadable', detail: /holds a route/ },
    ]);
  });
});
