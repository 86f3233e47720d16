import { describe, expect, it } from 'vitest';
import { plainIo } from '../support/io.ts';
import { listWorkouts } from '../../src/app/workout-list.ts';
import { workoutsText } from '../../src/commands/workouts.ts';
import type { ServiceClient, WorkoutQuery } from '../../src/api/client.ts';

const signal = new AbortController().signal;

/** Makes a service that answers a query, and records the query. */
function service(answer: (query: WorkoutQuery) => unknown) {
  const asked: WorkoutQuery[] = [];
  const client = {
    listWorkouts: (query: WorkoutQuery) => {
      asked.push(query);
      return Promise.resolve(answer(query));
    },
  } as unknown as ServiceClient;
  const list = (limit: number, dates: { since?: string; until?: string } = {}) =>
    listWorkouts(client, { limit, zone: 'Europe/Berlin', ...dates }, signal);
  return { asked, list };
}

const all = Array.from({ length: 130 }, (_, i) => ({ id: `w${i}`, title: `Ride ${i}` }));
const paged = (most = Infinity) =>
  service(({ limit, offset }) => all.slice(offset, offset + Math.min(limit, most)));
const ids = (report: Awaited<ReturnType<typeof listWorkouts>>) =>
  'workouts' in report ? report.workouts.map(({ id }) => id) : report;

