import { getFitSportName } from 'fit-file-parser/profile';
import { describe, expect, it } from 'vitest';
import { activityName } from '../../src/fit/activity.ts';
import { readSummary, type RecordedSession } from '../../src/fit/summary.ts';
import { makeActivity, START } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

const startTime = new Date('2026-02-15T07:30:00Z');

function sessions(
  ...sports: readonly (readonly [number | undefined, number?, string?])[]
): RecordedSession[] {
  return sports.map(([sport, subSport, word]) => ({
    sport,
    subSport,
    word,
    startTime,
    elapsedSecs: 600,
    timerSecs: 600,
    distanceMetres: undefined,
    ascentMetres: undefined,
    calories: undefined,
    maxDepthMetres: undefined,
    pool: undefined,
    maxima: { power: undefined, heartRate: undefined, speed: undefined },
    averages: { power: undefined, heartRate: undefined, cadence: undefined },
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

  it.each<[string, RecordedSession[], string | undefined, string | undefined]>([
    ['a run', sessions([1, 0]), 'Run', 'Morning run'],
    ['a run whose sub sport is unknown', sessions([1, 250]), 'Run', 'Morning run'],
    ['a treadmill run', sessions([1, 1]), 'Treadmill run', 'Morning treadmill run'],
    ['an indoor ride', sessions([2, 6]), 'Indoor ride', 'Morning indoor ride'],
    ['a virtual ride', sessions([2, 58]), 'Virtual ride', 'Morning virtual ride'],
    ['a BMX ride keeps its capitals', sessions([2, 29]), 'BMX ride', 'Morning BMX ride'],
    ['an e-bike ride', sessions([21]), 'E-bike ride', 'Morning e-bike ride'],
    ['a pool swim', sessions([5, 17]), 'Pool swim', 'Morning pool swim'],
    ['an open water swim', sessions([0, 18]), 'Open water swim', 'Morning open water swim'],
    ['a generic trail run', sessions([0, 3]), 'Trail run', 'Morning trail run'],
    ['a generic virtual ride', sessions([0, 58]), 'Virtual ride', 'Morning virtual ride'],
    ['a flight in capitals', sessions([0, 0, 'PARAGLIDING']), 'Paragliding', 'Paragliding'],
    ['"other" in German', sessions([0, 0, 'Sonstige']), undefined, undefined],
    ['"other" in Chinese', sessions([0, 0, '其他']), undefined, undefined],
    ['a triathlon', sessions([5], [3], [2], [3], [1]), 'Triathlon', 'Triathlon'],
    ['a triathlon by sub sports', sessions([5], [2, 34], [2], [1]), 'Triathlon', 'Triathlon'],
    ['a duathlon', sessions([1], [3], [2], [3], [1]), 'Duathlon', 'Duathlon'],
    ['a ride and a run', sessions([2], [3], [1]), 'Multisport', 'Multisport'],
    ['what calls itself multisport', sessions([18]), 'Multisport', 'Multisport'],
    ['what calls itself a triathlon', sessions([18, 78]), 'Triathlon', 'Triathlon'],
    ['two rides in one recording', sessions([2], [2]), 'Ride', 'Morning ride'],
    ['a swim and a run', sessions([5], [3], [1]), 'Aquathlon', 'Aquathlon'],
    ['a swimrun by its legs', sessions([1], [5], [1], [5], [1]), 'Swimrun', 'Swimrun'],
    ['a swimrun by its sub sport', sessions([18, 81]), 'Swimrun', 'Swimrun'],
    ['a multisport with a word', sessions([18, 0, 'Quadrathlon']), 'Quadrathlon', 'Quadrathlon'],
    ['a hike', sessions([17]), 'Hike', 'Morning hike'],
    ['squash by its sub sport', sessions([64, 94]), 'Squash', 'Morning squash'],
    ['no session', [], undefined, undefined],
    ['a session without a sport', sessions([undefined]), undefined, undefined],
    ['a generic sport', sessions([0]), undefined, undefined],
    ['an unknown sport', sessions([200]), undefined, undefined],
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

describe("the device's word for a sport", () => {
  const name = (...list: readonly (readonly [number, number?, string?])[]) =>
    activityName({ sessions: sessions(...list), startTime, localOffsetMinutes: 0 });

  it.each<[string, number, string, string | undefined]>([
    ['names a generic sport', 0, 'Squash', 'Morning squash'],
    ['names a generic sport in any case', 0, 'SQUASH', 'Morning squash'],
    ['names an unknown sport', 200, 'Padel', 'Morning padel'],
    ['names a sport in its own words', 0, 'Sepak takraw', 'Sepak takraw'],
    ['names a sport in its own language', 0, '太極拳', '太極拳'],
    ['names a workout', 10, 'Kettlebells', 'Kettlebells'],
    ['corrects the sport', 11, 'Hike', 'Morning hike'],
    ['says more than the sport', 1, 'Trail Run', 'Morning trail run'],
    ['says more than the sport in its own words', 2, 'Club Ride', 'Club Ride'],
    ['is not used if it is a label', 2, 'INDOOR', 'Morning ride'],
    ['is not used if it is the sport in another language', 1, '跑步', 'Morning run'],
    ['is not used if it is another word for the sport', 2, 'Bike', 'Morning ride'],
    ['is not used if it says less than the sport', 35, 'Hike', 'Morning snowshoe hike'],
    ['is not used if it says nothing', 0, 'Other', undefined],
    ['is not used if it says nothing about a workout', 10, 'Workout', 'Morning workout'],
  ])('%s', (_, sport, word, expected) => {
    expect(name([sport, 0, word])).toBe(expected);
  });

  it('is not used beside a sub sport with a name', () => {
    expect(name([2, 6, 'Zwift'])).toBe('Morning indoor ride');
  });

  it.each([
    ['the session', { session: { sport: 0, name: 'Squash' } }],
    ['the sport message', { sport: { name: 'Squash' }, session: { sport: 0 } }],
    ['the session first', { sport: { name: 'Tennis' }, session: { sport: 0, name: 'Squash' } }],
  ])('is read from %s', (_, parts) => {
    const activity = { local: START + 600 + 3600 };
    expect(activityName(readSummary(makeActivity({ ...parts, activity })))).toBe('Morning squash');
  });

  it.each([
    ['control characters', '\u001b]0;Squash\u0007', ']0;Squash'],
    ['direction marks', '\u202eSquash', 'Squash'],
    ['line breaks', 'Squash\nclub', 'Squash club'],
    ['a cut character', Uint8Array.of(...Buffer.from('太極拳').subarray(0, 8), 0), '太極'],
    ['only symbols', '---', undefined],
    ['only spaces', '   ', undefined],
  ])('has no %s', (_, word, expected) => {
    const { sessions } = readSummary(makeActivity({ session: { sport: 0, name: word } }));
    expect(sessions[0]?.word).toBe(expected);
  });
});

it('every sport of the FIT profile but generic, transition and all has a name', () => {
  const nameless: string[] = [];
  for (let sport = 0; sport < 255; sport++) {
    const known = getFitSportName(sport);
    const name = activityName({
      sessions: sessions([sport, 0]),
      startTime: undefined,
      localOffsetMinutes: undefined,
    });
    if ((name === undefined) !== (known === null)) nameless.push(`${sport} ${known}`);
  }
  expect(nameless).toEqual(['0 generic', '3 transition', '254 all']);
});

it.skipIf(!realRecordings.present)(
  `real activities get the names a person would give them${realRecordings.note}`,
  () => {
    const names = {
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
    };
    const nameOf = (file: string) => activityName(readSummary(realRecordings.read(file)));
    const found = Object.keys(names).map((file) => [file, nameOf(file)]);
    expect(Object.fromEntries(found)).toEqual(names);
  },
);
