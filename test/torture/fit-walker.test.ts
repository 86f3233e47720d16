import { describe, expect, it } from 'vitest';
import {
  makeRecording,
  truncated,
  unfinished,
  withBrokenCrc,
  withTrailingBytes,
} from '../support/fit-maker.ts';
import { realRecordings } from '../support/real-recordings.ts';
import { sealed, specifiedCrc, walkFit } from './fit-walker.ts';

const ACTIVITY = 4;
const ride = makeRecording({ durationSecs: 50, furtherSports: [1] });

/** The CRC over a header with its own is 0, and zeroes leave it so. */
function zeroedBehindHeader(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes).fill(0, 14);
  copy.writeUInt16LE(specifiedCrc(copy, 0, 12), 12);
  return copy;
}

describe('walkFit', () => {
  it.each([
    ['plain', {}],
    ['big-endian, with a short header', { bigEndian: true, headerSize: 12 }],
    [
      'with developer fields and compressed time stamps',
      { developerField: true, compressedTimestamps: true },
    ],
  ] as const)('counts the messages of a recording: %s', (_, form) => {
    const startTime = new Date('2026-02-15T07:30:00Z');
    const bytes = makeRecording({ ...form, durationSecs: 50, furtherSports: [1], startTime });
    const walk = walkFit(bytes);
    expect(walk).toMatchObject({ whole: true, segments: 1, records: 'valid', fileType: ACTIVITY });
    expect([18, 19, 20].map((number) => walk.messages.get(number))).toEqual([2, 2, 50]);
    const since1989 = startTime.getTime() / 1000 - 631_065_600;
    expect(walk.sessionStarts).toEqual([since1989, since1989 + 25]);
  });

  it('reads all segments', () => {
    expect(walkFit(makeRecording({ durationSecs: 10, chained: 2 }))).toMatchObject({
      whole: true,
      segments: 3,
    });
  });

  it.each([
    ['cut off', truncated(ride, 1)],
    ['without its size', unfinished(ride)],
    ['with a wrong CRC', withBrokenCrc(ride)],
    ['followed by other bytes', withTrailingBytes(ride, 20)],
    ['empty', new Uint8Array()],
    ['with zeroes behind a header whose own CRC is right', zeroedBehindHeader(ride)],
  ])('finds a recording that is not whole: %s', (_, bytes) => {
    expect(walkFit(bytes).whole).toBe(false);
  });

  it('finds records that no specification allows in a file with a correct CRC', () => {
    const bytes = Buffer.from(ride);
    bytes[14] = 0x0f;
    expect(walkFit(sealed(bytes))).toMatchObject({ whole: true, records: 'broken' });
  });

  it('computes the CRC of CRC-16/ARC', () => {
    const text = Buffer.from('123456789');
    expect(specifiedCrc(text, 0, text.length)).toBe(0xbb3d);
  });

  it.skipIf(!realRecordings.present)(
    `reads recordings of real devices to their end${realRecordings.note}`,
    () => {
      for (const name of realRecordings.names()) {
        const { whole, records } = walkFit(realRecordings.read(name));
        const isDamaged = /^(corrupt|unfinished)/.test(name);
        expect([name, whole, isDamaged || records !== 'broken']).toEqual([name, !isDamaged, true]);
      }
    },
  );
});
