import { describe, expect, it } from 'vitest';

import { athleteOf } from '../../src/seed/athlete.ts';
import { interpolate, rounded } from '../../src/seed/arithmetic.ts';
import { LoadHistory } from '../../src/seed/load.ts';
import { Heart } from '../../src/seed/motion.ts';
import { stream, Wander } from '../../src/seed/random.ts';
import { correlation, mean } from './support.ts';

describe('The heart', () => {
  const athlete = athleteOf(1);
  const beats = (heart: Heart, effort: number, from: number, seconds: number) =>
    Array.from({ length: seconds }, (_, second) => heart.beat(effort, from + second));

  it('rises within two minutes, falls more slowly, and stays in its range', () => {
    const heart = new Heart(athlete, stream(1, 'heart'), 15);
    beats(heart, 0.5, 0, 300);
    const before = mean(beats(heart, 0.5, 300, 30));
    const [early, late] = [beats(heart, 1, 330, 10), beats(heart, 1, 340, 200)];
    expect(mean(early) - before).toBeLessThan(15);
    expect(mean(late.slice(-30)) - before).toBeGreaterThan(30);
    const hard = beats(heart, 3, 540, 600);
    expect(Math.max(...hard)).toBeLessThanOrEqual(athlete.maxHr);
    heart.settle(1200);
    expect(mean(beats(heart, 0, 1140, 30))).toBeLessThan(athlete.restingHr + 60);
  });

  it('beats faster at the same effort after hours in the heat than in the cold', () => {
    const after = (heat: number) => {
      const heart = new Heart(athlete, stream(1, 'heart'), heat);
      return mean(beats(heart, 0.7, 0, 3 * 3600).slice(-600));
    };
    expect(after(32)).toBeGreaterThan(after(10) + 2);
  });
});

describe('Fitness and fatigue', () => {
  it('converge to the daily stress, fatigue six times as fast', () => {
    const history = new LoadHistory();
    for (let day = 0; day < 210; day++) history.push(50);
    expect(history.morning().ctl).toBeCloseTo(50, 9);
    expect(history.morning().atl).toBeCloseTo(50, 9);
    for (let day = 0; day < 7; day++) history.push(120);
    const { ctl, atl, tsb } = history.morning();
    expect(atl).toBeCloseTo(50 + 70 * (1 - (6 / 7) ** 7), 6);
    expect(ctl).toBeCloseTo(50 + (70 * (1 - (41 / 42) ** 7)) / (1 - (41 / 42) ** 210), 6);
    expect(tsb).toBe(ctl - atl);
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

describe('Arithmetic', () => {
  it('never rounds to negative zero', () => {
    expect([rounded(1.25, 1), rounded(71.449, 2), rounded(-0.04, 1), rounded(2.5, 0)]).toEqual([
      1.3, 71.45, 0, 3,
    ]);
    expect(Object.is(rounded(-0.04, 1), 0)).toBe(true);
  });

  it('interpolates linearly between points, and is constant outside', () => {
    const curve = [
      [0, 1],
      [2, 5],
      [4, 5],
    ] as const;
    expect([-1, 0, 1, 2, 3, 9].map((x) => interpolate(curve, x))).toEqual([1, 1, 3, 5, 5, 5]);
  });
});

describe('Random numbers', () => {
  it('are equal for equal names and unrelated otherwise', () => {
    const draw = (...name: [number, ...(string | number)[]]) => {
      const random = stream(...name);
      return Array.from({ length: 2000 }, () => random.unit());
    };
    expect(draw(1, 'ride', 12)).toEqual(draw(1, 'ride', 12));
    for (const other of [
      draw(2, 'ride', 12),
      draw(1, 'run', 12),
      draw(1, 'ride', 13),
      draw(1, 'ride1', 2),
    ]) {
      expect(Math.abs(correlation(draw(1, 'ride', 12), other))).toBeLessThan(0.08);
    }
  });

  it('are uniform over their range, also as integers', () => {
    const random = stream(9, 'dice');
    const counts = new Array<number>(6).fill(0);
    for (let roll = 0; roll < 60_000; roll++) {
      const face = random.integer(1, 6) - 1;
      counts[face] = (counts[face] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  });

  it('have the documented mean and deviation', () => {
    const random = stream(9, 'bell');
    const bell = Array.from({ length: 40_000 }, () => random.normal());
    expect(Math.abs(mean(bell))).toBeLessThan(0.02);
    expect(Math.abs(mean(bell.map((value) => value ** 2)) - 1)).toBeLessThan(0.03);
    const noise = new Wander(stream(9, 'wander'), 0.9, 2);
    const walk = Array.from({ length: 40_000 }, () => noise.next());
    expect(Math.abs(Math.sqrt(mean(walk.map((value) => value ** 2))) - 2)).toBeLessThan(0.15);
    expect(Math.abs(correlation(walk.slice(1), walk.slice(0, -1)) - 0.9)).toBeLessThan(0.02);
  });
});
