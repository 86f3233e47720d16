import { expect, it } from 'vitest';
import { type DayContent, EMPTY_DAY, NutritionLedger } from '../../src/ledger/nutrition.ts';
import { openIn, scratchDir } from './support.ts';

const DAY = '2026-02-15';
const OTHER_DAY = '2026-02-16';
const content = (...names: string[]): DayContent => ({
  items: names.map((name) => ({ body: { name, carbs: 25 }, input: '/food/a.json', id: name })),
  fields: { waterMl: 500 },
});
const UNKNOWN = { stored: EMPTY_DAY, intended: undefined, unclear: false };

function open(dir = scratchDir(), account = 'athlete:1') {
  return { dir, ledger: new NutritionLedger(openIn(dir), account) };
}

it('records the debt of a nutrition day until the day is settled or restored', () => {
  const { dir, ledger } = open();
  expect(ledger.day(DAY)).toEqual(UNKNOWN);
  const intended = { ...content('gel'), maybe: content('bar').items };
  ledger.intend(DAY, intended);
  expect(ledger.day(DAY)).toEqual({ ...UNKNOWN, intended });
  expect(ledger.debts()).toEqual([DAY]);
  // Another process sees the debt of a dead process.
  expect(open(dir).ledger.day(DAY).intended).toEqual(intended);
  ledger.settle(DAY, content('gel'));
  expect(ledger.day(DAY)).toEqual({ ...UNKNOWN, stored: content('gel') });
  ledger.intend(DAY, { ...content('rice'), maybe: [] });
  ledger.restore(DAY);
  expect(ledger.day(DAY)).toEqual({ ...UNKNOWN, stored: content('gel') });
  expect(ledger.debts()).toEqual([]);
});

it('keeps stored and intended content after an unclear request, until the debt ends', () => {
  const { ledger } = open();
  ledger.settle(DAY, content('gel'));
  const intended = { ...content('gel', 'bar'), maybe: [] };
  for (const end of ['settle', 'restore'] as const) {
    ledger.intend(DAY, intended);
    ledger.markUnclear(DAY);
    expect(ledger.day(DAY)).toEqual({ stored: content('gel'), intended, unclear: true });
    if (end === 'settle') ledger.settle(DAY, content('gel'));
    else ledger.restore(DAY);
    expect(ledger.day(DAY)).toEqual({ ...UNKNOWN, stored: content('gel') });
  }
});

it('lists the nutrition days with a debt by date, for one account only', () => {
  const { dir, ledger } = open();
  const other = open(dir, 'athlete:2').ledger;
  for (const date of [OTHER_DAY, DAY]) ledger.intend(date, { ...content('gel'), maybe: [] });
  expect(ledger.debts()).toEqual([DAY, OTHER_DAY]);
  expect(other.debts()).toEqual([]);
  expect(other.day(DAY)).toEqual(UNKNOWN);
  ledger.settle(DAY, content('gel'));
  expect(ledger.debts()).toEqual([OTHER_DAY]);
});

it('adds traits of a nutrition service, and removes undefined ones', () => {
  const { dir, ledger } = open();
  expect(ledger.traits()).toEqual({});
  ledger.noteTraits({ kind: 'append', kindAt: 7 });
  ledger.noteTraits({ source: 'oauth:app-1', noRemovalAt: 8 });
  expect(ledger.traits()).toEqual({
    kind: 'append',
    kindAt: 7,
    source: 'oauth:app-1',
    noRemovalAt: 8,
  });
  ledger.noteTraits({ kind: undefined, kindAt: undefined });
  expect(open(dir).ledger.traits()).toEqual({ source: 'oauth:app-1', noRemovalAt: 8 });
  expect(open(dir, 'athlete:2').ledger.traits()).toEqual({});
});
