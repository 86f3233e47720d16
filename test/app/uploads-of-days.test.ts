import { expect, it } from 'vitest';
import { uploadsOfDays } from '../../src/app/uploads-of-days.ts';
import type { Activity } from '../../src/fit/activity.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';
import { scratchLedger } from '../support/ledger.ts';

/** Returns the names of the recordings of 2026-03-29, of which the ledger holds these activities. */
function namesOfDay(zone: string, activities: Record<string, Partial<Activity>>): string[] {
  const { uploads } = scratchLedger();
  for (const [path, activity] of Object.entries(activities)) {
    const about = { path, sha256: path, size: 1, activity: { ...NO_ACTIVITY, ...activity } };
    uploads.claim({ ...about, workout: { ...NO_WORKOUT, sentAs: path } }, false);
  }
  return uploadsOfDays(uploads, '2026-03-29', '2026-03-29', zone).map(({ upload }) => upload.path);
}

const at = (time: string) => ({ startedAt: Date.parse(time) });

it('finds the recordings of a local day across a change of the clocks', () => {
  expect(
    namesOfDay('Europe/Berlin', {
      'before.fit': at('2026-03-28T22:59:59Z'),
      'first.fit': at('2026-03-28T23:00:00Z'),
      'last.fit': at('2026-03-29T21:59:59Z'),
      'after.fit': at('2026-03-29T22:00:00Z'),
      'timeless.fit': {},
    }),
  ).toEqual(['first.fit', 'last.fit']);
});

it("prefers the recording's own offset to the zone, at both ends of the world", () => {
  expect(
    namesOfDay('UTC', {
      'kiritimati.fit': { ...at('2026-03-28T10:00:00Z'), offsetMinutes: 14 * 60 },
      'baker.fit': { ...at('2026-03-30T11:59:00Z'), offsetMinutes: -12 * 60 },
      'elsewhere.fit': { ...at('2026-03-29T23:00:00Z'), offsetMinutes: 120 },
    }),
  ).toEqual(['kiritimati.fit', 'baker.fit']);
});
