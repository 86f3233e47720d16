import { describe, expect, it } from 'vitest';

import { athleteOf } from '../../src/seed/athlete.ts';
import { homeIn } from '../../src/seed/route.ts';
import { firstOfEachKind, mean, SEASON } from './support.ts';
import { perform, type RecordingTruth } from '../../src/seed/recording.ts';
import type { SessionTotals } from '../../src/seed/totals.ts';

const sessions = [...firstOfEachKind(SEASON)].map(([kind, { truth }]) => [kind, truth] as const);

describe.each(sessions)('%s', (_, session) => {
  it('has totals that match its records', () => {
    expectToAddUp(session, session.totals, 0, session.records.timestamp.length);
  });

  it('has gapless laps that match their records', () => {
    let from = 0;
    for (const { totals } of session.laps) {
      expectToAddUp(session, totals, from, from + totals.timer);
      from += totals.timer;
    }
    expect(from).toBe(session.records.timestamp.length);
    const laps = session.laps.map(({ totals }) => totals);
    const sum = (pick: (totals: SessionTotals) => number) =>
      laps.reduce((total, lap) => total + pick(lap), 0);
    expect(sum((lap) => lap.distance)).toBe(session.totals.distance);
    expect(sum((lap) => lap.elapsed)).toBe(session.totals.elapsed);
    expect(sum((lap) => lap.work)).toBe(session.totals.work);
    expect(session.laps.at(-1)?.trigger).toBe('session_end');
  });

  it('has a distance that matches its speeds, second by second', () => {
    const { speed, distance, timestamp } = session.records;
    let millimetres = 0;
    let worst = 0;
    speed.forEach((step, index) => {
      millimetres += step;
      worst = Math.max(worst, Math.abs(millimetres / 10 - (distance[index] ?? 0)));
    });
    expect(worst).toBeLessThanOrEqual(0.5);
    expect(
      timestamp.every((time, index) => index === 0 || time > (timestamp[index - 1] ?? 0)),
    ).toBe(true);
  });
});

describe.each(sessions.filter(([, { records }]) => records.path !== null))(
  '%s on the map',
  (_, session) => {
    it('has the length of the haversine distances between its positions', () => {
      const path = pathOf(session);
      let metres = 0;
      path.forEach((place, index) => {
        const before = path[index - 1];
        if (before !== undefined) metres += haversine(before, place);
      });
      // Positions are whole semicircles (2 cm), and chords cut corners.
      expect(metres / (session.totals.distance / 100)).toBeCloseTo(1, 2);
      expect(Math.abs(metres / (session.totals.distance / 100) - 1)).toBeLessThan(0.004);
    });

    it('moves at its recorded speed', () => {
      const path = pathOf(session);
      session.records.speed.forEach((speed, index) => {
        const [from, to] = [path[index], path[index + 1]];
        if (from === undefined || to === undefined) throw new Error('a position is missing');
        expect(Math.abs(haversine(from, to) - speed / 1000)).toBeLessThan(0.6);
      });
    });

    it('ends at its start position and altitude', () => {
      const path = pathOf(session);
      const [start, end] = [path[0], path.at(-1)];
      if (start === undefined || end === undefined) throw new Error('there is no path');
      expect(haversine(start, end)).toBeLessThan(1);
      const altitude = session.records.path?.altitude;
      expect(Math.abs((altitude?.[0] ?? 0) - (altitude?.at(-1) ?? 0))).toBeLessThan(15);
      expect(Math.max(...path.map((place) => haversine(start, place)))).toBeGreaterThan(
        session.totals.distance / 100 / 8,
      );
    });

    it('climbs and descends like a road', () => {
      const { distance } = session.records;
      const altitude = session.records.path?.altitude;
      for (let index = 60; index < distance.length; index += 60) {
        const rise = ((altitude?.[index] ?? 0) - (altitude?.[index - 60] ?? 0)) / 5;
        const run = ((distance[index] ?? 0) - (distance[index - 60] ?? 0)) / 100;
        if (run > 20) expect(Math.abs(rise / run)).toBeLessThan(0.12);
      }
    });
  },
);

