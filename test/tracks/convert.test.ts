import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import FitParser from 'fit-file-parser';
import { describe, expect, it } from 'vitest';
import { convert } from '../../src/commands/convert.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { startCommand, startJsonCommand } from '../support/command.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { testSystem } from '../auth/support.ts';
import { TRACK_START, type TrackPoint, gpx, ridePoints, tcx } from '../support/tracks.ts';

let folder: string;

interface Parsed {
  readonly records: readonly Record<string, unknown>[];
  readonly sessions: readonly Record<string, unknown>[];
  readonly laps: readonly Record<string, unknown>[];
}

/** The version that the platform reads with. */
const require = createRequire(import.meta.url);
const { default: PlatformParser } = require('fit-file-parser-2') as {
  readonly default: typeof FitParser;
};

/** Facts of a session that the platform shows. */
const SHOWN = [
  ...['sport', 'sub_sport', 'start_time', 'total_elapsed_time', 'total_timer_time'],
  ...[
    'total_distance',
    'total_calories',
    'total_ascent',
    'total_descent',
    'avg_speed',
    'max_speed',
  ],
  ...['avg_heart_rate', 'max_heart_rate', 'avg_cadence', 'max_cadence', 'avg_power', 'max_power'],
];

async function parsed(Reader: typeof FitParser, bytes: Buffer): Promise<Parsed> {
  const parser = new Reader({ mode: 'list', speedUnit: 'm/s', lengthUnit: 'm' });
  return JSON.parse(JSON.stringify(await parser.parseAsync(Buffer.from(bytes)))) as Parsed;
}

/** Checks that the platform reads the same records and sessions, with the old fields of speed and altitude. */
async function comparePlatform(
  bytes: Buffer,
  { records, sessions }: Parsed,
  ofLaps: boolean,
): Promise<void> {
  const there = await parsed(PlatformParser, bytes);
  expect(there.records).toMatchObject(records);
  for (const record of there.records) {
    expect(record['speed']).toEqual(record['enhanced_speed']);
    expect(record['altitude']).toEqual(record['enhanced_altitude']);
  }
  const shown = (all: Parsed['sessions']) =>
    all.map((session) => Object.fromEntries(SHOWN.map((field) => [field, session[field]])));
  expect(shown(there.sessions)).toEqual(shown(sessions));
  const altitudes = there.records.map(({ altitude }) => Number(altitude ?? 0));
  const jump = Math.max(...altitudes) - Math.min(...altitudes);
  // Laps may state a distance, and the ascent of impossible altitudes is more than the field holds.
  const has = (field: string) =>
    (ofLaps && field === 'distance') ||
    (there.records.some((record) => field in record) && (field !== 'altitude' || jump < 5_000));
  for (const [field, facts] of [
    ['distance', ['total_distance', 'avg_speed']],
    ['speed', ['max_speed']],
    ['altitude', ['total_ascent']],
    ['heart_rate', ['avg_heart_rate', 'max_heart_rate']],
    ['cadence', ['avg_cadence', 'max_cadence']],
    ['power', ['avg_power', 'max_power']],
  ] as const) {
    for (const fact of facts) {
      const stated = there.sessions.every((session) => session[fact] !== undefined);
      expect({ [fact]: stated }).toEqual({ [fact]: has(field) });
    }
  }
}

/** Converts a file; returns the lines, and what fit-file-parser reads of each recording. */
async function converted(text: string | Uint8Array, name = 'ride.gpx') {
  folder = scratchDir();
  writeFileSync(join(folder, name), text);
  const { lines, finished } = startJsonCommand(convert, [name, { out: 'out.fit' }], {
    homeDir: folder,
  });
  const exitCode = await finished;
  const all = lines();
  const files: Parsed[] = [];
  for (const { copy } of all) {
    if (typeof copy !== 'string') continue;
    const bytes = readFileSync(join(folder, copy));
    expect(checkEnvelope(bytes)).toEqual({ state: 'whole', segments: 1 });
    const file = await parsed(FitParser, bytes);
    await comparePlatform(bytes, file, /<Lap.*?<DistanceMeters>\d+<.*?<Track>/.test(String(text)));
    files.push(file);
  }
  return { exitCode, lines: all, files };
}

const obstacles = (lines: readonly Record<string, unknown>[]) =>
  lines.map(({ outcome, reason, problem }) => [outcome, reason, problem]);

