import FitParser from 'fit-file-parser';
import { readFitMessages } from 'fit-file-parser/raw';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activityName, defaultActivityName } from '../../src/fit/activity-name.ts';
import { deviceId } from '../../src/fit/device.ts';
import { walkMessages } from '../../src/fit/records.ts';
import {
  describeFileType,
  readActivityTimes,
  readFileId,
  readFirstSession,
  type FileId,
} from '../../src/fit/summary.ts';
import { makeRecording, unfinished, wrapRecords, zeroFilled } from '../support/fit-maker.ts';
import { realRecordings } from '../support/real-recordings.ts';

const startTime = new Date('2026-02-15T22:30:00Z');
const ride = { startTime, manufacturer: 1, product: 4062, serial: 3412345678, type: 4 };
const rideId: FileId = {
  type: 4,
  manufacturer: 1,
  product: 4062,
  productName: undefined,
  serial: 3412345678,
  timeCreated: startTime,
};

/** Builds a little-endian message: its definition and its data. */
function message(
  globalNumber: number,
  fields: readonly (readonly [number: number, baseType: number, bytes: readonly number[]])[],
): number[] {
  return [
    ...[0x40, 0, 0, globalNumber & 0xff, globalNumber >> 8, fields.length],
    ...fields.flatMap(([number, baseType, bytes]) => [number, bytes.length, baseType]),
    0,
    ...fields.flatMap(([, , bytes]) => bytes),
  ];
}

function u32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}

describe('the file_id of a recording', () => {
  it.each([
    ['little-endian', makeRecording(ride)],
    ['big-endian', makeRecording({ ...ride, bigEndian: true })],
    ['with a 12-byte header', makeRecording({ ...ride, headerSize: 12 })],
    ['of several segments', makeRecording({ ...ride, chained: 2 })],
    ['still being written', unfinished(makeRecording(ride))],
  ])('is read from the first 256 bytes: %s', (_, bytes) => {
    expect(readFileId(bytes.subarray(0, 256))).toEqual(rideId);
  });

  it('omits fields that the device omitted or marked invalid', () => {
    const bytes = wrapRecords(
      Uint8Array.from(
        message(0, [
          [0, 0x00, [0xff]],
          [1, 0x84, [0xff, 0xff]],
          [3, 0x8c, [0, 0, 0, 0]],
          [4, 0x86, u32(1000)],
          [8, 0x07, [...Buffer.from('COROS DURA\0junk')]],
        ]),
      ),
    );
    expect(readFileId(bytes)).toEqual({
      type: undefined,
      manufacturer: undefined,
      product: undefined,
      productName: 'COROS DURA',
      serial: undefined,
      timeCreated: undefined,
    });
  });

  it.each([
    ['no bytes', new Uint8Array(0)],
    ['zeroes', zeroFilled(256)],
    ['only a header', makeRecording().subarray(0, 14)],
    ['a definition that is cut', makeRecording().subarray(0, 30)],
    ['data that are cut', makeRecording().subarray(0, 40)],
    ['data before any definition', wrapRecords(Uint8Array.of(0, 1, 2, 3))],
    ['no file_id', wrapRecords(Uint8Array.from(message(20, [[3, 2, [120]]])))],
  ])('is undefined if there is none: %s', (_, bytes) => {
    expect(readFileId(bytes)).toBeUndefined();
  });

  it.each([
    [4, 'an activity'],
    [2, 'settings'],
    [5, 'a workout plan'],
    [6, 'a course'],
    [32, 'monitoring data'],
    [77, 'data of type 77'],
    [undefined, 'data of an unknown type'],
  ])('type %s is called "%s"', (type, words) => {
    expect(describeFileType(type)).toBe(words);
  });
});

describe('deviceId', () => {
  it.each<[Partial<FileId> | undefined, string | undefined]>([
    [{}, 'garmin-4062-3412345678'],
    [{ manufacturer: 65000 }, '65000-4062-3412345678'],
    [{ serial: undefined }, 'garmin-4062'],
    [{ product: undefined }, 'garmin-3412345678'],
    [{ manufacturer: undefined, product: undefined }, '3412345678'],
    [{ manufacturer: undefined, product: undefined, serial: undefined }, undefined],
    [undefined, undefined],
  ])('turns %o into %s', (part, expected) => {
    expect(deviceId(part && { ...rideId, ...part })).toBe(expected);
  });
});

