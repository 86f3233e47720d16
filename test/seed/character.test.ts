import { describe, expect, it } from 'vitest';

import { athleteOf } from '../../src/seed/athlete.ts';
import { planDay } from '../../src/seed/plan.ts';
import { PHASES, SEASON } from '../../src/seed/season.ts';
import { profileOf, synthesize } from '../../src/seed/synthesize.ts';
import { mean, SUMMER } from './support.ts';

const DEMO = { until: '2026-05-20', zone: 'Europe/Berlin' };

const TRAITS = [
  'weight',
  'ftp',
  'sport',
  'device',
  'phase',
  'raceIn',
  'workWeeks',
  'restDay',
  'start',
  'usualStart',
  'hours',
] as const;

/** An athlete's traits, as a user sees them in an account. */
function traitsOf(seed: number) {
  const athlete = athleteOf(seed);
  const { sport, device, raceIn, workWeeks, restDay, starts } = athlete.character;
  const season = Array.from({ length: SEASON }, (_, day) => planDay(athlete, raceIn + day));
  const seconds = season.flatMap(
    ({ workout }) => workout?.segments.map((segment) => segment.seconds) ?? [],
  );
  const { weight, ftp } = profileOf({ ...DEMO, seed });
  return {
    weight,
    ftp,
    sport,
    device: device.name,
    phase: season[0]?.phase,
    raceIn,
    workWeeks,
    restDay,
    start: starts.habit,
    usualStart: starts.hard,
    hours: Math.round(seconds.reduce((sum, each) => sum + each, 0) / 360 / 52) / 10,
  };
}

describe('Seeded athletes', () => {
  const fifty = Array.from({ length: 50 }, (_, seed) => traitsOf(seed));

  it('1, 2 and 3 differ in each trait, 1 and 2 also in their sport', () => {
    const three = [1, 2, 3].map(traitsOf);
    for (const trait of TRAITS) {
      const different = trait === 'sport' ? 2 : 3;
      expect(new Set(three.map((each) => each[trait])).size, trait).toBe(different);
    }
    expect(three.map(({ sport }) => sport)).toEqual(['cycling', 'running', 'cycling']);
  });

  it('show fifty combinations of traits, and every phase within twenty seeds', () => {
    const habits = fifty.map(({ sport, device, phase, workWeeks, restDay, start }) =>
      [sport, device, phase, workWeeks, restDay, start].join(' '),
    );
    expect(new Set(habits).size).toBeGreaterThan(45);
    const different = (trait: (typeof TRAITS)[number]) =>
      new Set(fifty.map((each) => each[trait])).size;
    expect(different('device')).toBeGreaterThan(5);
    expect(different('raceIn')).toBeGreaterThan(15);
    expect(different('usualStart')).toBeGreaterThan(30);
    expect(different('weight')).toBeGreaterThan(40);
    expect(different('ftp')).toBeGreaterThan(35);
    expect(different('hours')).toBeGreaterThan(20);
    for (let from = 0; from + 20 <= fifty.length; from++) {
      const phases = fifty.slice(from, from + 20).map(({ phase }) => phase);
      expect(new Set(phases), `from seed ${from}`).toEqual(new Set(PHASES));
    }
  });

  it('train 4 to 9 hours a week, more with a higher FTP per kg', () => {
    for (const { hours, weight, ftp } of fifty) {
      expect(hours).toBeGreaterThan(3.5);
      expect(hours).toBeLessThan(9.5);
      expect(ftp / weight).toBeGreaterThan(3);
      expect(ftp / weight).toBeLessThan(4.5);
    }
    const cyclists = fifty.filter(({ sport }) => sport === 'cycling');
    const half = mean(cyclists.map(({ hours }) => hours));
    const strength = (some: typeof cyclists) => mean(some.map(({ ftp, weight }) => ftp / weight));
    expect(strength(cyclists.filter(({ hours }) => hours > half))).toBeGreaterThan(
      strength(cyclists.filter(({ hours }) => hours <= half)),
    );
  });

  it('have workouts of whole minutes by chance only', () => {
    for (const seed of [1, 2, 3]) {
      const lengths = [...synthesize({ ...SUMMER, seed, days: 30 })].flatMap(({ recordings }) =>
        recordings.map(({ truth }) => truth.end - truth.start),
      );
      const whole = lengths.filter((seconds) => seconds % 60 === 0);
      expect(whole.length, `seed ${seed}`).toBeLessThan(lengths.length / 15);
    }
  });

  it('start at their usual time of day, which their habit determines', () => {
    for (const seed of [1, 2, 3]) {
      const athlete = athleteOf(seed);
      const { hard, easy, weekend } = athlete.character.starts;
      for (let index = 1; index < SEASON; index++) {
        const { workout } = planDay(athlete, index);
        if (workout === null || workout.race) continue;
        const late = [hard, easy, weekend].map((usual) => Math.abs(workout.startMinute - usual));
        expect(Math.min(...late)).toBeLessThanOrEqual(20);
      }
    }
  });

  it('rest on their rest day, and race on race day', () => {
    for (let seed = 0; seed < 12; seed++) {
      const athlete = athleteOf(seed);
      const { restDay } = athlete.character;
      for (let index = 0; index < SEASON; index++) {
        if (6 - (index % 7) === restDay) expect(planDay(athlete, index).workout).toBeNull();
      }
      expect(planDay(athlete, 0).workout).toMatchObject({ title: 'Race' });
    }
  });
});

describe('The seeded profile', () => {
  it('has the FTP of the last recordings, and the weight of the last wellness record', () => {
    for (let seed = 0; seed < 8; seed++) {
      const { weight, ftp } = profileOf({ ...DEMO, seed });
      const days = [...synthesize({ ...DEMO, seed, days: 4 })];
      expect(days.at(-1)?.wellness?.weight).toBe(weight);
      const thresholds = days
        .flatMap(({ recordings }) => recordings)
        .flatMap(({ truth }) => (truth.sport === 'cycling' ? [truth.thresholdPower] : []));
      for (const threshold of thresholds) expect(Math.abs(threshold - ftp)).toBeLessThanOrEqual(3);
    }
  });

  it('does not depend on the last day', () => {
    expect(profileOf({ ...DEMO, seed: 5 })).toEqual(
      profileOf({ seed: 5, until: '2024-02-29', zone: 'Asia/Tokyo' }),
    );
  });
});

it('athlete 1, the default, rides on most days and on the last day', () => {
  const hasRide = [...synthesize({ ...DEMO, seed: 1, days: 30 })].map(({ recordings }) =>
    recordings.some(({ fileName, truth }) => {
      expect(truth.device.name).toBe('Edge 840');
      return fileName.endsWith('-ride.fit');
    }),
  );
  expect(hasRide.filter(Boolean).length).toBeGreaterThan(20);
  expect(hasRide.at(-1)).toBe(true);
});
