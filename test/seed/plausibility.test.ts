import { beforeAll, describe, expect, it } from 'vitest';

import { athleteOf, weightOn } from '../../src/seed/athlete.ts';
import { carbTarget } from '../../src/seed/nutrition.ts';
import { planDay } from '../../src/seed/plan.ts';
import type { RecordingTruth } from '../../src/seed/recording.ts';
import { daysOf, type CompleteDay } from '../../src/seed/day.ts';
import { settingOf } from '../../src/seed/synthesize.ts';
import { correlation, mean, SUMMER } from './support.ts';

/** A day without its bytes and records. */
interface Day {
  /** Days before the race. */
  readonly index: number;
  readonly plan: CompleteDay['plan'];
  readonly wellness: CompleteDay['wellness'];
  readonly nutrition: CompleteDay['nutrition'];
  readonly sports: string[];
  readonly calories: number;
  readonly seconds: number;
  /** Training stress in the files, and the plan's for the same workouts. */
  readonly stress: number;
  readonly start: number | null;
  readonly end: number | null;
}

const DAYS = 365;

/** A seed of each sport, with least counts of its recordings by sport and sub-sport. */
const ATHLETES = [
  { seed: 1, sport: 'cycling', recordings: { 'cycling/road': 150, 'cycling/indoor_cycling': 40 } },
  {
    seed: 2,
    sport: 'running',
    recordings: { 'running/generic': 150, 'cycling/road': 25, 'cycling/indoor_cycling': 10 },
  },
] as const;

