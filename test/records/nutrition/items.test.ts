import { describe, expect, test } from 'vitest';
import {
  holdsItem,
  instantOf,
  itemIdentity,
  itemKey,
  itemText,
} from '../../../src/records/nutrition/items.ts';

const GEL = { name: 'Gel', logged_at: '2026-02-15T10:00:00+01:00', carbs: 25 };

describe('the identity of an item', () => {
  test.each([
    ['its amounts', { ...GEL, carbs: 30, calories: 100 }],
    ['the zone of its time', { ...GEL, logged_at: '2026-02-15T09:00:00Z' }],
    ['blanks around its name', { ...GEL, name: ' Gel\n' }],
    ['its meal', { ...GEL, meal: 'LUNCH' }],
  ])('ignores %s', (_what, other) => {
    expect(itemIdentity(other)).toBe(itemIdentity(GEL));
  });

  test.each([
    ['its name', { ...GEL, name: 'Bar' }],
    ['its instant', { ...GEL, logged_at: '2026-02-15T10:00:00.001+01:00' }],
  ])('depends on %s', (_what, other) => {
    expect(itemIdentity(other)).not.toBe(itemIdentity(GEL));
  });

  test('uses the name that platforms give to an item without a name', () => {
    const unnamed = { logged_at: GEL.logged_at, carbs: GEL.carbs };
    expect(itemIdentity(unnamed)).toBe(itemIdentity({ ...GEL, name: 'Unknown item' }));
    expect(itemIdentity({ ...GEL, name: ' ' })).toBe(itemIdentity(unnamed));
  });
});

test('instantOf returns the text of a time that is not a date', () => {
  expect(instantOf({ logged_at: 'noon' })).toBe('noon');
  expect(instantOf({})).toBe('');
  expect(instantOf(GEL)).toBe(Date.parse('2026-02-15T09:00:00Z'));
});

test.each([
  ['the zone of its time', { ...GEL, logged_at: '2026-02-15T09:00:00Z' }, true],
  ['the order of its fields', { carbs: 25, logged_at: GEL.logged_at, name: 'Gel' }, true],
  ['an amount', { ...GEL, carbs: 25.0001 }, false],
  ['a field', { ...GEL, meal: 'LUNCH' }, false],
  ['blanks in its name', { ...GEL, name: 'Gel ' }, false],
  ['a member that is no field', { ...GEL, extra: { unit: 'g', amount: 2 } }, true],
])('itemKey, for two items that differ in %s: %j, %s', (_what, other, same) => {
  expect(itemKey(GEL) === itemKey(other)).toBe(same);
});

test.each([
  ['the same fields', GEL, GEL, true],
  ['a trimmed name', GEL, { ...GEL, name: '  Gel ' }, true],
  ['filled-in fields', { ...GEL, meal: 'SNACK', absorptionType: 'BALANCED' }, GEL, true],
  ['dropped fields', GEL, { ...GEL, meal: 'LUNCH', quantity: '1', absorptionType: 'FAST' }, true],
  ['another meal', { ...GEL, meal: 'LUNCH' }, { ...GEL, meal: 'DINNER' }, false],
  [
    'another absorption',
    { ...GEL, absorptionType: 'FAST' },
    { ...GEL, absorptionType: 'DENSE' },
    false,
  ],
  ['another quantity', { ...GEL, quantity: '2' }, { ...GEL, quantity: '1' }, false],
  ['null for an absent amount', { ...GEL, fat: null }, GEL, true],
  ['0 for an absent amount', { ...GEL, fat: 0 }, GEL, true],
  ['a value for an absent amount', { ...GEL, fat: 1 }, GEL, false],
  ['no value for an amount', { name: 'Gel', logged_at: GEL.logged_at }, GEL, false],
  ['a rounded amount', { ...GEL, carbs: 25.00001 }, GEL, true],
  ['another amount', { ...GEL, carbs: 25.01 }, GEL, false],
  ['an amount as text', { ...GEL, carbs: '25' }, GEL, false],
  ['another time', { ...GEL, logged_at: '2026-02-15T10:00:00Z' }, GEL, false],
  ['the given name of one without', { ...GEL, name: 'Unknown item' }, { ...GEL, name: '' }, true],
])(
  "holdsItem compares an item with the platform's item that has %s",
  (_what, shown, item, holds) => {
    expect(holdsItem(shown, item)).toBe(holds);
  },
);

test.each([
  [GEL, 'Gel, 10:00, 25 g carbs'],
  [{ ...GEL, calories: 100 }, 'Gel, 10:00, 25 g carbs, 100 kcal'],
  [{ name: 'Egg', protein: 12, calories: 150 }, 'Egg, 150 kcal, 12 g protein'],
  [{ logged_at: '2026-02-15T10:00:00Z' }, 'Unknown item, 10:00'],
])('itemText describes %j as %s', (item, text) => {
  expect(itemText(item)).toBe(text);
});
