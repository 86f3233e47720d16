import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEnvelope, PEEK_BYTES, peekHeader, type Envelope } from '../../src/fit/envelope.ts';
import {
  appleDoubleStub,
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
import { realRecordings } from '../support/real-recordings.ts';

const whole = makeRecording({ durationSecs: 120 });
const chain = makeRecording({ durationSecs: 60, chained: 2 });

/** Returns state and problem without the detail. */
function verdict(envelope: Envelope): string {
  return envelope.state === 'whole' ? 'whole' : `${envelope.state} ${envelope.problem}`;
}

const files: readonly [what: string, bytes: Uint8Array, expected: string][] = [
  ['a recording', whole, 'whole'],
  ['a 12-byte header', makeRecording({ headerSize: 12 }), 'whole'],
  ['a header without a CRC', makeRecording({ headerCrc: 'zero' }), 'whole'],
  ['a header with garbage for a CRC', makeRecording({ headerCrc: 'garbage' }), 'whole'],
  ['three chained segments', chain, 'whole'],
  ['big-endian records', makeRecording({ bigEndian: true }), 'whole'],
  ['a recording of one byte of data', wrapRecords(Uint8Array.of(0x40)), 'whole'],
  ['stated size 0', unfinished(whole), 'incomplete recording'],
  ['stated size 0xFFFFFFFF', unfinished(whole, 0xffffffff), 'incomplete recording'],
  ['a segment being written', Buffer.concat([whole, unfinished(whole)]), 'incomplete recording'],
  ['one byte missing', truncated(whole, 1), 'incomplete missing-bytes'],
  ['all but the header missing', whole.subarray(0, 14), 'incomplete missing-bytes'],
  ['a part of a header', whole.subarray(0, 11), 'incomplete header-cut'],
  ['the first byte', whole.subarray(0, 1), 'incomplete header-cut'],
  ['a chain cut in its last segment', truncated(chain, 1), 'incomplete missing-bytes'],
  ['a later header cut', Buffer.concat([whole, chain.subarray(0, 10)]), 'incomplete header-cut'],
  ['a wrong CRC', withBrokenCrc(whole), 'corrupt crc'],
  ['a wrong CRC after a few zeroes', zeroTail(whole, 20), 'corrupt crc'],
  ['a wrong CRC in a later segment', withBrokenCrc(chain), 'corrupt crc'],
  ['zeroes at the end', zeroTail(whole, 1000), 'corrupt zero-tail'],
  ['zeroes behind the header', zeroTail(whole, whole.length - 14), 'corrupt zero-tail'],
  ['one trailing byte', withTrailingBytes(whole, 1), 'corrupt trailing-bytes'],
  ['many trailing bytes', withTrailingBytes(whole, 300), 'corrupt trailing-bytes'],
  ['trailing zeroes', withTrailingBytes(whole, 300, 0), 'corrupt trailing-bytes'],
  ['nothing', new Uint8Array(0), 'not-fit empty'],
  ['zeroes', zeroFilled(5000), 'not-fit zero-filled'],
  ['one zero', zeroFilled(1), 'not-fit zero-filled'],
  ['a macOS companion', appleDoubleStub(), 'not-fit apple-double'],
  ['gzip', gzipSync(whole), 'not-fit gzip'],
  ['zip', Buffer.from('504b0304140000000800', 'hex'), 'not-fit zip'],
  ['a web page', Buffer.from('\n<!DOCTYPE html><html><title>Sign in'), 'not-fit web-page'],
  ['TCX', Buffer.from('<?xml version="1.0"?>\n<TrainingCenterDatabase xsi='), 'not-fit tcx'],
  ['GPX', Buffer.from('\ufeff<?xml version="1.0"?><gpx version="1.1">'), 'not-fit gpx'],
  ['other XML', Buffer.from('<?xml version="1.0"?><plist>'), 'not-fit xml'],
  ['JSON', Buffer.from('{"error": "not found"}'), 'not-fit json'],
  ['text', Buffer.from('14 km, fine weather\n'), 'not-fit text'],
  ['memory that was never written', new Uint8Array(4096).fill(0xff), 'not-fit unknown'],
  ['other bytes', Uint8Array.of(1, 2, 3, 4, 5), 'not-fit unknown'],
  ['a header without ".FIT"', withFlippedBits(whole, 8, 0xff), 'not-fit unknown'],
  ['a header of another size', withFlippedBits(whole, 0, 0x01), 'not-fit unknown'],
];

describe('checkEnvelope', () => {
  it.each(files)('%s', (_, bytes, expected) => {
    const envelope = checkEnvelope(bytes);
    expect(verdict(envelope)).toBe(expected);
    if (envelope.state !== 'whole') expect(envelope.detail).toMatch(/^[A-Z].+\.$/s);
  });

  it('counts the segments of a whole file', () => {
    expect(checkEnvelope(chain)).toEqual({ state: 'whole', segments: 3 });
  });

  it('reports how many bytes are missing, of how many', () => {
    const bytes = makeRecording({ sizeBytes: 20_000 });
    expect(checkEnvelope(truncated(bytes, 19))).toMatchObject({
      detail: expect.stringContaining('19 bytes of 20,000') as unknown,
    });
    expect(checkEnvelope(truncated(bytes, 1))).toMatchObject({
      detail: expect.stringContaining('1 byte of 20,000') as unknown,
    });
  });

  it('never accepts a file that was cut off', () => {
    for (let length = 0; length < whole.length; length++) {
      expect(checkEnvelope(whole.subarray(0, length)).state).not.toBe('whole');
    }
  });

  it('accepts a file cut between two segments, which cannot be detected', () => {
    const first = makeRecording({ durationSecs: 60 });
    const states = Array.from({ length: chain.length }, (_, n) =>
      verdict(checkEnvelope(chain.subarray(0, n))),
    );
    const wholeAt = states.flatMap((state, n) => (state === 'whole' ? [n] : []));
    expect(wholeAt).toEqual([first.length, first.length + 1000]);
  });

  it('never accepts a file with flipped bits in one byte', () => {
    const small = makeRecording({ sizeBytes: 1000 });
    for (let at = 0; at < small.length; at++) {
      for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255, (at % 254) + 1]) {
        expect(checkEnvelope(withFlippedBits(small, at, mask)).state).not.toBe('whole');
      }
    }
  });

  it('neither throws for random bytes nor accepts them', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.boolean(),
        fc.nat({ max: 500 }),
        (random, withHeader, stated) => {
          const bytes = withHeader ? Buffer.concat([whole.subarray(0, 12), random]) : random;
          if (withHeader) Buffer.from(bytes.buffer, bytes.byteOffset).writeUInt32LE(stated, 4);
          expect(checkEnvelope(bytes).state).not.toBe('whole');
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('peekHeader', () => {
  it.each(files)('agrees with the full check: %s', (_, bytes, expected) => {
    const peek = peekHeader(bytes.subarray(0, PEEK_BYTES), bytes.length);
    if (peek.state !== 'possible') expect(peek).toEqual(checkEnvelope(bytes));
    if (expected === 'whole') expect(peek).toEqual({ state: 'possible' });
  });

  it.each([
    ['being recorded', unfinished(whole), 'incomplete recording'],
    ['cut short', truncated(whole, 5), 'incomplete missing-bytes'],
    ['just begun', whole.subarray(0, 5), 'incomplete header-cut'],
    ['no recording', appleDoubleStub(), 'not-fit apple-double'],
    ['empty', new Uint8Array(0), 'not-fit empty'],
  ])('detects a file that is %s', (_, bytes, expected) => {
    const peek = peekHeader(bytes.subarray(0, PEEK_BYTES), bytes.length);
    expect(peek.state === 'possible' ? 'possible' : verdict(peek)).toBe(expected);
  });

  it('returns possible if the first bytes do not decide', () => {
    expect(peekHeader(withBrokenCrc(whole).subarray(0, PEEK_BYTES), whole.length).state).toBe(
      'possible',
    );
    expect(peekHeader(whole.subarray(0, 5), whole.length).state).toBe('possible');
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  const notWhole: Readonly<Record<string, string>> = {
    'corrupt-sigma-data-past-end.fit': 'corrupt crc',
    'corrupt-strava-truncated.fit': 'incomplete missing-bytes',
    'unfinished-edge840-size-zero.fit': 'incomplete recording',
  };

  it('are whole, except three', () => {
    const verdicts = Object.fromEntries(
      realRecordings
        .names()
        .map((name) => [name, verdict(checkEnvelope(realRecordings.read(name)))]),
    );
    expect(verdicts).toEqual(
      Object.fromEntries(realRecordings.names().map((name) => [name, notWhole[name] ?? 'whole'])),
    );
  });

  it('have all their segments found if chained', () => {
    const envelope = checkEnvelope(realRecordings.read('chained-garmin-fr920xt-run.fit'));
    expect(envelope).toEqual({ state: 'whole', segments: 3 });
  });
});