const isoAt = (secs: number) => new Date(TRACK_START + secs * 1000).toISOString();

describe('a GPX file', () => {
  it('becomes a FIT recording with every channel that it has, and no other', async () => {
    const channels = { hr: 140, cad: 85, power: 210, temp: 19 };
    const points = ridePoints(600, channels);
    const file = gpx([{ name: 'Früh &amp; schnell', type: 'cycling', segments: [points] }]);
    const { lines, files } = await converted(file);
    expect(lines).toEqual([
      {
        type: 'convert',
        path: 'ride.gpx',
        outcome: 'converted',
        copy: 'out.fit',
        sha256: expect.any(String) as string,
        size: expect.any(Number) as number,
        digest: expect.any(String) as string,
        name: 'Früh & schnell',
        startTime: isoAt(0),
        elapsedSecs: 600,
        timerSecs: 600,
        distanceMeters: expect.any(Number) as number,
        records: 601,
        laps: 1,
        gaps: [],
        notes: [],
      },
    ]);
    const [{ records, sessions } = { records: [], sessions: [] }] = files;
    expect(records[300]).toEqual({
      timestamp: isoAt(300),
      position_lat: expect.closeTo(points[300]?.lat ?? 0, 6) as number,
      position_long: expect.closeTo(points[300]?.lon ?? 0, 6) as number,
      distance: expect.any(Number) as number,
      speed: expect.closeTo(4.2, 0) as number,
      enhanced_speed: expect.closeTo(4.2, 0) as number,
      altitude: expect.closeTo(points[300]?.ele ?? 0, 0) as number,
      enhanced_altitude: expect.closeTo(points[300]?.ele ?? 0, 0) as number,
      ...{ heart_rate: 140, cadence: 85, power: 210, temperature: 19 },
    });
    expect(sessions[0]).toMatchObject({
      sport: 'cycling',
      start_time: isoAt(0),
      total_elapsed_time: 600,
      total_timer_time: 600,
      avg_heart_rate: 140,
      max_heart_rate: 140,
      avg_power: 210,
      avg_cadence: 85,
      avg_temperature: 19,
    });
    const bare = await converted(gpx([{ segments: [ridePoints(60)] }]), 'bare.gpx');
    const [record] = bare.files[0]?.records ?? [];
    expect(Object.keys(record ?? {}).sort()).toEqual(
      [
        ...['altitude', 'distance', 'enhanced_altitude', 'enhanced_speed'],
        ...['position_lat', 'position_long', 'speed', 'timestamp'],
      ].sort(),
    );
  });

  it('is read as GPX 1.0, packed, with a byte order mark, and with the names of other programs', async () => {
    const points = ridePoints(30, { hr: 150 });
    const file = gpx([{ type: '9', segments: [points] }])
      .replace('version="1.1"', 'version="1.0"')
      .replaceAll('gpxtpx:', 'ns3:')
      .replaceAll(/\.000Z/g, '+00:00');
    const { files } = await converted(gzipSync(`\ufeff${file}`), 'run.gpx.gz');
    expect(files[0]?.sessions[0]).toMatchObject({ sport: 'running', avg_heart_rate: 150 });
    const suunto = file
      .replaceAll(/<\/?ns3:TrackPointExtension>/g, '')
      .replaceAll('ns3:hr', 'gpxdata:hr');
    const other = await converted(suunto, 'suunto.gpx');
    expect(other.lines[0]?.['digest']).toBeDefined();
    expect(other.files[0]?.sessions[0]).toMatchObject({ avg_heart_rate: 150 });
  });

  it.each([
    ['kayaking_v2', 'kayaking'],
    ['stand_up_paddleboarding_v2', 'stand_up_paddleboarding'],
    ['cross_country_skiing_ws', 'cross_country_skiing'],
    ['skate_skiing_ws', 'cross_country_skiing'],
    ['resort_skiing_snowboarding_ws', 'alpine_skiing'],
    ['skating_ws', 'ice_skating'],
    ['snow_shoe_ws', 'snowshoeing'],
  ])('has the sport of a word of Garmin: %s', async (type, sport) => {
    const { files } = await converted(gpx([{ type, segments: [ridePoints(60)] }]), 'a.gpx');
    expect(files[0]?.sessions[0]).toMatchObject({ sport });
  });

  it.each([['windows-1252'], ['UTF-16LE'], ['UTF-16BE']])('is read in %s', async (encoding) => {
    const file = gpx([{ name: 'Über – den Pass', segments: [ridePoints(30)] }]);
    const text = file.replace('UTF-8', encoding.replace(/[BL]E/, ''));
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    const { lines } = await converted(
      encoding === 'windows-1252'
        ? Buffer.from(text.replace('–', '\x96'), 'latin1')
        : encoding === 'UTF-16BE'
          ? wide.swap16()
          : wide,
    );
    expect(lines).toMatchObject([{ outcome: 'converted', name: 'Über – den Pass' }]);
  });

  it('pauses between segments, and where nothing moved for long', async () => {
    const segments = [ridePoints(60), ridePoints(60, { from: 360 })];
    const { files } = await converted(gpx([{ segments }]));
    expect(files[0]?.sessions[0]).toMatchObject({ total_elapsed_time: 420, total_timer_time: 120 });
    const still = [...ridePoints(60), { ...ridePoints(60).at(-1), at: 900 } as TrackPoint];
    const waiting = await converted(gpx([{ segments: [still] }]), 'still.gpx');
    expect(waiting.files[0]?.sessions[0]).toMatchObject({ total_timer_time: 60 });
  });

  it('becomes several recordings at a break of more than four hours and at another sport', async () => {
    const later = 4 * 3600 + 61;
    const { lines, files } = await converted(
      gpx([
        { type: 'cycling', segments: [ridePoints(60), ridePoints(60, { from: later })] },
        { type: 'running', segments: [ridePoints(60, { from: 120, lat: 48 })] },
        { type: 'cycling', segments: [ridePoints(60, { from: later + 3600 })] },
      ]),
    );
    expect(lines.map(({ path, startTime, copy }) => [path, startTime, copy])).toEqual([
      ['ride.gpx', isoAt(0), 'out.fit'],
      ['ride.gpx#2', isoAt(120), 'out-2.fit'],
      ['ride.gpx#3', isoAt(later), 'out-3.fit'],
    ]);
    expect(files.map(({ sessions }) => sessions[0]?.['sport'])).toEqual([
      ...['cycling', 'running', 'cycling'],
    ]);
  });

  const offBy = (degrees: number) => () => degrees;
  it.each<[string, number[], (nth: number) => number]>([
    ['first', [0], offBy(1)],
    ['middle', [300], offBy(0.01)],
    ['last', [600], offBy(1)],
    ['two middle', [300, 301], offBy(1)],
    ['ten middle', Array.from({ length: 10 }, (_, at) => 300 + at), (nth) => 1 + (nth % 3)],
    ['forty middle', Array.from({ length: 40 }, (_, at) => 300 + at), offBy(1)],
  ])(
    'leaves out its %s positions, if only an impossible speed reaches them',
    async (_, at, off) => {
      const points = ridePoints(600);
      const total = async (segments: TrackPoint[][]) => {
        const { lines } = await converted(gpx([{ segments }]));
        return [lines[0]?.['notes'], lines[0]?.['distanceMeters']] as const;
      };
      const [, metres] = await total([points]);
      const [notes, own] = await total([
        points.map((point, index) =>
          at.includes(index) ? { ...point, lat: (point.lat ?? 0) + off(at.indexOf(index)) } : point,
        ),
      ]);
      expect(notes).toEqual([`Stray positions left out: ${at.length}.`]);
      expect(Math.abs(Number(own) - Number(metres))).toBeLessThan(20);
    },
  );

  it.each([
    ['right after a pause', 300, 1],
    ['right before a pause', 299, 1],
    ['some seconds after a pause', 300, 4],
  ])('leaves out stray positions %s, in which any place is reachable', async (_, from, count) => {
    const [one, other] = [ridePoints(299), ridePoints(300, { from: 900 })];
    const segments = (degrees: number) => {
      const points = [...one, ...other].map((point, index) => {
        const isStray = index >= from && index < from + count;
        return isStray ? { ...point, lat: (point.lat ?? 0) + degrees } : point;
      });
      return [points.slice(0, one.length), points.slice(one.length)];
    };
    const right = (await converted(gpx([{ segments: segments(0) }]))).lines[0];
    const found = (await converted(gpx([{ segments: segments(0.05) }]), 'stray.gpx')).lines[0];
    expect(right?.['notes']).toEqual([]);
    expect(found?.['notes']).toEqual([`Stray positions left out: ${count}.`]);
    expect(
      Math.abs(Number(found?.['distanceMeters']) - Number(right?.['distanceMeters'])),
    ).toBeLessThan(40);
  });

  it('keeps the first positions after a pause that continue the ride at another place', async () => {
    const far = ridePoints(300, { from: 900, lat: 47.6 });
    const { lines } = await converted(gpx([{ segments: [ridePoints(300), far] }]));
    expect(lines[0]?.['notes']).toEqual([]);
  });

  it.each([
    ['first', 0, 20],
    ['middle', 300, 70],
  ])('keeps its %s positions that are elsewhere for longer', async (_, from, count) => {
    const points = ridePoints(600).map((point, index) => {
      const isElsewhere = index >= from && index < from + count;
      return isElsewhere ? { ...point, lat: (point.lat ?? 0) + 0.01 } : point;
    });
    expect((await converted(gpx([{ segments: [points] }]))).lines[0]?.['notes']).toEqual([]);
  });

  it.each([1, 1_000])('is read with times in counts since 1970 (%i a second)', async (times) => {
    const written = gpx([{ segments: [ridePoints(60)] }]);
    const counted = written.replace(/<time>([^<]+)/g, (_, time: string) => {
      return `<time>${(Date.parse(time) / 1_000) * times}`;
    });
    expect((await converted(counted)).lines).toEqual((await converted(written)).lines);
  });

  it('is read with decimal commas in its positions and values', async () => {
    const file = gpx([{ segments: [ridePoints(60, { hr: 120.5, temp: 18.5 })] }]);
    const commas = file.replaceAll(/((?:lat|lon)="|<(?:ele|gpxtpx:\w+)>)(\d+)\./g, '$1$2,');
    const [own, other] = [await converted(file), await converted(commas)];
    expect(other.lines).toEqual(own.lines);
  });

  it('has no value where an element is empty', async () => {
    const file = gpx([{ segments: [ridePoints(60)] }]);
    const [without, empty] = ['', '<ele> </ele>'].map((ele) =>
      file.replace(/<ele>[^<]*<\/ele>/g, ele),
    );
    expect((await converted(empty ?? '')).lines).toEqual((await converted(without ?? '')).lines);
  });

  it('names its positions that cannot be read, and is refused if there is no other', async () => {
    const file = gpx([{ segments: [ridePoints(60, { hr: 120 })] }]);
    const one = await converted(file.replace('lat="47"', 'lat="147"'));
    expect(one.lines[0]?.['notes']).toEqual([
      'Positions that cannot be read: 1. The first is point 1, lat="147" lon="8".',
    ]);
    const none = await converted(file.replaceAll('lat="47', 'lat="N47'));
    expect(obstacles(none.lines)).toEqual([
      [
        ...['invalid', 'not-an-activity'],
        'None of its positions can be read. The first is point 1, lat="N47" lon="8".',
      ],
    ]);
  });

  it('keeps the positions after a flight', async () => {
    const segments = [ridePoints(60), ridePoints(60, { from: 3600, lat: 53 })];
    const { lines } = await converted(gpx([{ segments }]));
    expect(lines).toMatchObject([{ notes: [], distanceMeters: expect.closeTo(960, -3) as number }]);
  });

  it('repeats values over gaps of up to ten seconds, and names longer ones', async () => {
    const points = ridePoints(120, { hr: 150 }).map(({ hr, ...point }) =>
      (point.at > 10 && point.at < 20) || point.at > 90 ? point : { ...point, hr: hr ?? 0 },
    );
    const { lines, files } = await converted(gpx([{ segments: [points] }]));
    const rates = files[0]?.records.map(({ heart_rate }) => heart_rate);
    expect(rates?.slice(0, 91)).toEqual(new Array(91).fill(150));
    expect(rates?.slice(91)).toEqual(new Array(30).fill(undefined));
    expect(lines[0]?.['gaps']).toEqual([{ channel: 'heart rate', secs: 30 }]);
  });
});

const along = (points: readonly TrackPoint[], metres: number) =>
  points.map((point, index) => ({ ...point, distance: index * metres }));

describe('a TCX file', () => {
  it.each([
    ['pauses where its stated distance stands still', 480, 60],
    ['does not pause where its stated distance grows', 5_000, 900],
  ])('%s, without positions', async (_what, distance, timer) => {
    const ridden = ridePoints(60).map(({ at }) => ({ at, distance: 8 * at, power: 180 }));
    const points = [...ridden, { at: 900, distance, power: 180 }];
    const stated = tcx([{ sport: 'Biking', laps: [{ points }] }]);
    const text = stated.replace(/(?<=<TotalTimeSeconds>)\d+/, '60');
    const { files } = await converted(text, 'indoors.tcx');
    expect(files[0]?.sessions[0]).toMatchObject({ total_timer_time: timer });
  });

  it('becomes a recording of each activity, with its laps, calories and own distance', async () => {
    const indoors = (from: number, secs: number) =>
      Array.from({ length: secs + 1 }, (_, index) => ({
        ...{ at: from + index, hr: 130, power: 180, distance: (from + index) * 7 },
      }));
    const { lines, files } = await converted(
      tcx([
        {
          sport: 'Biking',
          laps: [
            { points: indoors(0, 300), calories: 40 },
            { points: indoors(300, 60), calories: 5, intensity: 'Resting' },
          ],
        },
        { sport: 'Running', laps: [{ points: along(ridePoints(300, { from: 400 }), 3) }] },
      ]),
      'brick.tcx',
    );
    expect(lines.map(({ path }) => path)).toEqual(['brick.tcx', 'brick.tcx#2']);
    const [ride, run] = files;
    expect(ride?.sessions[0]).toMatchObject({
      ...{ sport: 'cycling', total_calories: 45, total_distance: 2520, avg_power: 180 },
      total_timer_time: 360,
    });
    expect(ride?.records[0]).not.toHaveProperty('position_lat');
    expect(ride?.laps).toMatchObject([
      { total_timer_time: 300, total_distance: 2100, total_calories: 40, intensity: 'active' },
      { total_timer_time: 60, total_calories: 5, intensity: 'rest' },
    ]);
    // The stated 3 m/s contradict the positions.
    expect(run?.sessions[0]).toMatchObject({
      sport: 'running',
      total_distance: expect.closeTo(1920, -2) as number,
    });
  });

  it('has the same laps in any order', async () => {
    const laps = [
      { points: ridePoints(300), calories: 40 },
      { points: ridePoints(60, { from: 301, lat: 47.016 }), calories: 5 },
    ];
    const inOrder = await converted(tcx([{ sport: 'Biking', laps }]), 'a.tcx');
    const reversed = await converted(tcx([{ sport: 'Biking', laps: laps.toReversed() }]), 'b.tcx');
    expect(inOrder.files[0]?.laps).toHaveLength(2);
    expect(reversed.files[0]?.laps).toEqual(inOrder.files[0]?.laps);
  });

  const run = (secs: number, shape: (point: TrackPoint) => TrackPoint) =>
    along(ridePoints(secs), 5).map(shape);
  const lap = (from: number, secs: number) =>
    Array.from({ length: secs + 1 }, (_, at) => ({ at: from + at, hr: 130, distance: at * 5 }));
  it.each([
    ['on a treadmill with one position', [run(600, (point) => ({ ...point, lat: 47, lon: 8 }))]],
    [
      'in a tunnel of a third of the way',
      [
        along(ridePoints(600, { hr: 140 }), 6).map(({ at, hr, distance }) => ({
          ...{ at, hr, distance },
          ...(at < 200 || at > 400 ? { lat: 47 + distance / 111_195, lon: 8 } : {}),
        })),
      ],
    ],
    [
      'where its sensor corrects itself',
      [run(600, ({ at, distance = 0 }) => ({ at, distance: at === 300 ? 1490 : distance }))],
    ],
    ['that begins again with each lap', [lap(0, 300), lap(300, 200), lap(501, 99)]],
  ])('has its own distance %s', async (_, laps) => {
    const { files } = await converted(
      tcx([{ sport: 'Running', laps: laps.map((points) => ({ points })) }]),
      'a.tcx',
    );
    const total = files[0]?.sessions[0]?.['total_distance'];
    expect(total).toBe(laps.length > 1 ? 2995 : laps[0]?.at(-1)?.distance);
    expect(files[0]?.records.at(-1)).toMatchObject({ distance: total });
  });

  it('has no distance if that falls within a lap', async () => {
    const points = run(600, ({ at, distance = 0 }) => ({ at, hr: 130, distance: distance % 900 }));
    const { files } = await converted(tcx([{ sport: 'Running', laps: [{ points }] }]), 'a.tcx');
    expect(files[0]?.sessions[0]).not.toHaveProperty('total_distance');
  });

  it('counts the stated distance if the positions agree within 2 %', async () => {
    const points = along(ridePoints(600), 6.05);
    const { files } = await converted(tcx([{ sport: 'Other', laps: [{ points }] }]), 'a.tcx');
    const metres = files[0]?.sessions[0]?.['total_distance'] as number;
    const stated = 600 * 6.05;
    const placed = (points.at(-1)?.lat ?? 47) * 111_195 - 47 * 111_195;
    expect(Math.abs(metres - stated) < 1 || Math.abs(stated - placed) > 0.02 * placed).toBe(true);
  });
});

describe('values of other programs', () => {
  const points = along(ridePoints(600, { hr: 140, cad: 88 }), 6);
  const ride = tcx([{ sport: 'Running', laps: [{ points }] }]);

  it.each([
    ['with a comma before the fraction', '.000Z', ',000Z'],
    ['with the hours of an offset alone', '.000Z', '+00'],
    ['with a blank before the offset', '.000Z', '.000 +0000'],
  ])('are read at times %s', async (_, written, other) => {
    const [file] = (await converted(ride, 'a.tcx')).files;
    const { files } = await converted(ride.replaceAll(written, other), 'a.tcx');
    expect(files).toEqual([file]);
  });

  it.each(['10.05.2026 09:00', '2026-02-29T09:00:00Z', '2026/06/31 09:00:00'])(
    'have a note for each kind that cannot be read, such as %s',
    async (time) => {
      const { lines } = await converted(ride.replace(isoAt(30), time), 'a.tcx');
      expect(lines).toMatchObject([
        { notes: [`Times that cannot be read: 1. The first is point 31, time="${time}".`] },
      ]);
    },
  );

  it('are no cadence in steps: it is halved, with a note', async () => {
    const steps = ride.replaceAll('<Cadence>88<', '<Cadence>176<');
    const { files, lines } = await converted(steps, 'a.tcx');
    expect(files[0]?.sessions[0]).toMatchObject({ avg_cadence: 88 });
    expect(lines).toMatchObject([{ notes: [expect.stringMatching(/in steps/)] }]);
    const pedals = steps.replace('Sport="Running"', 'Sport="Biking"');
    expect((await converted(pedals, 'a.tcx')).lines).toMatchObject([{ notes: [] }]);
  });

  it('are no speeds in km/h: those of the distances count, with a note', async () => {
    const withSpeed = (speed: number) =>
      ride.replaceAll('</Trackpoint>', `<Extensions><Speed>${speed}</Speed></Extensions>$&`);
    const { files, lines } = await converted(withSpeed(21.6), 'a.tcx');
    expect(files[0]?.sessions[0]?.['max_speed']).toBeCloseTo(8, 0);
    expect(lines).toMatchObject([{ notes: [expect.stringMatching(/^Its speeds are 3\.4 times/)] }]);
    const own = await converted(withSpeed(6.2), 'a.tcx');
    expect(own.files[0]?.sessions[0]).toMatchObject({ max_speed: 6.2 });
  });

  it('are the distances of laps, if no point has one', async () => {
    const indoors = points.map(({ at, hr }) => ({ at, hr }));
    const file = tcx([{ sport: 'Running', laps: [{ points: indoors }] }]);
    const stated = file.replace('<AverageHeartRateBpm>', '<DistanceMeters>1800</DistanceMeters>$&');
    const [recording] = (await converted(stated, 'a.tcx')).files;
    expect(recording?.sessions[0]).toMatchObject({ total_distance: 1800, avg_speed: 3 });
    expect(recording?.laps[0]).toMatchObject({ total_distance: 1800 });
    expect(recording?.records[5]).not.toHaveProperty('distance');
    const wrong = stated.replace('>1800<', '>1e12<');
    expect((await converted(wrong, 'a.tcx')).lines).toMatchObject([{ outcome: 'converted' }]);
  });

  it('are laps without points, which are named beside the other activities', async () => {
    const file = tcx([
      { sport: 'Running', laps: [{ points }] },
      { sport: 'Other', laps: [{ points: [] }] },
    ]);
    const { exitCode, lines } = await converted(file, 'a.tcx');
    expect(exitCode).toBe(3);
    expect(obstacles(lines)).toEqual([
      ['converted', undefined, undefined],
      ['invalid', 'not-an-activity', expect.stringMatching(/laps without points/)],
    ]);
  });
});

describe('a file without a recorded activity', () => {
  const ride = ridePoints(600, { step: 10 });
  const constant = Array.from({ length: 200 }, (_, index) => ({
    at: index * 10,
    lat: 47 + (index * 50) / 111_195,
    lon: 8,
  }));
  const cases: readonly (readonly [title: string, text: string, problem: RegExp])[] = [
    ['a route', '<gpx><rte><rtept lat="1" lon="2"/></rte></gpx>', /holds a route/],
    ['waypoints', '<gpx><wpt lat="1" lon="2"/></gpx>', /holds waypoints/],
    [
      'points without times',
      gpx([{ segments: [ride] }]).replaceAll(/<time>.*?<\/time>/g, ''),
      /have no time/,
    ],
    [
      'points with unreadable times',
      gpx([{ segments: [ride] }]).replaceAll(/<time>.*?<\/time>/g, '<time>noon</time>'),
      /times cannot be read. The first is point 1, time="noon"/,
    ],
    [
      'laps without points',
      tcx([{ sport: 'Running', laps: [{ points: [] }] }]),
      /laps without points/,
    ],
    ['times before 1990', gpx([{ segments: [ride] }], { start: 0 }), /before 1990/],
    [
      'times in the future',
      gpx([{ segments: [ride] }], { start: Date.now() + 2 * 86_400_000 }),
      /in the future/,
    ],
    ['a planner', gpx([{ segments: [ride] }], { creator: 'BRouter-1.7.5' }), /planner \(BRouter/],
    ['a constant speed without a sensor', gpx([{ segments: [constant] }]), /speed never changes/],
    ['a single point', gpx([{ segments: [ride.slice(0, 1)] }]), /of one second/],
    [
      'a course',
      '<TrainingCenterDatabase><Courses><Course><Track><Trackpoint><Time>2026-05-10T07:00:00Z</Time></Trackpoint></Track></Course></Courses></TrainingCenterDatabase>',
      /holds a course/,
    ],
    [
      'a workout plan',
      '<TrainingCenterDatabase><Workouts><Workout/></Workouts></TrainingCenterDatabase>',
      /holds a workout plan/,
    ],
  ];
  it.each(cases)('is not converted, and the reason is named: %s', async (_, text, problem) => {
    const { exitCode, lines } = await converted(text);
    expect(exitCode).toBe(3);
    expect(obstacles(lines)).toEqual([
      ['invalid', 'not-an-activity', expect.stringMatching(problem) as string],
    ]);
  });

  it('with impossible positions or altitudes does not end the program', async () => {
    const wild = ride.map((point, index) => ({ ...point, lon: index % 2 === 0 ? 180 : -90 }));
    const far = ride.map((point, index) => ({ ...point, lon: index % 2 === 0 ? 90 : -90, hr: 99 }));
    const high = ridePoints(600).map((point, index) => ({ ...point, ele: (index % 2) * 9000 }));
    expect((await converted(gpx([{ segments: [wild] }]))).exitCode).toBe(0);
    expect(obstacles((await converted(gpx([{ segments: [far] }]))).lines)).toEqual([
      ['invalid', 'not-an-activity', /positions are wrong/],
    ]);
    const { files } = await converted(gpx([{ segments: [high] }]));
    expect(files[0]?.sessions[0]).not.toHaveProperty('total_ascent');
  });

  it('with a sensor is an activity at a constant speed, too', async () => {
    const segments = [constant.map((point) => ({ ...point, hr: 120 }))];
    expect((await converted(gpx([{ segments }]))).exitCode).toBe(0);
  });

  it('that is cut off, or no XML of a program, is named as such', async () => {
    const whole = gpx([{ segments: [ride] }]);
    const cut = await converted(whole.slice(0, -60));
    expect(obstacles(cut.lines)).toEqual([
      ['invalid', 'incomplete', 'It is cut off: its end is missing.'],
    ]);
    const deep = await converted(`<gpx>${'<a>'.repeat(200)}`);
    expect(obstacles(deep.lines)).toEqual([['invalid', 'corrupt', /more than 100 deep/]]);
    writeFileSync(join(folder, 'other.gpx'), 'no XML');
    const { done } = startCommand(convert, testSystem({ homeDir: folder }), ['other.gpx']);
    await expect(done).rejects.toThrow('other.gpx cannot be converted. It is no GPX or TCX file.');
  });
});
