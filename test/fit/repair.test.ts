import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/fit/contents.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { repairRecording } from '../../src/fit/repair.ts';
import {
  makeRecording,
  truncated,
  unfinished,
  withBrokenCrc,
  withFlippedBits,
  withTrailingBytes,
  wrapRecords,
  zeroFilled,
  zeroTail,
} from '../support/fit-maker.ts';
import { START, fitFile, fitMessage, withMissingByte } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

const startTime = new Date('2026-02-15T07:30:00Z');
const ride = makeRecording({ startTime, durationSecs: 300 });

/** Repairs a recording and checks that the copy is whole. */
function repaired(bytes: Uint8Array) {
  const repair = repairRecording(bytes);
  if (repair === undefined) throw new Error('nothing was repaired');
  expect(checkEnvelope(repair.bytes).state).toBe('whole');
  return repair;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

describe('the repair of a recording', () => {
  it.each([
    ['size 0', unfinished(ride)],
    ['size 0xFFFFFFFF', unfinished(ride, 0xffffffff)],
    ['the wrong CRC', withBrokenCrc(ride)],
    ['extra bytes', withTrailingBytes(ride, 20)],
    ['no CRC', truncated(ride, 2)],
  ])('restores the recording from a file with %s', (_, bytes) => {
    const { bytes: copy, kept, lostSecs } = repaired(bytes);
    expect(Buffer.from(copy).equals(ride)).toBe(true);
    expect(kept).toEqual({
      records: 300,
      from: startTime,
      to: new Date(startTime.getTime() + 299_000),
      hasSession: true,
    });
    expect(lostSecs).toBe(1);
  });

  it('ends after the last whole record', () => {
    const cut = truncated(ride, 2000);
    const { bytes, kept, cutBytes } = repaired(cut);
    const end = bytes.length - 2;
    expect(Buffer.from(bytes.subarray(14, end)).equals(cut.subarray(14, end))).toBe(true);
    expect(cutBytes).toBe(cut.length - end);
    expect(cutBytes).toBeLessThan(100);
    expect(kept).toMatchObject({ hasSession: false });
    expect(kept.records).toBeGreaterThan(200);
    expect(kept.records).toBeLessThan(300);
  });

  it('keeps a 12-byte header', () => {
    const old = makeRecording({ headerSize: 12, durationSecs: 60 });
    expect(Buffer.from(repaired(unfinished(old)).bytes).equals(old)).toBe(true);
  });

  it.each([
    ['zeroes', 0x00],
    ['erased memory', 0xff],
  ])('leaves out the %s after the last record', (_, filler) => {
    const bytes = concat(unfinished(ride), new Uint8Array(4096).fill(filler));
    const { bytes: copy, cutBytes } = repaired(bytes);
    expect(Buffer.from(copy).equals(ride)).toBe(true);
    expect(cutBytes).toBe(4096);
  });

  it('leaves out the zeroes of a copy that failed', () => {
    const { kept, bytes } = repaired(zeroTail(ride, 3000));
    expect(kept.records).toBeGreaterThan(100);
    expect(kept.to?.getTime()).toBe(startTime.getTime() + (kept.records - 1) * 1000);
    expect(bytes.length).toBeLessThan(ride.length - 2990);
  });

  it('leaves out a record with fields that missing bytes shifted', () => {
    const { kept } = repaired(withMissingByte());
    expect(kept.records).toBe(4);
  });

  it('keeps the whole segments before the damaged one', () => {
    const second = makeRecording({ durationSecs: 60, seed: 2 });
    const { bytes, kept } = repaired(concat(ride, truncated(second, 500)));
    expect(Buffer.from(bytes.subarray(0, ride.length)).equals(ride)).toBe(true);
    expect(kept.records).toBeGreaterThan(300);
    const cut = repaired(concat(ride, second.subarray(0, 7)));
    expect([Buffer.from(cut.bytes).equals(ride), cut.cutBytes]).toEqual([true, 7]);
  });

  it('keeps the segments after one with the wrong CRC', () => {
    const second = makeRecording({ durationSecs: 60, seed: 2 });
    const { bytes, cutBytes } = repaired(concat(withBrokenCrc(ride), second));
    expect(Buffer.from(bytes).equals(concat(ride, second))).toBe(true);
    expect(cutBytes).toBe(0);
  });

  it("reports the time that only the device's summary covers", () => {
    const whole = fitFile(
      fitMessage('fileId', { type: 4 }),
      fitMessage('session', { startTime: START, elapsedMs: 3_600_000 }),
      ...[0, 1, 2].map((secs) => fitMessage('record', { timestamp: START + secs })),
    );
    expect(repaired(truncated(whole, 3))).toMatchObject({ kept: { records: 2 }, lostSecs: 3599 });
  });

  it.each([
    ['only a header', ride.subarray(0, 14)],
    ['a cut header', ride.subarray(0, 9)],
    ['no records', unfinished(wrapRecords(Uint8Array.from(fitMessage('fileId', { type: 4 }))))],
    ['zeroes', zeroFilled(5000)],
    ['no bytes', new Uint8Array(0)],
    ['text', Buffer.from('time,power\n1,200\n')],
  ])('is impossible with %s', (_, bytes) => {
    expect(repairRecording(bytes)).toBeUndefined();
  });

  it('gives a whole file or none for any damage', () => {
    const small = makeRecording({ durationSecs: 20, developerField: true, chained: 1 });
    fc.assert(
      fc.property(
        fc.nat({ max: small.length - 1 }),
        fc.nat({ max: 255 }),
        fc.nat({ max: small.length }),
        (at, mask, cut) => {
          const damaged = withFlippedBits(small, at, mask).subarray(0, cut);
          const before = Buffer.from(damaged);
          const repair = repairRecording(damaged);
          expect(before.equals(damaged)).toBe(true);
          if (repair === undefined) return;
          expect(checkEnvelope(repair.bytes).state).toBe('whole');
          expect(readContents(repair.bytes).end.complete).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it('an unfinished one becomes the recording that the device saved', () => {
    const { bytes } = repaired(realRecordings.read('unfinished-edge840-size-zero.fit'));
    expect(Buffer.from(bytes)).toEqual(realRecordings.read('garmin-edge840-indoor-ride.fit'));
  });

  it.each([
    ['corrupt-sigma-data-past-end.fit', 14391, false, 0],
    ['corrupt-strava-truncated.fit', 472, true, 3244],
  ])('%s keeps %d records', (name, records, hasSession, lostSecs) => {
    expect(repaired(realRecordings.read(name))).toMatchObject({
      kept: { records, hasSession },
      lostSecs,
    });
  });
});