describe('readActivityTimes', () => {
  const options = { ...ride, durationSecs: 900, sport: 2, subSport: 7, localOffsetMinutes: 60 };
  const session = { sport: 2, subSport: 7, startTime, timerSecs: 900 };

  it.each([
    ['little-endian', {}],
    ['big-endian', { bigEndian: true }],
    ['developer fields', { developerField: true }],
    ['compressed time stamps', { compressedTimestamps: true }],
  ])('reads any form of records: %s', (_, form) => {
    const times = readActivityTimes(makeRecording({ ...options, ...form }));
    const distanceMetres = times.distanceMetres ?? 0;
    expect(distanceMetres).toBeGreaterThan(5000);
    expect(times).toEqual({
      sessions: [{ ...session, distanceMetres }],
      startTime,
      timerSecs: 900,
      distanceMetres,
      localOffsetMinutes: 60,
    });
  });

  it('covers all sessions and segments', () => {
    const three = readActivityTimes(
      makeRecording({ ...options, sport: 5, furtherSports: [2, 1], chained: 1 }),
    );
    expect(three.sessions.map(({ sport, timerSecs }) => [sport, timerSecs])).toEqual([
      [5, 300],
      [2, 300],
      [1, 300],
      [5, 6],
      [2, 6],
      [1, 6],
    ]);
    expect(three).toMatchObject({ startTime, timerSecs: 918 });
  });

  it('falls back to the sport message if there is no session', () => {
    const bytes = message(12, [
      [0, 0, [1]],
      [1, 0, [3]],
    ]);
    const times = readActivityTimes(wrapRecords(Uint8Array.from(bytes)));
    expect(times.sessions).toMatchObject([{ sport: 1, subSport: 3 }]);
    expect(activityName(times)).toBe('Trail run');
  });

  it.each<[string, local: number | undefined, utc: number, expected: number | undefined]>([
    ['UTC', 1_100_000_000, 1_100_000_000, 0],
    ['Nepal', 1_100_000_000 + 345 * 60, 1_100_000_000, 345],
    ['the furthest west', 1_100_000_000 - 720 * 60, 1_100_000_000, -720],
    ['the furthest east', 1_100_000_000 + 840 * 60, 1_100_000_000, 840],
    ['clocks that are off by seconds', 1_100_003_602, 1_100_000_000, 60],
    ['clocks that are off by a minute', 1_100_003_540, 1_100_000_000, 60],
    ['clocks that are off by more', 1_100_003_661, 1_100_000_000, undefined],
    ['too far west', 1_100_000_000 - 735 * 60, 1_100_000_000, undefined],
    ['too far east', 1_100_000_000 + 855 * 60, 1_100_000_000, undefined],
    ['seconds since 1970', 1_100_000_000 + 631_065_600, 1_100_000_000, undefined],
    ['0', 0, 1_100_000_000, undefined],
    ['invalid', 0xffffffff, 1_100_000_000, undefined],
    ['absent', undefined, 1_100_000_000, undefined],
  ])('returns the local time only if it is credible: %s', (_, local, utc, expected) => {
    const fields = [
      [253, 0x86, u32(utc)],
      ...(local === undefined ? [] : [[5, 0x86, u32(local)] as const]),
    ] as const;
    const bytes = wrapRecords(Uint8Array.from(message(34, fields)));
    expect(readActivityTimes(bytes).localOffsetMinutes).toBe(expected);
  });
});

it('a record with a compressed time stamp omits the defined time stamp field', () => {
  const definition = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 0x02];
  const full = [0x01, ...u32(1_100_000_000), 120];
  const compressed = [0x80 | (1 << 5) | 7, 121];
  const bytes = wrapRecords(Uint8Array.from([...definition, ...full, ...compressed, ...full]));
  const found: unknown[] = [];
  walkMessages(bytes, [20], (record) => {
    found.push([record.number(253), record.number(3)]);
    return true;
  });
  expect(found).toEqual([
    [1_100_000_000, 120],
    [undefined, 121],
    [1_100_000_000, 120],
  ]);
});

