import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/fit/contents.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { MESSAGE, type Message, OTHERS, readMessages } from '../../src/fit/messages.ts';
import { repairRecording } from '../../src/fit/repair.ts';
import {
  makeRecording,
  truncated,
  unfinished,
  withBrokenCrc,
  withFlippedBits,
  withMissingByte,
  withTrailingBytes,
  wrapRecords,
  zeroFilled,
  zeroTail,
} from '../support/fit-maker.ts';
import { START, fitFile, fitMessage } from '../support/fit-messages.ts';
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
      { numRuns: 200 },
    );
  });
});

interface Copied {
  readonly kind: number;
  readonly time: number | undefined;
  readonly start: number;
  readonly end: number;
  /** Its bytes, one a character: quicker to make and to compare than hex. */
  readonly text: string;
}

function messagesOf(bytes: Uint8Array): Copied[] {
  const all: Copied[] = [];
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  readMessages(bytes, {
    [OTHERS]: ({ kind, timestamp: time, start, end }: Message) => {
      const text = whole.toString('latin1', start, end);
      all.push({ kind, time, start, end, text });
    },
  });
  return all;
}

const SUMMARIES: readonly number[] = [MESSAGE.session, MESSAGE.lap];

/** Repairs damaged files, and counts copies with something that the original does not have. */
function falseCopies(original: Uint8Array, damaged: Iterable<Uint8Array>) {
  const known = new Set(messagesOf(original).map(({ text }) => text));
  const timesOf = (all: readonly Copied[]) =>
    all.flatMap(({ kind, time }) => (kind === MESSAGE.record ? [time ?? 0] : []));
  const stepsBack = (times: readonly number[]) =>
    times.filter((time, i) => time < (times[i - 1] ?? time)).length;
  const own = stepsBack(timesOf(messagesOf(original)));
  const counts = { back: 0, summaries: 0, times: 0, untold: 0, undecoded: 0 };
  for (const bytes of damaged) {
    const repair = repairRecording(bytes);
    if (repair === undefined) continue;
    const copied = messagesOf(repair.bytes);
    const strange = copied.filter(({ text }) => !known.has(text));
    const times = timesOf(copied);
    if (stepsBack(times) > own) counts.back++;
    if (strange.some(({ kind }) => SUMMARIES.includes(kind))) counts.summaries++;
    if (times.some((time, i) => Math.abs(time - (times[i - 1] ?? time)) > 86_400)) counts.times++;
    if (strange.length > 0 && !repair.isDoubtful) counts.untold++;
    if (!readContents(repair.bytes).end.complete) counts.undecoded++;
  }
  return counts;
}

const NONE = { back: 0, summaries: 0, times: 0, untold: 0, undecoded: 0 };

/** Cuts a recording in each of its first sessions and laps, and fills it up to its size. */
function* filledTails(whole: Uint8Array) {
  const summaries = messagesOf(whole).filter(({ kind }) => SUMMARIES.includes(kind));
  for (const { start, end } of summaries.slice(0, 8)) {
    for (const share of [0.1, 0.3, 0.6, 0.95]) {
      const at = Math.ceil(start + (end - start) * share);
      yield new Uint8Array(whole).fill(0, at);
      yield new Uint8Array(whole).fill(0xff, at);
      yield concat(unfinished(new Uint8Array(whole).fill(0, at)), new Uint8Array(2));
    }
  }
}

/** Damages one sector of 512 bytes after another: zeroes, 0xff, missing, other bytes. */
function* badSectors(whole: Uint8Array, sectors: number) {
  for (let i = 1; i <= sectors; i++) {
    const at = 512 * Math.floor((i * (whole.length - 512)) / 512 / (sectors + 1));
    yield new Uint8Array(whole).fill(0, at, at + 512);
    yield new Uint8Array(whole).fill(0xff, at, at + 512);
    yield concat(whole.subarray(0, at), whole.subarray(at + 512));
    yield whole.map((byte, j) => (j < at || j >= at + 512 ? byte : (j * 2_654_435_761) >>> 13));
  }
}

/** Cuts the file, and puts random bytes behind the cut: a sector of another file. */
function* garbageTails(whole: Uint8Array, copies: number) {
  for (let i = 1; i <= copies; i++) {
    const at = Math.floor((i * whole.length) / (copies + 1));
    const garbage = Uint8Array.from(
      { length: 700 },
      (_, j) => (((j + 1) * i * 2_654_435_761) % 2 ** 32) >>> 19,
    );
    yield concat(whole.subarray(0, at), garbage);
    yield unfinished(concat(whole.subarray(0, at), garbage));
  }
}