it('an hour at threshold has a training stress of 100', () => {
  const athlete = athleteOf(3);
  const session = perform(
    {
      title: 'An hour',
      sport: 'cycling',
      indoors: true,
      race: false,
      segments: [{ seconds: 3600, from: 0.98, to: 0.98, kind: 'active' }],
      startMinute: 420,
    },
    { athlete, index: 0, home: homeIn(1), start: 1_750_000_000 },
  );
  expect(session.thresholdPower).toBe(athlete.ftp);
  expect(session.trainingStress / 10).toBeGreaterThan(92);
  expect(session.trainingStress / 10).toBeLessThan(100);
});

/** Recomputes the totals from plain arrays by their definitions. */
function expectToAddUp(
  session: RecordingTruth,
  totals: SessionTotals,
  from: number,
  to: number,
): void {
  const { records } = session;
  const part = (column: Int32Array) => [...column.slice(from, to)];
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const [hr, cadence, power, speed] = [
    part(records.heartRate),
    part(records.cadence),
    part(records.power),
    part(records.speed),
  ];
  const turning = cadence.filter((value) => value !== 0);
  const start = from === 0 ? totals.start : records.timestamp[from - 1];
  expect({
    start: totals.start,
    end: totals.end,
    timer: totals.timer,
    elapsed: totals.elapsed,
    distance: totals.distance,
    hr: [totals.avgHr, totals.maxHr],
    cadence: [totals.avgCadence, totals.maxCadence],
    cycles: totals.cycles,
    maxSpeed: totals.maxSpeed,
    avgSpeed: totals.avgSpeed,
    work: totals.work,
    power: [totals.avgPower, totals.maxPower],
  }).toEqual({
    start,
    end: records.timestamp[to - 1],
    timer: to - from,
    elapsed: Number(records.timestamp[to - 1]) - Number(start),
    distance: Number(records.distance[to - 1]) - (records.distance[from - 1] ?? 0),
    hr: [Math.round(mean(hr)), Math.max(...hr)],
    cadence: [turning.length === 0 ? 0 : Math.round(mean(turning)), Math.max(...cadence)],
    cycles: Math.round(sum(cadence) / 60),
    maxSpeed: Math.max(...speed),
    avgSpeed: Math.round((totals.distance * 10) / (to - from)),
    work: sum(power),
    power: [Math.round(mean(power)), Math.max(...power)],
  });
  if (power.length >= 30) {
    const averages = power.slice(29).map((_, index) => mean(power.slice(index, index + 30)));
    const normalized = mean(averages.map((average) => average ** 4)) ** 0.25;
    expect(Math.abs(totals.normalizedPower - normalized)).toBeLessThanOrEqual(0.5001);
  }
  if (totals === session.totals) {
    const intensity = totals.normalizedPower / session.thresholdPower;
    expect(session.intensityFactor).toBe(Math.round(intensity * 1000));
    const stress = (totals.timer / 3600) * intensity ** 2 * 100;
    expect(Math.abs(session.trainingStress / 10 - stress)).toBeLessThanOrEqual(0.0501);
  }
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Returns the start and the position of each record (radians). */
function pathOf({ records, totals }: RecordingTruth): Place[] {
  const radians = (semicircles: number) => (semicircles / 2 ** 31) * Math.PI;
  const place = (latitude: number, longitude: number) => ({
    latitude: radians(latitude),
    longitude: radians(longitude),
  });
  const start = totals.startPosition;
  const { path } = records;
  if (start === null || path === null) throw new Error('this was not on the map');
  return [
    place(start.latitude, start.longitude),
    ...Array.from(path.latitude, (latitude, index) =>
      place(latitude, path.longitude[index] ?? Number.NaN),
    ),
  ];
}

/** Returns the distance (m). */
function haversine(from: Place, to: Place): number {
  const north = Math.sin((to.latitude - from.latitude) / 2) ** 2;
  const east = Math.sin((to.longitude - from.longitude) / 2) ** 2;
  const chord = north + Math.cos(from.latitude) * Math.cos(to.latitude) * east;
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(chord));
}