describe('invalid bytes', () => {
  const parts = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constant(makeRecording({ durationSecs: 3 }).slice(14, 400)),
      fc.constant(Uint8Array.from(message(0, [[0, 0, [4]]]))),
    ),
    { maxLength: 6 },
  );

  it('never make any function throw', () => {
    fc.assert(
      fc.property(parts, fc.boolean(), fc.nat({ max: 600 }), (pieces, sealed, cut) => {
        const data = Buffer.concat(pieces);
        const bytes = (sealed ? wrapRecords(data) : data).subarray(0, cut);
        readFileId(bytes);
        defaultActivityName(bytes);
        deviceId(readFileId(bytes));
      }),
      { numRuns: 3000 },
    );
  });

  it('never make any function throw when flipped in a recording', () => {
    const bytes = makeRecording({ durationSecs: 4, developerField: true });
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 }), (at, value) => {
        const changed = bytes.slice();
        changed[at] = value;
        readFileId(changed);
        defaultActivityName(changed);
      }),
      { numRuns: 3000 },
    );
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it('have these types', () => {
    const notActivities: Readonly<Record<string, string>> = {
      'course.fit': 'a course',
      'garmin-edge510-settings.fit': 'settings',
      'garmin-monitoring-stress-day.fit': 'monitoring data',
      'hrv-overnight.fit': 'daily monitoring data',
      'workout-plan.fit': 'a workout plan',
    };
    const types = realRecordings.names().map((name) => {
      const first = realRecordings.read(name).subarray(0, 256);
      return [name, describeFileType(readFileId(first)?.type)];
    });
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(
        realRecordings.names().map((name) => [name, notActivities[name] ?? 'an activity']),
      ),
    );
  });

  it('contain the messages that an independent reader finds', () => {
    const numbers = [0, 12, 18, 19, 20, 34];
    let compared = 0;
    for (const name of realRecordings.names()) {
      const bytes = realRecordings.read(name);
      let theirs: number[];
      try {
        theirs = readFitMessages(bytes, { messageNumbers: numbers }).messages.map(
          ({ globalMessageNumber }) => globalMessageNumber,
        );
      } catch {
        continue; // it refuses chained, cut and unusual files
      }
      const ours: number[] = [];
      walkMessages(bytes, numbers, ({ globalNumber }) => {
        ours.push(globalNumber);
        return true;
      });
      expect([name, ours]).toEqual([name, theirs]);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(10);
  });

  it.each([
    ['garmin-edge840-indoor-ride.fit', 'garmin-4062-3473836130', '2025-04-17T18:33:51.000Z', -240],
    [
      '2019-02-17-062644-ELEMNT-297E-195-0.fit',
      'wahoo_fitness-28-1231627776',
      '2019-02-17T06:26:44.000Z',
      480,
    ],
    ['bryton-compressed-timestamps.fit', 'bryton-1803-5122', '2020-10-17T06:21:34.000Z', 60],
    ['MyNewActivity-5.6.0.fit', 'mywhoosh-3570-3313379353', '2026-01-10T21:07:24.000Z', undefined],
  ])('%s: device %s, start %s, local offset %s', (name, device, start, offset) => {
    const bytes = realRecordings.read(name);
    const times = readActivityTimes(bytes);
    expect([
      deviceId(readFileId(bytes)),
      times.startTime?.toISOString(),
      times.localOffsetMinutes,
    ]).toEqual([device, start, offset]);
  });
});

describe('readFirstSession', () => {
  const first = (bytes: Uint8Array) => readFirstSession(bytes, readActivityTimes(bytes));
  /** Seconds since 1989-12-31, of a ride on 2026-02-15. */
  const AT = 1_140_000_000;
  const date = (seconds: number) => new Date(631_065_600_000 + seconds * 1000);
  const UINT32 = 0x86;
  const record = (seconds: number) => message(20, [[253, UINT32, u32(seconds)]]);
  const session = (...fields: (readonly [number, number])[]) =>
    message(
      18,
      fields.map(([number, value]) => [number, UINT32, u32(value)] as const),
    );
  const of = (...messages: number[][]) => first(wrapRecords(Uint8Array.from(messages.flat())));

  it.each([
    ['has its own start and timer time', [record(AT), session([2, AT + 5], [8, 60_000])], 5, 60],
    [
      'is the first in the file',
      [session([2, AT + 9], [8, 1000]), session([2, AT], [8, 2000])],
      9,
      1,
    ],
    [
      'is as long as the records if there is none',
      [record(AT + 30), record(AT), record(AT + 90)],
      0,
      90,
    ],
  ])('%s', (_what, messages, start, timerSecs) => {
    expect(of(...messages)).toMatchObject({ startTime: date(AT + start), timerSecs });
  });

  it('returns no start for a session without one, even if the records have one', () => {
    expect(of(record(AT), session([8, 60_000]))).toMatchObject({
      startTime: undefined,
      timerSecs: 60,
    });
    expect(of()).toEqual({ startTime: undefined, timerSecs: undefined });
  });

  it.skipIf(!realRecordings.present)(
    `agrees with another decoder on real recordings${realRecordings.note}`,
    async () => {
      let compared = 0;
      for (const name of realRecordings.names()) {
        const bytes = realRecordings.read(name);
        const parsed = await new FitParser({ force: true, mode: 'list' })
          .parseAsync(Buffer.from(bytes))
          .catch(() => undefined);
        const theirs = (parsed as { sessions?: Record<string, unknown>[] } | undefined)
          ?.sessions?.[0];
        if (theirs === undefined) continue;
        compared++;
        const { startTime, timerSecs } = first(bytes);
        expect([name, startTime, timerSecs]).toEqual([
          name,
          theirs['start_time'],
          theirs['total_timer_time'],
        ]);
      }
      expect(compared).toBeGreaterThan(5);
    },
  );
});
