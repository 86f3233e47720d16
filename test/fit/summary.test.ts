import { describe, expect, it } from 'vitest';
import { activityName } from '../../src/fit/activity.ts';
import { deviceId, readFileId } from '../../src/fit/file-id.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { makeRecording, wrapRecords } from '../support/fit-maker.ts';
import { fitFile, fitMessage, message, u32 } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';
import FitParser from 'fit-file-parser';
import fc from 'fast-check';

const startTime = new Date('2026-02-15T22:30:00Z');
const ride = { startTime, manufacturer: 1, product: 4062, serial: 3412345678, type: 4 };

describe('readSummary', () => {
  const options = { ...ride, durationSecs: 900, sport: 2, subSport: 7, localOffsetMinutes: 60 };
  const session = {
    sport: 2,
    subSport: 7,
    word: undefined,
    startTime,
    elapsedSecs: 900,
    timerSecs: 900,
    ascentMetres: undefined,
    calories: undefined,
    maxDepthMetres: undefined,
    pool: undefined,
    maxima: { power: undefined, heartRate: undefined, speed: undefined },
    averages: { power: 205, heartRate: 142, cadence: 87 },
  };

  it.each([
    ['little-endian', {}],
    ['big-endian', { bigEndian: true }],
    ['developer fields', { developerField: true }],
    ['compressed time stamps', { compressedTimestamps: true }],
  ])('reads any form of records: %s', (_, form) => {
    const times = readSummary(makeRecording({ ...options, ...form }));
    const distanceMetres = times.distanceMetres ?? 0;
    expect(distanceMetres).toBeGreaterThan(5000);
    const at = startTime.getTime();
    expect(times).toEqual({
      fileId: {
        type: 4,
        manufacturer: 1,
        product: 4062,
        productName: undefined,
        serial: 3412345678,
        timeCreated: startTime,
      },
      sessions: [{ ...session, distanceMetres }],
      startTime,
      elapsedSecs: 900,
      timerSecs: 900,
      distanceMetres,
      localOffsetMinutes: 60,
      first: { ...session, distanceMetres },
      recorded: {
        startTime,
        secs: 899,
        distanceMetres: expect.closeTo(distanceMetres, 0) as unknown,
      },
      shape: {
        startedAt: at,
        endedAt: at + 899_000,
        timerSecs: 900,
        records: 900,
        sport: 2,
        fileId: [1, 4062, 3412345678, at].join(),
        isOneSession: true,
        channels: ['altitude', 'cadence', 'heartRate', 'position', 'power', 'temperature'],
        places: times.shape.places,
      },
    });
    const minutes = Array.from({ length: 15 }, (_each, minute) => at / 1000 + minute * 60);
    expect(times.shape.places.map(([time]) => time)).toEqual(minutes);
  });

  it('counts a session once that a joined file has twice', () => {
    const once = makeRecording(options);
    const { timerSecs, sessions } = readSummary(Buffer.concat([once, once]));
    expect([timerSecs, sessions.length]).toEqual([900, 1]);
  });

  it('covers all sessions and segments', () => {
    const three = readSummary(
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
    const times = readSummary(fitFile(fitMessage('sport', { sport: 1, subSport: 3 })));
    expect(times.sessions).toMatchObject([{ sport: 1, subSport: 3 }]);
    expect(activityName(times)).toBe('Trail run');
  });
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
        activityName(readSummary(bytes));
        deviceId(readFileId(bytes));
      }),
      { numRuns: 200 },
    );
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
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
    const times = readSummary(bytes);
    expect([
      deviceId(readFileId(bytes)),
      times.startTime?.toISOString(),
      times.localOffsetMinutes,
    ]).toEqual([device, start, offset]);
  });
});

describe('the first session', () => {
  const first = (bytes: Uint8Array) => readSummary(bytes).first;
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
    ['is the first', [session([2, AT + 9], [8, 1000]), session([2, AT], [8, 2000])], 9, 1],
    ['is else that of the records', [record(AT + 30), record(AT), record(AT + 90)], 0, 90],
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
