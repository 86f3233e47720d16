import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/fit/contents.ts';
import { MESSAGE, readMessages } from '../../src/fit/messages.ts';
import { makeRecording, withFlippedBits, withMissingByte } from '../support/fit-maker.ts';
import { realRecordings } from '../support/real-recordings.ts';

const HEADER_BYTES = 14;
const CRC_BYTES = 2;
const whole = makeRecording({ durationSecs: 300, developerField: true });

describe('readContents', () => {
  it('returns records, laps and developer fields', () => {
    const { samples, ...found } = readContents(whole);
    expect(found).toMatchObject({
      laps: 1,
      developerFields: [{ name: 'core_temperature', units: undefined }],
      end: { at: whole.length, complete: true },
    });
    for (const column of Object.values(samples)) expect(column).toHaveLength(300);
    expect(samples.at[10]).toBe(10);
    expect(samples.latitude[10]).toBeCloseTo(47.2, 1);
    expect(samples.longitude[10]).toBeCloseTo(8.5, 0);
    expect(samples.power[10]).toBeGreaterThan(50);
    expect(samples.altitude[10]).toBeGreaterThan(100);
    expect(samples.depth[10]).toBeNaN();
  });

  it.each([
    ['big-endian', { bigEndian: true }],
    ['with compressed time stamps', { compressedTimestamps: true }],
    ['with a 12-byte header', { headerSize: 12 }],
  ] as const)('returns the same records for another encoding: %s', (_, form) => {
    const options = { durationSecs: 90, seed: 5 };
    expect(readContents(makeRecording({ ...options, ...form })).samples).toEqual(
      readContents(makeRecording(options)).samples,
    );
  });

  it('covers all segments', () => {
    const found = readContents(makeRecording({ durationSecs: 100, chained: 2 }));
    expect(found.laps).toBe(3);
    expect(found.samples.at.length).toBeGreaterThan(120);
  });

  it('ends within a file that is cut or changed at any byte of its data', () => {
    const small = makeRecording({ durationSecs: 5, developerField: true });
    for (let at = HEADER_BYTES; at < small.length - CRC_BYTES; at++) {
      expect(readContents(small.subarray(0, at)).end.at).toBeLessThanOrEqual(at);
      const { end } = readContents(withFlippedBits(small, at, 0xff));
      expect(end.at).toBeLessThanOrEqual(small.length);
    }
  });

  it('drops a record with fields that missing bytes shifted', () => {
    const { samples, end } = readContents(withMissingByte());
    expect([samples.at, end.complete]).toEqual([[0, 1, 2, 3], false]);
    expect(samples.power).toHaveLength(4);
  });

  it('returns nothing for other bytes', () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(500)]) {
      const { samples, end } = readContents(bytes);
      expect([samples.at, end]).toEqual([[], { at: 0, complete: false }]);
    }
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it.each([
    ['garmin-edge840-indoor-ride.fit', 3535, 11],
    ['chained-garmin-fr920xt-run.fit', 276, 5],
    ['unfinished-edge840-size-zero.fit', 3535, 11],
    ['bryton-compressed-timestamps.fit', 1816, 0],
  ])('%s: %d records, %d laps', (name, records, laps) => {
    const found = readContents(realRecordings.read(name));
    expect([found.samples.at.length, found.laps]).toEqual([records, laps]);
  });

  it('have times from their first to their last record', () => {
    for (const name of realRecordings.names()) {
      const bytes = realRecordings.read(name);
      const { samples } = readContents(bytes);
      if (samples.at.length === 0) continue;
      expect([name, Math.min(...samples.at)]).toEqual([name, 0]);
      expect([name, Math.max(...samples.at) < 86_400]).toEqual([name, true]);
    }
  });

  it('are read to their end unless they are damaged', () => {
    const cut = realRecordings
      .names()
      .filter(
        (name) => !readMessages(realRecordings.read(name), { [MESSAGE.lap]: () => 0 }).complete,
      );
    expect(cut).toEqual(['corrupt-sigma-data-past-end.fit', 'corrupt-strava-truncated.fit']);
  });
});