/** Cuts the file, and puts older bytes of it behind the cut: a sector that was not written again. */
function* staleTails(whole: Uint8Array, copies: number) {
  const ends = messagesOf(whole).map(({ end }) => end);
  const near = (offset: number) => ends.findLast((end) => end <= offset) ?? 0;
  for (let i = 1; i <= copies; i++) {
    const at = Math.floor(((i + copies) * whole.length) / (2 * copies + 1));
    const from = Math.floor(at / 3) + i;
    yield concat(whole.subarray(0, at), whole.subarray(from, from + 700));
    // At the borders of messages, as well as anywhere.
    const stale = whole.subarray(near(from), near(from) + 700);
    yield concat(whole.subarray(0, near(at)), stale);
    yield unfinished(concat(whole.subarray(0, near(at)), stale));
  }
}

describe('the copy of a damaged recording', () => {
  const race = makeRecording({ sport: 5, furtherSports: [3, 2, 1], developerField: true });

  it('has no session and no lap that the damage completed', () => {
    expect(falseCopies(race, filledTails(race))).toEqual(NONE);
  });

  it('has nothing of the bytes behind a cut', () => {
    expect(falseCopies(race, garbageTails(race, 40))).toEqual(NONE);
    expect(falseCopies(race, staleTails(race, 40))).toEqual(NONE);
  });

  it('has no record of an impossible time, and reports doubtful values', () => {
    expect(falseCopies(race, badSectors(race, 30))).toEqual(NONE);
  });

  it('leaves out a record with only its time out of order', () => {
    const { start } = messagesOf(ride).filter(({ kind }) => kind === MESSAGE.record)[100] as Copied;
    for (const flipped of [2, 4]) {
      const { kept, droppedBytes } = repaired(withFlippedBits(ride, start + flipped, 0x55));
      expect(kept).toMatchObject({ records: 299, hasSession: true });
      expect(droppedBytes).toBeGreaterThan(20);
    }
  });

  it('ends at the last credible message of a file with changed line ends', () => {
    const text = Buffer.from(race).toString('latin1');
    const mangled = [text.replace(/\n/g, '\r\n'), text.replace(/\r/g, '')];
    const damaged = mangled.map((each) => Buffer.from(each, 'latin1'));
    expect(falseCopies(race, damaged)).toEqual(NONE);
  });

  it('is not doubtful after a mere cut', () => {
    // Bytes of the checksum, and of a record.
    for (const missing of [1, 2, 1000])
      expect(repaired(truncated(ride, missing)).isDoubtful).toBe(false);
    expect(repaired(unfinished(ride)).isDoubtful).toBe(false);
    expect(repaired(zeroTail(ride, 1000)).isDoubtful).toBe(true);
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it('an unfinished one becomes the recording that the device saved', () => {
    const { bytes } = repaired(realRecordings.read('unfinished-edge840-size-zero.fit'));
    expect(Buffer.from(bytes)).toEqual(realRecordings.read('garmin-edge840-indoor-ride.fit'));
  });

  it.each([
    ['corrupt-sigma-data-past-end.fit', 14391, false, 0],
    ['corrupt-strava-truncated.fit', 471, true, 3244],
  ])('%s keeps %d records', (name, records, hasSession, lostSecs) => {
    expect(repaired(realRecordings.read(name))).toMatchObject({
      kept: { records, hasSession },
      lostSecs,
    });
  });

  it.each([
    'chained-garmin-fr920xt-run.fit',
    'coros-dura-ride.fit',
    'MyNewActivity-5.6.0.fit',
    'trainingpeaks-virtual-developer-fields.fit',
  ])('copies of %s have nothing false without a warning', (name) => {
    const whole = realRecordings.read(name);
    expect(falseCopies(whole, filledTails(whole))).toEqual(NONE);
    expect(falseCopies(whole, garbageTails(whole, 5))).toEqual(NONE);
    expect(falseCopies(whole, staleTails(whole, 5))).toEqual(NONE);
    expect(falseCopies(whole, badSectors(whole, 4))).toEqual(NONE);
  });
});
