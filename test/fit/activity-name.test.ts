import { describe, expect, it } from 'vitest';
import { activityName } from '../../src/fit/activity-name.ts';
import { readActivityTimes, type Session } from '../../src/fit/summary.ts';
import { realRecordings } from '../support/real-recordings.ts';

const startTime = new Date('2026-02-15T07:30:00Z');

function sessions(...sports: readonly (readonly [number | undefined, number?])[]): Session[] {
  return sports.map(([sport, subSport]) => ({
    sport,
    subSport,
    startTime,
    timerSecs: 600,
    distanceMetres: undefined,
  }));
}

describe('the name of an activity', () => {
  it.each([
    ['00:00', 'Night ride'],
    ['03:59', 'Night ride'],
    ['04:00', 'Morning ride'],
    ['10:59', 'Morning ride'],
    ['11:00', 'Lunch ride'],
    ['13:59', 'Lunch ride'],
    ['14:00', 'Afternoon ride'],
    ['16:59', 'Afternoon ride'],
    ['17:00', 'Evening ride'],
    ['21:59', 'Evening ride'],
    ['22:00', 'Night ride'],
  ])('at %s local time is "%s"', (time, name) => {
    const at = { startTime: new Date(`2026-02-15T${time}:00Z`), localOffsetMinutes: 0 };
    expect(activityName({ sessions: sessions([2]), ...at })).toBe(name);
  });

  it.each([
    [-720, 'Evening run'],
    [-240, 'Night run'],
    [0, 'Morning run'],
    [345, 'Lunch run'],
    [840, 'Evening run'],
  ])('uses the local time, 07:30Z at %d minutes from UTC: "%s"', (localOffsetMinutes, name) => {
    expect(activityName({ sessions: sessions([1]), startTime, localOffsetMinutes })).toBe(name);
  });

  it.each<[string, Session[], string | undefined, string | undefined]>([
    ['a run', sessions([1, 0]), 'Run', 'Morning run'],
    ['a run whose sub sport is unknown', sessions([1, 250]), 'Run', 'Morning run'],
    ['a treadmill run', sessions([1, 1]), 'Treadmill run', 'Morning treadmill run'],
    ['an indoor ride', sessions([2, 6]), 'Indoor ride', 'Morning indoor ride'],
    ['a virtual ride', sessions([2, 58]), 'Virtual ride', 'Morning virtual ride'],
    ['a BMX ride keeps its capitals', sessions([2, 29]), 'BMX ride', 'Morning BMX ride'],
    ['an e-bike ride', sessions([21]), 'E-bike ride', 'Morning e-bike ride'],
    ['a pool swim', sessions([5, 17]), 'Pool swim', 'Morning pool swim'],
    ['a triathlon', sessions([5], [3], [2], [3], [1]), 'Triathlon', 'Triathlon'],
    [
      'a triathlon with transitions by sub sport',
      sessions([5], [2, 34], [2], [1]),
      'Triathlon',
      'Triathlon',
    ],
    ['a duathlon', sessions([1], [3], [2], [3], [1]), 'Duathlon', 'Duathlon'],
    ['a ride and a run', sessions([2], [3], [1]), 'Multisport', 'Multisport'],
    ['what calls itself multisport', sessions([18]), 'Multisport', 'Multisport'],
    ['what calls itself a triathlon', sessions([18, 78]), 'Triathlon', 'Triathlon'],
    ['two rides in one recording', sessions([2], [2]), 'Ride', 'Morning ride'],
    ['no session', [], undefined, undefined],
    ['a session without a sport', sessions([undefined]), undefined, undefined],
    ['a generic sport', sessions([0]), undefined, undefined],
    ['a sport nobody knows', sessions([200]), undefined, undefined],
    ['only a transition', sessions([3]), undefined, undefined],
  ])('of %s, without and with the local time', (_, list, without, withLocalTime) => {
    const known = { sessions: list, startTime };
    expect([
      activityName({ ...known, localOffsetMinutes: undefined }),
      activityName({ ...known, startTime: undefined, localOffsetMinutes: 0 }),
      activityName({ ...known, localOffsetMinutes: 0 }),
    ]).toEqual([without, without, withLocalTime]);
  });
});

it.skipIf(!realRecordings.present)(
  `real activities get the names a person would give them${realRecordings.note}`,
  () => {
    const activities = [
      '2019-02-17-062644-ELEMNT-297E-195-0.fit',
      'MyNewActivity-5.6.0.fit',
      'bryton-compressed-timestamps.fit',
      'chained-garmin-fr920xt-run.fit',
      'coros-dura-ride.fit',
      'garmin-edge840-indoor-ride.fit',
      'garmin-fenix2-multisport.fit',
      'onelap-12-byte-header.fit',
      'trainingpeaks-virtual-developer-fields.fit',
      'zwift-ride.fit',
    ];
    expect(
      Object.fromEntries(
        activities.map((name) => [
          name,
          activityName(readActivityTimes(realRecordings.read(name))),
        ]),
      ),
    ).toEqual({
      '2019-02-17-062644-ELEMNT-297E-195-0.fit': 'Afternoon ride',
      'MyNewActivity-5.6.0.fit': 'Virtual ride',
      'bryton-compressed-timestamps.fit': 'Morning ride',
      'chained-garmin-fr920xt-run.fit': 'Morning run',
      'coros-dura-ride.fit': 'Evening mountain bike ride',
      'garmin-edge840-indoor-ride.fit': 'Afternoon indoor ride',
      'garmin-fenix2-multisport.fit': 'Multisport',
      'onelap-12-byte-header.fit': 'Virtual ride',
      'trainingpeaks-virtual-developer-fields.fit': 'Morning virtual ride',
      'zwift-ride.fit': 'Virtual ride',
    });
  },
);
