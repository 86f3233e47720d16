import { describe, expect, it } from 'vitest';

import { interpolate, rounded } from '../../src/seed/arithmetic.ts';
import { LoadHistory } from '../../src/seed/load.ts';

describe('Fitness and fatigue', () => {
  it('converge to the daily stress, fatigue six times as fast', () => {
    const history = new LoadHistory();
    for (let day = 0; day < 210; day++) history.push(50);
    expect(history.morning().ctl).toBeCloseTo(50, 9);
    expect(history.morning().atl).toBeCloseTo(50, 9);
    for (let day = 0; day < 7; day++) history.push(120);
    const { ctl, atl } = history.morning();
    expect(atl).toBeCloseTo(50 + 70 * (1 - (6 / 7) ** 7), 6);
    expect(ctl).toBeCloseTo(50 + (70 * (1 - (41 / 42) ** 7)) / (1 - (41 / 42) ** 210), 6);
    expect(history.daysAgo(1)).toBe(120);
    expect(history.daysAgo(8)).toBe(50);
  });

  it('ignore days before the window, so that the length of the history does not matter', () => {
    const [short, long] = [new LoadHistory(), new LoadHistory()];
    for (let day = 0; day < 500; day++) long.push(day % 7 === 0 ? 999 : 3);
    for (let day = 0; day < 210; day++) {
      short.push(day % 5);
      long.push(day % 5);
    }
    expect(long.morning()).toEqual(short.morning());
  });
});

it('a curve is linear between its points, and constant outside', () => {
  const curve = [
    [0, 1],
    [2, 5],
    [4, 5],
  ] as const;
  expect([-1, 0, 1, 2, 3, 9].map((x) => interpolate(curve, x))).toEqual([1, 1, 3, 5, 5, 5]);
});

it('a small negative number is rounded to zero, not to negative zero', () => {
  expect(rounded(-0.04, 1)).toBe(0);
});
