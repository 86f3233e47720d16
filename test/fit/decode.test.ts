import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContents, type Contents } from '../../src/fit/decode.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import {
  makeRecording,
  truncated,
  unfinished,
  withBrokenCrc,
  withFlippedBits,
} from '../support/fit-maker.ts';
import { realRecordings } from '../support/real-recordings.ts';

function contents(bytes: Uint8Array): Promise<Contents | undefined> {
  return decodeContents(bytes, checkEnvelope(bytes));
}

const whole = makeRecording({ durationSecs: 300, developerField: true });

describe('decodeContents', () => {
  it('returns records, laps, averages and developer fields', async () => {
    const found = await contents(whole);
    expect({ ...found, samples: found?.samples.length }).toEqual({
      samples: 300,
      laps: 1,
      averages: { power: 205, heartRate: 142, cadence: 87 },
      ascent: undefined,
      calories: undefined,
      developerFields: [{ name: 'core_temperature', units: undefined }],
    });
    const sample = found?.samples[10];
    expect(sample?.at).toBe(10);
    expect(sample?.latitude).toBeCloseTo(47.2, 1);
    expect(sample?.longitude).toBeCloseTo(8.5, 0);
    expect(sample?.power).toBeGreaterThan(50);
    expect(sample?.altitude).toBeGreaterThan(100);
  });

  it.each([
    ['big-endian', { bigEndian: true }],
    ['with compressed time stamps', { compressedTimestamps: true }],
    ['with a 12-byte header', { headerSize: 12 }],
  ] as const)('returns the same contents for another encoding: %s', async (_, form) => {
    const options = { durationSecs: 90, seed: 5 };
    expect(await contents(makeRecording({ ...options, ...form }))).toEqual(
      await contents(makeRecording(options)),
    );
  });

  it('covers all segments', async () => {
    const found = await contents(makeRecording({ durationSecs: 100, chained: 2 }));
    expect(found?.laps).toBe(3);
    expect(found?.samples.length).toBeGreaterThan(120);
  });

  it.each([
    ['still being recorded', unfinished(whole), 300],
    ['with a wrong CRC', withBrokenCrc(whole), 300],
    ['cut off in its records', truncated(whole, 5000), 110],
  ])('returns the records before the damage: %s', async (_, bytes, atLeast) => {
    expect((await contents(bytes))?.samples.length).toBeGreaterThanOrEqual(atLeast);
  });

  it('returns undefined if nothing can be decoded', async () => {
    expect(await contents(new Uint8Array(0))).toBeUndefined();
    expect(await contents(new Uint8Array(500))).toBeUndefined();
  });

  it('never throws for flipped or cut bytes', async () => {
    const small = makeRecording({ durationSecs: 5, developerField: true });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: small.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.nat({ max: small.length }),
        async (at, mask, cut) => {
          await contents(withFlippedBits(small, at, mask));
          await contents(small.subarray(0, cut));
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it.each([
    ['garmin-edge840-indoor-ride.fit', 3535, 11, { power: 198, heartRate: 139, cadence: 86 }],
    ['chained-garmin-fr920xt-run.fit', 276, 5, { power: undefined, heartRate: 162, cadence: 89 }],
    ['unfinished-edge840-size-zero.fit', 3535, 11, { power: 198, heartRate: 139, cadence: 86 }],
  ])('%s: %d records, %d laps', async (name, records, laps, averages) => {
    const found = await contents(realRecordings.read(name));
    expect({
      records: found?.samples.length,
      laps: found?.laps,
      averages: found?.averages,
    }).toEqual({ records, laps, averages });
  });

  it("get the samples' mean if their average contradicts it", async () => {
    const found = await contents(
      realRecordings.read('2019-02-17-062644-ELEMNT-297E-195-0.fit'), // the device wrote 131
    );
    expect(found?.averages.cadence).toBeCloseTo(68.5, 1);
  });
});
