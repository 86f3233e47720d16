import { readFitMessages } from 'fit-file-parser/raw';
import { describe, expect, it } from 'vitest';
import { readMessages } from '../../src/fit/messages.ts';
import { makeRecording, truncated, unfinished, wrapRecords } from '../support/fit-maker.ts';
import { START, fitFile, fitMessage } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

function u32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}

it('messages reach the visitor of their number, in file order', () => {
  const bytes = fitFile(
    fitMessage('record', { timestamp: START, heartRate: 120 }),
    fitMessage('lap', { timestamp: START }),
    fitMessage('session', { sport: 2 }),
    fitMessage('record', { timestamp: START + 1, heartRate: 121 }),
  );
  const found: unknown[] = [];
  const end = readMessages(bytes, {
    20: (record) => found.push([record.timestamp, record.number(3)]),
    18: (session) => found.push(session.number(5)),
  });
  expect(found).toEqual([[START, 120], 2, [START + 1, 121]]);
  expect(end).toEqual({ at: bytes.length, complete: true });
});

it('a visitor ends the reading by returning false', () => {
  let records = 0;
  const end = readMessages(makeRecording({ durationSecs: 50, chained: 1 }), {
    20: () => ++records < 3,
  });
  expect(records).toBe(3);
  expect(end.complete).toBe(false);
});

describe('a compressed time stamp', () => {
  const definition = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 0x02];
  const full = (seconds: number) => [0x01, ...u32(seconds), 120];
  const compressed = (seconds: number) => [0x80 | (1 << 5) | (seconds & 31), 121];
  const times = (...records: number[][]) => {
    const found: unknown[] = [];
    readMessages(wrapRecords(Uint8Array.from([definition, ...records].flat())), {
      20: (record) => found.push([record.timestamp, record.number(253), record.number(3)]),
    });
    return found;
  };

  it('replaces the time stamp that the message defines', () => {
    expect(times(full(START), compressed(START + 7), full(START + 9))).toEqual([
      [START, START, 120],
      [START + 7, undefined, 121],
      [START + 9, START + 9, 120],
    ]);
  });

  it('counts on from the one before, over 32 seconds', () => {
    const later = [START + 20, START + 40, START + 71, START + 71];
    expect(times(full(START), ...later.map(compressed)).slice(1)).toEqual(
      later.map((at) => [at, undefined, 121]),
    );
  });

  it('counts on from a message without a visitor', () => {
    const lap = fitMessage('lap', { timestamp: START + 3 });
    expect(times(full(START - 100), lap, compressed(START + 7))).toEqual([
      [START - 100, START - 100, 120],
      [START + 7, undefined, 121],
    ]);
  });

  it('is undefined without a time before it', () => {
    expect(times(compressed(5))).toEqual([[undefined, undefined, 121]]);
  });
});

describe('the end of the reading', () => {
  const whole = makeRecording({ durationSecs: 60 });

  it.each([
    ['of a whole file is its end', whole, true],
    ['of several segments is the end of the last', makeRecording({ chained: 2 }), true],
    ['of an unfinished file is its end', unfinished(whole), true],
    ['of a cut file is before its end', truncated(whole, 11), false],
    ['of other bytes is their beginning', new Uint8Array(500), false],
  ])('%s', (_, bytes, complete) => {
    const end = readMessages(bytes, {});
    expect(end.complete).toBe(complete);
    if (complete) expect(end.at).toBe(bytes.length);
    else expect(end.at).toBeLessThan(bytes.length);
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
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
      const visitors = numbers.map((number) => [number, () => ours.push(number)] as const);
      readMessages(bytes, Object.fromEntries(visitors));
      expect([name, ours]).toEqual([name, theirs]);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(10);
  });
});
