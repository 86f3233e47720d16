import { describe, expect, it } from 'vitest';
import { plainIo } from '../support/io.ts';
import { workoutsText } from '../../src/commands/workouts.ts';

const view = { zone: 'Europe/Berlin', now: Date.parse('2026-04-01T00:00:00Z') };

describe('a workout of a service that the interface alone describes', () => {
  const START = '2026-03-29T06:10:00Z';

  it.each([
    { startTime: START, title: 'Morning ride' },
    { 'start-date': START, label: 'Morning ride' },
    { StartedAt: '2026-03-29T08:10:00+02:00', activity_name: 'Morning ride' },
    { date: '2026-03-29', start: START, name: 'Morning ride' },
    { timestamp: 1_774_764_600, title: '', name: 'Morning ride' },
    { begin: 1_774_764_600_000, time: 3_600, workoutName: 'Morning ride' },
    { start_date_local: START, displayName: 'Morning ride' },
  ])('has a start and a title by their usual names: %j', (workout) => {
    const table = String(workoutsText({ workouts: [workout], rest: 'none' }, view, plainIo()));
    expect(table.trimEnd()).toMatch(/\nSun 29 Mar 08:10 {2}Morning ride$/);
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
    expect(String(workoutsText({ workouts, rest: 'none' }, view, plainIo())).split('\n')).toEqual([
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
    const io = plainIo({ stdoutColumns: 60 });
    expect(
      String(workoutsText({ workouts, rest: 'none' }, view, io))
        .split('\n')
        .slice(2),
    ).toEqual([
      'Date              Title                Time  Distance  Power',
      'Sun 29 Mar 08:10  A long ride alo…  3:48:45  141.2 km  201 W',
    ]);
  });
});
