import { expect, it } from 'vitest';
import { EMPTY_DAY, type LedgerDay, nutritionLedger } from '../../src/ledger/nutrition.ts';
import { openIn, scratchDir } from './support.ts';

const DAY = '2026-02-15';
const OTHER_DAY = '2026-02-16';
const holding = (...names: string[]): LedgerDay => ({
  ...EMPTY_DAY,
  items: names.map((name) => ({
    body: { name, carbs: 25 },
    inputs: [{ kind: 'file', name: '/food/a.json' }],
    state: 'base',
    id: name,
  })),
  fields: { waterMl: 500 },
});

function open(dir = scratchDir(), account = 'athlete:1') {
  return { dir, ledger: nutritionLedger(openIn(dir), account) };
}

it('keeps a nutrition day with its status, which another process sees', () => {
  const { dir, ledger } = open();
  expect(ledger.day(DAY)).toEqual(EMPTY_DAY);
  ledger.put(DAY, { ...holding('gel'), status: 'open' });
  expect(open(dir).ledger.day(DAY)).toEqual({ ...holding('gel'), status: 'open' });
  ledger.put(DAY, { ...holding('gel'), status: 'fresh' });
  expect(ledger.day(DAY)).toEqual({ ...holding('gel'), status: 'fresh' });
});

it('lists the nutrition days of a status by date, for one account only', () => {
  const { dir, ledger } = open();
  const other = open(dir, 'athlete:2').ledger;
  for (const date of [OTHER_DAY, DAY]) ledger.put(date, { ...holding('gel'), status: 'open' });
  expect(ledger.dates('open')).toEqual([DAY, OTHER_DAY]);
  expect(other.dates('open')).toEqual([]);
  ledger.put(DAY, holding('gel'));
  expect([ledger.dates('open'), ledger.dates('settled')]).toEqual([[OTHER_DAY], [DAY]]);
});

it("keeps the source of an account's nutrition items", () => {
  const { dir, ledger } = open();
  expect(ledger.sources()).toEqual([]);
  ledger.noteSource('oauth:app-1');
  expect(open(dir).ledger.sources()).toEqual(['oauth:app-1']);
  expect(open(dir, 'athlete:2').ledger.sources()).toEqual([]);
});
