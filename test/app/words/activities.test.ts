import { describe, expect, it } from 'vitest';
import { activityJson, activityText, activityView } from '../../../src/app/words/activities.ts';
import type { Activity } from '../../../src/fit/activity.ts';
import { NO_ACTIVITY } from '../../support/activity.ts';
import { plainIo } from '../../support/io.ts';

const RIDE: Activity = {
  name: 'Morning ride',
  startedAt: Date.UTC(2026, 10, 21, 7),
  offsetMinutes: 60,
  movingSecs: 9396,
  distanceMeters: 87_900,
};
const VIEW = { zone: 'America/New_York', now: Date.UTC(2026, 10, 22), aligned: false };

describe('an activity', () => {
  it.each<[string, Partial<Activity>, string]>([
    ['in its own offset', {}, 'Sat 21 Nov 08:00 UTC+01:00  Morning ride  2:36:36  87.9 km'],
    [
      "in the athlete's zone without an offset",
      { offsetMinutes: undefined },
      'Sat 21 Nov 02:00  Morning ride  2:36:36  87.9 km',
    ],
    [
      'on the local day, across midnight',
      { startedAt: Date.UTC(2026, 10, 20, 23, 30) },
      'Sat 21 Nov 00:30 UTC+01:00  Morning ride  2:36:36  87.9 km',
    ],
    [
      'with the year if that is another one',
      { startedAt: Date.UTC(2025, 11, 31, 22, 59) },
      'Wed 31 Dec 2025 23:59 UTC+01:00  Morning ride  2:36:36  87.9 km',
    ],
    [
      'with the name of the file instead of its own',
      { name: undefined },
      'Sat 21 Nov 08:00 UTC+01:00  ride.fit  2:36:36  87.9 km',
    ],
    [
      'without what the recording does not state',
      { startedAt: undefined, distanceMeters: 0 },
      'Morning ride  2:36:36',
    ],
    [
      'in less than an hour',
      { movingSecs: 65.4, distanceMeters: 950 },
      'Sat 21 Nov 08:00 UTC+01:00  Morning ride  1:05  950 m',
    ],
  ])('is shown %s', (_how, change, text) => {
    expect(activityText({ ...RIDE, ...change }, 'ride.fit', VIEW)).toBe(text);
  });

  it('is shown by the name of its file if it states nothing', () => {
    expect(activityText(NO_ACTIVITY, 'ride.fit', VIEW)).toBe('ride.fit');
  });

  it('is aligned with others in a wide terminal', () => {
    const view = activityView(plainIo({ stdoutColumns: 80 }), VIEW.now, VIEW.zone);
    const swim = { ...RIDE, startedAt: Date.UTC(2026, 10, 2, 6), name: '朝', movingSecs: 65 };
    expect([RIDE, swim].map((each) => activityText(each, 'ride.fit', view))).toEqual([
      'Sat 21 Nov 08:00 UTC+01:00  Morning ride          2:36:36   87.9 km',
      'Mon  2 Nov 07:00 UTC+01:00  朝                       1:05   87.9 km',
    ]);
    expect(activityView(plainIo({ stdoutColumns: 60 }), VIEW.now, 'UTC').aligned).toBe(false);
  });

  it.each<[string, Partial<Activity>, Record<string, unknown>]>([
    ['its own offset', {}, { startedAt: '2026-11-21T08:00:00+01:00' }],
    ['a negative offset', { offsetMinutes: -210 }, { startedAt: '2026-11-21T03:30:00-03:30' }],
    ['UTC without an offset', { offsetMinutes: undefined }, { startedAt: '2026-11-21T07:00:00Z' }],
  ])('is JSON with %s', (_what, change, json) => {
    expect(activityJson({ ...RIDE, ...change })).toEqual({
      name: 'Morning ride',
      durationSecs: 9396,
      distanceMeters: 87_900,
      ...json,
    });
  });
});