describe.each(ATHLETES)('A year of $sport, seed $seed', ({ seed, sport, recordings: counts }) => {
  const days: Day[] = [];
  const faults: string[] = [];
  let hard: RecordingTruth | undefined;
  let longest: RecordingTruth | undefined;
  const { character, ...body } = athleteOf(seed);
  const athlete = { ...body, character: { ...character, raceIn: 0 } };

  beforeAll(() => {
    let index = DAYS;
    for (const day of daysOf({ ...settingOf({ ...SUMMER, seed }), athlete }, DAYS)) {
      index--;
      const sessions = day.recordings.map(({ truth }) => truth);
      const intervals = day.recordings.find(({ name }) => /^(VO2 max|Run) \d/.test(name));
      hard = intervals?.truth ?? hard;
      for (const session of sessions) {
        const fault = outOfBounds(session, athlete.maxHr);
        if (fault !== undefined) faults.push(`${day.date} ${session.sport}: ${fault}`);
        if (session.totals.timer > (longest?.totals.timer ?? 0)) longest = session;
      }
      days.push({
        index,
        plan: day.plan,
        wellness: day.wellness,
        nutrition: day.nutrition,
        sports: sessions.map(({ sport, subSport }) => `${sport}/${subSport}`),
        calories: sessions.reduce((total, { totals }) => total + totals.calories, 0),
        seconds: sessions.reduce((total, { totals }) => total + totals.timer, 0),
        stress: sessions.reduce((total, each) => total + each.trainingStress / 10, 0),
        start: day.recordings[0]?.truth.start ?? null,
        end: day.recordings.at(-1)?.truth.end ?? null,
      });
    }
  });

  it('has about 250 recordings of the kinds of its sport, and days of rest', () => {
    expect(character.sport).toBe(sport);
    const recordings = days.flatMap((day) => planDay(athlete, day.index).workout ?? []).length;
    expect(recordings).toBeGreaterThan(225);
    expect(recordings).toBeLessThan(285);
    const kinds = days.flatMap(({ sports }) => sports);
    for (const [kind, least] of Object.entries(counts)) {
      expect(kinds.filter((each) => each === kind).length, kind).toBeGreaterThanOrEqual(least);
    }
    expect(new Set(kinds)).toEqual(new Set(Object.keys(counts)));
    expect(days.filter(({ sports }) => sports.length === 0).length).toBeGreaterThan(80);
  });

  it('has only numbers that a body, a bicycle or a watch can produce', () => {
    expect(faults).toEqual([]);
  });

  it('has blocks of work weeks and a clearly easier one', () => {
    const weekly = weeksOf(days);
    const phases = [...new Set(weekly.map(({ phase }) => phase))];
    expect(phases).toEqual(
      expect.arrayContaining(['base', 'build', 'specific', 'recovery', 'taper', 'race']),
    );
    let compared = 0;
    weekly.forEach((week, number) => {
      if (week.phase !== 'recovery' || number < character.workWeeks) return;
      const before = weekly.slice(number - character.workWeeks, number);
      // Weeks with an illness differ from the plan.
      if (week.ill || before.some(({ ill, phase }) => ill || phase === 'off-season')) return;
      expect(week.stress).toBeLessThan(0.85 * mean(before.map(({ stress }) => stress)));
      compared++;
    });
    expect(compared).toBeGreaterThan(5);
  });

  it('ends with a taper and a race that is the hardest day of its week', () => {
    const [peak, taper, race] = weeksOf(days).slice(-3);
    const lastDay = days.at(-1);
    if (!peak || !taper || !race || !lastDay) throw new Error('the year is too short');
    expect(taper.stress).toBeLessThan(0.75 * peak.stress);
    expect(race.stress - lastDay.plan.stress).toBeLessThan(0.6 * taper.stress);
    expect(lastDay.plan.stress).toBeGreaterThan(150);
    const twoWeeksBefore = days.at(-14);
    const form = ({ plan }: typeof lastDay) => plan.ctl - plan.atl;
    expect(form(lastDay)).toBeGreaterThan(5);
    expect(twoWeeksBefore && form(twoWeeksBefore)).toBeLessThan(0);
    expect(lastDay.wellness.hrv).toBeGreaterThan(twoWeeksBefore?.wellness.hrv ?? 0);
  });

  it('has recordings with stress that matches the plan behind wellness', () => {
    const planned = days.reduce((total, { plan }) => total + plan.stress, 0);
    const recorded = days.reduce((total, { stress }) => total + stress, 0);
    expect(recorded / planned).toBeGreaterThan(0.85);
    expect(recorded / planned).toBeLessThan(1.1);
    expect(
      correlation(
        days.map(({ plan }) => plan.stress),
        days.map(({ stress }) => stress),
      ),
    ).toBeGreaterThan(0.97);
  });

  it('lowers HRV and raises resting heart rate with fatigue', () => {
    const fatigue = days.map(({ plan }) => plan.atl);
    const against = (pick: (wellness: Day['wellness']) => number) =>
      correlation(
        fatigue,
        days.map(({ wellness }) => pick(wellness)),
      );
    expect(against(({ hrv }) => hrv)).toBeLessThan(-0.35);
    expect(against(({ restingHr }) => restingHr)).toBeGreaterThan(0.2);
    expect(against(({ readiness }) => readiness)).toBeLessThan(-0.35);
    expect(against(({ fatigue: felt }) => felt)).toBeGreaterThan(0.2);
  });

  it('skips training when ill, with a higher pulse and a lower HRV', () => {
    const ill = days.filter(({ plan }) => plan.ill);
    const well = days.filter(({ plan }) => !plan.ill);
    expect(ill.length).toBeGreaterThanOrEqual(8);
    expect(ill.flatMap(({ sports }) => sports)).toEqual([]);
    const average = (of: Day[], pick: (wellness: Day['wellness']) => number) =>
      mean(of.map(({ wellness }) => pick(wellness)));
    expect(average(ill, ({ restingHr }) => restingHr)).toBeGreaterThan(
      average(well, ({ restingHr }) => restingHr) + 3,
    );
    expect(average(ill, ({ hrv }) => hrv)).toBeLessThan(average(well, ({ hrv }) => hrv));
  });

  it('gets fitter and a little lighter towards the race', () => {
    const [early, late] = [days.slice(45, 75), days.slice(-30)];
    const average = (of: Day[], pick: (wellness: Day['wellness']) => number) =>
      mean(of.map(({ wellness }) => pick(wellness)));
    expect(average(late, ({ vo2max }) => vo2max)).toBeGreaterThan(
      average(early, ({ vo2max }) => vo2max) + 1,
    );
    expect(average(late, ({ weight }) => weight)).toBeLessThan(
      average(early, ({ weight }) => weight) - 0.8,
    );
  });

  it('has plausible wellness records, with integers for integer fields', () => {
    const bounds: Partial<Record<keyof Day['wellness'], readonly [number, number]>> = {
      restingHr: [36, 80],
      avgSleepingHr: [38, 90],
      sleepSecs: [4.5 * 3600, 11 * 3600],
      sleepDeepSecs: [1200, 10_000],
      sleepRemSecs: [1200, 12_000],
      sleepLightSecs: [5000, 30_000],
      sleepAwakeSecs: [0, 7200],
      sleepScore: [0, 100],
      readiness: [0, 100],
      steps: [1000, 60_000],
      exerciseMinutes: [0, 400],
      fatigue: [1, 10],
      soreness: [1, 10],
      mood: [1, 10],
      motivation: [1, 10],
      restingCaloriesBurned: [1200, 2200],
      activeCaloriesBurned: [30, 5500],
      totalCaloriesBurned: [1300, 7500],
    };
    for (const { wellness } of days) {
      for (const [field, range] of Object.entries(bounds)) {
        const value = wellness[field as keyof typeof bounds];
        expect(value, `${field} of ${wellness.date}`).toSatisfy(Number.isInteger);
        expect(value, `${field} of ${wellness.date}`).toBeGreaterThanOrEqual(range[0]);
        expect(value, `${field} of ${wellness.date}`).toBeLessThanOrEqual(range[1]);
      }
      const { sleepDeepSecs, sleepRemSecs, sleepLightSecs, sleepSecs } = wellness;
      expect(sleepDeepSecs + sleepRemSecs + sleepLightSecs).toBe(sleepSecs);
      expect(wellness.hrv).toBeGreaterThan(25);
      expect(wellness.hrv).toBeLessThan(130);
      expect(wellness.vo2max).toBeGreaterThan(40);
      expect(wellness.vo2max).toBeLessThan(70);
      for (const value of Object.values(wellness)) {
        // Like a scale or a watch, at most two decimals.
        if (typeof value === 'number') expect(String(value)).toMatch(/^\d+(\.\d{1,2})?$/);
      }
      expect(wellness.rawJson).toMatchObject({ synthetic: true, seed });
    }
  });

  it('eats more carbohydrate on training days, in proportion to the workouts', () => {
    const carbs = (day: Day) => day.nutrition.items.reduce((total, item) => total + item.carbs, 0);
    const plain = days.filter(({ index }) => index > 3);
    const training = plain.filter(({ seconds }) => seconds > 0);
    const rest = plain.filter(({ seconds }) => seconds === 0);
    expect(mean(training.map(carbs))).toBeGreaterThan(1.3 * mean(rest.map(carbs)));
    for (const day of days) {
      const loading = day.index === 1 || day.index === 2;
      const target = carbTarget(weightOn(athlete, day.index), day.calories, loading);
      expect(carbs(day) / target, day.wellness.date).toBeGreaterThan(0.88);
      expect(carbs(day) / target, day.wellness.date).toBeLessThan(1.2);
    }
    expect(
      correlation(
        plain.map(({ calories }) => calories),
        plain.map(carbs),
      ),
    ).toBeGreaterThan(0.9);
  });

  it('eats over the year about as much as it burns, and in time before long workouts', () => {
    const eaten = days.map(({ nutrition }) =>
      nutrition.items.reduce((total, { calories }) => total + calories, 0),
    );
    const burned = days.map(({ wellness }) => wellness.totalCaloriesBurned);
    expect(mean(eaten) / mean(burned)).toBeGreaterThan(0.9);
    expect(mean(eaten) / mean(burned)).toBeLessThan(1.1);
    const race = days.at(-1);
    const breakfast = race?.nutrition.items.filter(({ meal }) => meal === 'BREAKFAST') ?? [];
    expect(breakfast.length).toBeGreaterThan(0);
    for (const { logged_at: at } of breakfast) {
      expect(Date.parse(at) / 1000).toBeLessThan(Number(race?.start) - 5400);
    }
  });

  it('has items in order of time on their day, with calories that match their macronutrients', () => {
    const meals = ['BREAKFAST', 'LUNCH', 'DINNER', 'SNACK', 'OTHER'];
    const absorptions = ['RAPID', 'FAST', 'BALANCED', 'DENSE', 'HYPER_LOAD'];
    const seen = new Set<string>();
    for (const { nutrition } of days) {
      const times = nutrition.items.map(({ logged_at: at }) => Date.parse(at));
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(nutrition.waterMl).toSatisfy(Number.isInteger);
      for (const item of nutrition.items) {
        expect(item.logged_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(item.logged_at.slice(0, 10)).toBe(nutrition.date);
        expect(item.quantity).toMatch(/^[1-9]\d* (g|ml)$/);
        expect(meals).toContain(item.meal);
        expect(absorptions).toContain(item.absorptionType);
        seen.add(item.absorptionType);
        const { carbs, protein, fat, fiber, sugar } = item;
        const energy = 4 * carbs + 4 * protein + 9 * fat;
        expect(Math.abs(item.calories - energy), item.name).toBeLessThan(12 + energy * 0.16);
        expect(sugar + fiber, item.name).toBeLessThanOrEqual(carbs + 0.31);
      }
    }
    expect([...seen].sort()).toEqual([...absorptions].sort());
  });

  it('eats quick sugar before and during workouts, recovery food after them, and loads before the race', () => {
    for (const { nutrition, start, end, seconds, calories } of days) {
      if (start === null || end === null) continue;
      const during = nutrition.items.filter(({ logged_at: at }) => {
        const time = Date.parse(at) / 1000;
        return time > start && time < end;
      });
      const before = nutrition.items.filter(({ logged_at: at }) => {
        const time = Date.parse(at) / 1000;
        return time < start && time > start - 45 * 60;
      });
      expect(before.some(({ absorptionType }) => absorptionType === 'RAPID')).toBe(true);
      expect(during.every(({ absorptionType }) => /RAPID|FAST/.test(absorptionType))).toBe(true);
      if (seconds > 1.5 * 3600) {
        const perHour = during.reduce((total, { carbs }) => total + carbs, 0) / (seconds / 3600);
        expect(perHour, nutrition.date).toBeGreaterThan(30);
        expect(perHour, nutrition.date).toBeLessThan(95);
      }
      if (calories > 500) {
        const after = nutrition.items.filter(({ logged_at: at }) => {
          const time = Date.parse(at) / 1000;
          return time >= end && time <= end + 1800;
        });
        expect(after.some(({ absorptionType }) => absorptionType === 'FAST')).toBe(true);
      }
    }
    const eve = days.at(-2)?.nutrition.items ?? [];
    expect(eve.some(({ absorptionType }) => absorptionType === 'HYPER_LOAD')).toBe(true);
  });

  it('has a heart rate that lags behind effort', () => {
    const { records } = present(hard);
    const power = [...records.power];
    const heart = [...records.heartRate];
    const at = (lag: number) =>
      correlation(smooth(power).slice(0, power.length - lag), heart.slice(lag));
    expect(at(30)).toBeGreaterThan(at(0) + 0.05);
    expect(at(30)).toBeGreaterThan(at(300));
    expect(at(30)).toBeGreaterThan(0.7);
  });

  it('has a heart rate that drifts over hours at the same power', () => {
    const { records } = present(longest);
    const count = records.heartRate.length;
    const ratio = (from: number, to: number) =>
      mean([...records.heartRate.slice(from * count, to * count)]) /
      mean([...records.power.slice(from * count, to * count)]);
    expect(ratio(0.7, 0.92)).toBeGreaterThan(1.01 * ratio(0.1, 0.35));
  });

  it('has power that varies, but not like white noise', () => {
    const { records, laps } = present(hard);
    const lap = laps.findIndex(({ intensity }) => intensity === 'interval');
    const from = laps.slice(0, lap).reduce((total, { totals }) => total + totals.timer, 0);
    const timer = laps[lap]?.totals.timer ?? 0;
    const power = [...records.power].slice(from + 15, from + timer);
    const lagged = correlation(power.slice(0, -1), power.slice(1));
    expect(lagged).toBeGreaterThan(0.4);
    expect(lagged).toBeLessThan(0.99);
  });
});

function present(session: RecordingTruth | undefined): RecordingTruth {
  if (session === undefined) throw new Error('there was no such session');
  return session;
}

function weeksOf(days: readonly Day[]) {
  const weeks: { phase: string; stress: number; ill: boolean }[] = [];
  for (let number = Math.floor(days.length / 7) - 1; number >= 0; number--) {
    const week = days.filter(({ index }) => Math.floor(index / 7) === number);
    weeks.push({
      phase: week[0]?.plan.phase ?? '',
      stress: week.reduce((total, { plan }) => total + plan.stress, 0),
      ill: week.some(({ plan }) => plan.ill),
    });
  }
  return weeks;
}

/** Returns the implausible numbers of a session. */
function outOfBounds(session: RecordingTruth, maxHr: number): string | undefined {
  const { records, totals, sport } = session;
  const within = (column: Int32Array | undefined, low: number, high: number, name: string) => {
    const bad = column?.find((value) => value < low || value > high);
    return bad === undefined ? undefined : `${name} ${bad}`;
  };
  const fastest = { cycling: 17_500, running: 6500 }[sport];
  const average = { cycling: 6000, running: 2300 }[sport];
  return (
    within(records.heartRate, 38, maxHr, 'heart rate') ??
    within(records.cadence, 0, 130, 'cadence') ??
    within(records.power, 0, 1000, 'power') ??
    within(records.speed, 0, fastest, 'speed') ??
    within(records.temperature, -15, 40, 'temperature') ??
    within(records.path?.altitude, -200 * 5, 3500 * 5, 'altitude') ??
    (totals.avgSpeed < average ? `average speed ${totals.avgSpeed}` : undefined) ??
    (totals.avgHr < 75 ? `average heart rate ${totals.avgHr}` : undefined) ??
    (totals.calories < 5 || totals.calories > 5000 ? `${totals.calories} kcal` : undefined) ??
    (session.intensityFactor > 1000 ? 'more than threshold' : undefined) ??
    ((totals.ascent ?? 0) * 100 > totals.distance * 0.03 ? `${totals.ascent} m up` : undefined)
  );
}

/** Returns averages of ten seconds. */
function smooth(values: readonly number[]): number[] {
  return values.map((_, index) => mean(values.slice(Math.max(0, index - 9), index + 1)));
}
