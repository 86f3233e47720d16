import { describe, expect, it } from 'vitest';
import { wellnessLedger } from '../../src/ledger/wellness.ts';
import { openIn, scratchDir } from './support.ts';

const NOW = 1_771_243_200_000;
const OLD = { size: 10, mtimeMs: NOW - 5_000, ctimeMs: NOW - 5_000 };
const PATH = '/Garmin/Monitor/1.FIT';
const SAMPLE = { field: 'restingHr', value: 52, at: 1_771_000_000, offset: 3600 } as const;

function open() {
  const clock = { now: NOW };
  const database = openIn(scratchDir());
  const of = (account: string) => wellnessLedger(database, account, () => clock.now);
  return { clock, ledger: of('me'), other: of('other') };
}

describe('a file with measurements', () => {
  it('is read until it changes, and by each account', () => {
    const { ledger, other } = open();
    expect(ledger.isRead(PATH, OLD)).toBe(false);
    ledger.putFile({ path: PATH, samples: [SAMPLE] }, OLD);
    expect([ledger.isRead(PATH, OLD), other.isRead(PATH, OLD)]).toEqual([true, false]);
    expect(ledger.isRead(PATH, { ...OLD, size: 11 })).toBe(false);
  });

  it('is read again if it changed within two seconds before', () => {
    const { clock, ledger } = open();
    const stamp = { ...OLD, mtimeMs: NOW - 1_000 };
    ledger.putFile({ path: PATH, samples: [SAMPLE] }, stamp);
    expect(ledger.isRead(PATH, stamp)).toBe(false);
    clock.now += 5_000;
    ledger.putFile({ path: PATH, samples: [SAMPLE] }, stamp);
    expect(ledger.isRead(PATH, stamp)).toBe(true);
  });

  it('replaces its earlier measurements, and is open until its days are finished', () => {
    const { ledger, other } = open();
    ledger.putFile({ path: PATH, samples: [SAMPLE, { ...SAMPLE, value: 51 }] }, OLD);
    ledger.putFile({ path: PATH, samples: [{ ...SAMPLE, value: 50 }] }, OLD);
    ledger.putFile({ path: '/Garmin/Monitor/2.FIT', samples: [] }, OLD);
    expect(ledger.measured(SAMPLE.at, SAMPLE.at)).toEqual([
      { path: PATH, samples: [{ ...SAMPLE, value: 50 }] },
    ]);
    expect(ledger.measured(SAMPLE.at + 1, SAMPLE.at + 10)).toEqual([]);
    const file = { path: PATH, first: SAMPLE.at, last: SAMPLE.at };
    expect([ledger.openFiles(), other.openFiles()]).toEqual([[file], []]);
    ledger.settleFiles([PATH]);
    expect(ledger.openFiles()).toEqual([]);
  });
});

describe('a wellness day', () => {
  it('keeps the last value of each field, and its program', () => {
    const { ledger } = open();
    ledger.noteSent('2026-02-15', {
      restingHr: { value: 52, source: 'fit' },
      hrv: { value: 66, source: 'fit' },
    });
    ledger.noteSent('2026-02-15', { restingHr: { value: 48, source: 'oura' } });
    expect(ledger.day('2026-02-15').sent).toEqual({
      restingHr: { value: 48, source: 'oura' },
      hrv: { value: 66, source: 'fit' },
    });
    expect(ledger.day('2026-02-16').sent).toEqual({});
  });

  it('counts the refusals of one record', () => {
    const { ledger, clock } = open();
    ledger.noteRefusal('2026-02-15', 'a');
    clock.now += 1_000;
    ledger.noteRefusal('2026-02-15', 'a');
    const twice = { digest: 'a', refusals: 2, at: clock.now };
    expect(ledger.day('2026-02-15').refusal).toEqual(twice);
    ledger.noteRefusal('2026-02-15', 'b');
    expect(ledger.day('2026-02-15').refusal).toMatchObject({ digest: 'b', refusals: 1 });
  });
});

it('a wellness field that the service drops is known for a day, or until an answer shows it', () => {
  const { ledger, other, clock } = open();
  expect(ledger.drops(['steps'])).toBe(false);
  ledger.noteAnswer(['hrv'], ['steps', 'floors']);
  expect(ledger.drops(['steps', 'floors'])).toBe(true);
  expect(ledger.drops(['steps', 'hrv'])).toBe(false);
  expect(other.drops(['steps'])).toBe(false);
  ledger.noteAnswer(['hrv', 'floors'], []);
  expect([ledger.drops(['steps']), ledger.drops(['floors'])]).toEqual([true, false]);
  clock.now += 86_400_000;
  expect(ledger.drops(['steps'])).toBe(false);
});

it('lists the users of scales', () => {
  const { ledger } = open();
  const weight = { field: 'weight', value: 70, at: SAMPLE.at } as const;
  ledger.putFile({ path: PATH, samples: [SAMPLE, { ...weight, user: 1 }] }, OLD);
  expect([...ledger.scaleUsers([])]).toEqual([1]);
  expect([...ledger.scaleUsers([{ path: '/2.FIT', samples: [weight] }])]).toEqual([1, undefined]);
});
