import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CountedOnce } from '../../../src/records/engine/combine.ts';
import { type Stage, nightsOf } from '../../../src/records/engine/nights.ts';
import { type Span, countOnce, lengthOf } from '../../../src/records/engine/spans.ts';

interface Amount extends Span {
  readonly value: number;
}

const ORIGINS = ['Watch', 'Phone', 'Band'];
const SPAN = fc.record({
  start: fc.nat(200),
  length: fc.integer({ min: 1, max: 60 }),
  value: fc.integer({ min: 1, max: 100 }),
  origin: fc.constantFrom(...ORIGINS),
});
const spans = fc
  .array(SPAN, { maxLength: 25 })
  .map((all) => all.map(({ length, ...span }): Amount => ({ ...span, end: span.start + length })));
const RUNS = { numRuns: 300, seed: 12 };

/** The watch counts first, then the origin with the larger sum, then the first by name. */
function ranked(all: readonly Amount[]): string[] {
  const sum = (origin: string) =>
    all.filter((span) => span.origin === origin).reduce((total, { value }) => total + value, 0);
  const others = ['Band', 'Phone'].sort((a, b) => sum(b) - sum(a) || (a < b ? -1 : 1));
  return ['Watch', ...others];
}

/** The same as `countOnce`, second by second. */
function bySecond(all: readonly Amount[]): number {
  const order = ranked(all);
  let total = 0;
  for (let second = 0; second < 300; second++) {
    const here = all.filter(({ start, end }) => start <= second && second < end);
    const first = order.find((origin) => here.some((span) => span.origin === origin));
    for (const span of here) if (span.origin === first) total += span.value / lengthOf(span);
  }
  return total;
}

describe('amounts of several origins', () => {
  it('count each moment from one origin', () => {
    fc.assert(
      fc.property(spans, (all) => {
        let total = 0;
        const weight = (own: readonly Amount[]) => own.reduce((sum, { value }) => sum + value, 0);
        const order = { prefer: ['watch'], weight, within: false };
        countOnce(all, order, ({ value }, part) => (total += value * part));
        expect(total).toBeCloseTo(bySecond(all), 6);
      }),
      RUNS,
    );
  });

  it('count a value without a length, unless another origin covers its moment', () => {
    const counted = new CountedOnce(['watch']);
    const add = (origin: string, start: number, end: number, value: number) =>
      counted.add({ value, instant: start * 1_000, end: end * 1_000, origin, source: 'x' });
    add('Watch', 0, 60, 100);
    add('Phone', 30, 30, 7);
    add('Phone', 90, 90, 5);
    expect(counted.result().value).toBe(105);
  });
});

const HOUR = 3_600;

function stage(origin: string, from: number, to: number, ...fields: string[]): Stage {
  return {
    origin,
    start: from * HOUR,
    end: to * HOUR,
    fields,
    endDate: to < 24 ? '2026-02-14' : '2026-02-15',
    source: 'export.xml',
  };
}

describe('the nights in stages of sleep', () => {
  const night = [
    stage('Watch', 23, 26, 'sleepSecs', 'sleepLightSecs'),
    stage('Watch', 26, 27, 'sleepSecs', 'sleepDeepSecs'),
    stage('Watch', 27, 27.5, 'sleepAwakeSecs'),
    stage('Watch', 27.5, 30, 'sleepSecs', 'sleepRemSecs'),
  ];

  it('belong to the day of waking, and count each moment once', () => {
    const app = stage('App', 22.5, 30.5, 'sleepSecs');
    for (const stages of [
      [...night, app],
      [app, ...night.toReversed()],
    ]) {
      const [found, ...others] = nightsOf(stages, ['watch']);
      expect(others).toEqual([]);
      expect(found?.date).toBe('2026-02-15');
      expect(Object.fromEntries(found?.seconds ?? [])).toEqual({
        sleepSecs: 7.5 * HOUR,
        sleepLightSecs: 3 * HOUR,
        sleepDeepSecs: HOUR,
        sleepAwakeSecs: 0.5 * HOUR,
        sleepRemSecs: 2.5 * HOUR,
      });
    }
  });

  it('prefer an origin with stages to one without, whatever their names', () => {
    const own = night.map((each) => ({ ...each, origin: 'Ring' }));
    const [found] = nightsOf([stage('A', 23, 30, 'sleepSecs'), ...own], []);
    expect(found?.seconds.get('sleepDeepSecs')).toBe(HOUR);
    expect(found?.seconds.get('sleepSecs')).toBe(6.5 * HOUR);
  });

  it('begin with the first moment asleep and end with the last', () => {
    const evening = stage('Watch', 16, 23, 'sleepAwakeSecs');
    const morning = stage('Watch', 30, 37, 'sleepAwakeSecs');
    const [found, ...others] = nightsOf([evening, ...night, morning], ['watch']);
    expect(others).toEqual([]);
    expect(found?.seconds.get('sleepAwakeSecs')).toBe(0.5 * HOUR);
  });

  it('are not found if the athlete was only awake', () => {
    expect(nightsOf([stage('Watch', 2, 9, 'sleepAwakeSecs')], ['watch'])).toEqual([]);
  });

  it('are the longest by the time asleep, not by the time awake', () => {
    const nap = [
      stage('Watch', 36, 36.5, 'sleepSecs'),
      stage('Watch', 36.5, 46, 'sleepAwakeSecs'),
      stage('Watch', 46, 46.5, 'sleepSecs'),
    ];
    const [found] = nightsOf([...night, ...nap], ['watch']);
    expect(found?.seconds.get('sleepSecs')).toBe(6.5 * HOUR);
  });

  it('leave naps out', () => {
    const nap = stage('Watch', 38, 38.5, 'sleepSecs');
    const [found] = nightsOf([...night, nap], ['watch']);
    expect(found?.seconds.get('sleepSecs')).toBe(6.5 * HOUR);
  });

  it('count the shorter of two stages of one origin', () => {
    const long = stage('App', 23, 31, 'sleepSecs');
    const awake = stage('App', 26, 27, 'sleepAwakeSecs');
    const [found] = nightsOf([long, awake], []);
    expect(Object.fromEntries(found?.seconds ?? [])).toEqual({
      sleepSecs: 7 * HOUR,
      sleepAwakeSecs: HOUR,
    });
  });
});