describe('a list of workouts', () => {
  it("picks the days of the athlete's zone, not of the platform", async () => {
    const dated = [
      { id: 'after', date: '2026-02-28T23:30:00Z' },
      { id: 'last', date: '2026-02-28T22:30:00Z' },
      { id: 'first', date: '2026-01-31T23:30:00Z' },
      { id: 'before', date: '2026-01-31T22:30:00Z' },
      { id: 'undated' },
    ];
    const { asked, list } = service(({ offset }) => dated.slice(offset));
    const report = await list(20, { since: '2026-02-01', until: '2026-02-28' });
    expect(ids(report)).toEqual(['last', 'first', 'undated']);
    expect(asked[0]).toMatchObject({ startDate: '2026-01-31', endDate: '2026-03-01' });
  });

  it('reads page by page, one workout more than the limit', async () => {
    const { asked, list } = paged();
    expect(ids(await list(120))).toHaveLength(120);
    expect(asked.map(({ limit, offset }) => [limit, offset])).toEqual([
      [50, 0],
      [50, 50],
      [21, 100],
    ]);
  });

  it('reports whether the service has more', async () => {
    const { list } = paged();
    const more = async (limit: number) => {
      const report = await list(limit);
      return 'more' in report && report.more;
    };
    expect(await Promise.all([20, 50, 129, 130, 131].map(more))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('lists all workouts of a service with small pages', async () => {
    const { list } = paged(15);
    expect(ids(await list(100))).toEqual(all.slice(0, 100).map(({ id }) => id));
  });

  it('lists a workout once that moved to the next page between two requests', async () => {
    let added = 0;
    const { list } = service(({ limit, offset }) =>
      [...Array.from({ length: added++ }, (_, i) => ({ id: `new${i}` })), ...all].slice(
        offset,
        offset + limit,
      ),
    );
    const listed = ids(await list(120)) as string[];
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(all.slice(0, 110).map(({ id }) => id)));
  });

  it('ends at a service without paging', async () => {
    for (const page of [all.slice(0, 30), all, all.slice(0, 30).map(({ title }) => ({ title }))]) {
      const { asked, list } = service(() => page);
      expect(ids(await list(1000))).toHaveLength(page.length);
      expect(asked.length).toBeLessThanOrEqual(2);
    }
  });

  it('keeps the limit at a service that ignores it', async () => {
    const { list } = service(() => all);
    expect(ids(await list(5))).toHaveLength(5);
  });
});

describe('a service that the interface alone describes', () => {
  const START = '2026-03-29T06:10:00Z';
  const ride = { id: 'w1', start_time: START, name: 'Morning ride' };
  const view = { zone: 'Europe/Berlin', now: Date.parse('2026-04-01T00:00:00Z') };
  const shown = async (body: unknown) =>
    String(workoutsText(await service(() => body).list(20), view, plainIo()))
      .split('\n')
      .slice(3)
      .map((line) => line.trim());

  it.each<[string, unknown]>([
    ['the body itself', [ride]],
    ['workouts', { workouts: [ride], total: 1 }],
    ['data', { data: [ride] }],
    ['items', { items: [ride] }],
    ['results', { results: [ride] }],
    ['its only list', { rides: [ride] }],
    ['a list beside an empty one', { errors: [], rides: [ride] }],
    ['a list of a usual name beside others', { errors: ['slow'], workouts: [ride] }],
    ['the second of two usual names', { items: [], results: [ride] }],
  ])('has its workouts listed from %s', async (_where, body) => {
    expect(await shown(body)).toEqual(['Sun 29 Mar 08:10  Morning ride']);
  });

  it.each([
    { startTime: START, title: 'Morning ride' },
    { 'start-date': START, label: 'Morning ride' },
    { StartedAt: '2026-03-29T08:10:00+02:00', activity_name: 'Morning ride' },
    { date: '2026-03-29', start: START, name: 'Morning ride' },
    { timestamp: 1_774_764_600, title: '', name: 'Morning ride' },
    { begin: 1_774_764_600_000, time: 3_600, workoutName: 'Morning ride' },
    { start_date_local: START, displayName: 'Morning ride' },
  ])('has a start and a title by their usual names: %j', async (workout) => {
    expect(await shown([workout])).toEqual(['Sun 29 Mar 08:10  Morning ride']);
  });

  it('ends a listing without ids that the service repeats whole, however long it is', async () => {
    const page = Array.from({ length: 60 }, (_, i) => ({ name: `Ride ${i}` }));
    const { asked, list } = service(() => page);
    expect(ids(await list(1000))).toHaveLength(60);
    expect(asked).toHaveLength(2);
  });
});

describe('the table of workouts', () => {
  it('shows times of the zone, across a change of the clocks', () => {
    const workouts = [
      {
        date: '2026-03-29T06:10:00Z',
        title: 'After the change',
        type: 'Ride',
        durationSec: 3_725,
        distanceMeters: 41_230,
        averageWatts: 201.4,
        averageHr: 141.5,
      },
      { date: '2026-03-29T00:30:00.000Z', title: 'Before', durationSec: 59.6 },
      { date: '2025-12-31T22:30:00Z', title: 'Last year' },
      { date: '2026-03-28', title: 'A plain date', durationSec: null, distanceMeters: 'far' },
      { date: 'yesterday' },
    ];
    const view = { zone: 'Europe/Berlin', now: Date.parse('2026-04-01T00:00:00Z') };
    expect(String(workoutsText({ workouts, more: false }, view, plainIo())).split('\n')).toEqual([
      'Times in Europe/Berlin',
      '',
      'Date                   Title             Sport     Time  Distance  Power  Heart rate',
      'Sun 29 Mar 08:10       After the change  Ride   1:02:05   41.2 km  201 W     142 bpm',
      'Sun 29 Mar 01:30       Before                      1:00',
      'Wed 31 Dec 2025 23:30  Last year',
      '2026-03-28             A plain date',
      'yesterday',
    ]);
  });

  it('leaves out sport and heart rate on a narrow terminal, and cuts no time', () => {
    const workouts = [
      {
        date: '2026-03-29T06:10:00Z',
        title: 'A long ride along the river, with coffee',
        type: 'Ride',
        durationSec: 13_725,
        distanceMeters: 141_230,
        averageWatts: 201.4,
        averageHr: 141.5,
      },
    ];
    const view = { zone: 'Europe/Berlin', now: Date.parse('2026-04-01T00:00:00Z') };
    const io = plainIo({ stdoutColumns: 60 });
    expect(
      String(workoutsText({ workouts, more: false }, view, io))
        .split('\n')
        .slice(2),
    ).toEqual([
      'Date              Title                Time  Distance  Power',
      'Sun 29 Mar 08:10  A long ride alo…  3:48:45  141.2 km  201 W',
    ]);
  });
});
