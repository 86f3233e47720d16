import { describe, expect, it } from 'vitest';
import { metadataOf, openLoggedInWorld, requestLines, sha256 } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { realRecordings } from '../support/real-recordings.ts';

/** The recordings beside the project that are not to be sent, and why. */
const OTHERS: Readonly<Record<string, readonly [outcome: string, reason: string]>> = {
  'unfinished-edge840-size-zero.fit': ['invalid', 'incomplete'],
  'corrupt-sigma-data-past-end.fit': ['invalid', 'corrupt'],
  'corrupt-strava-truncated.fit': ['invalid', 'incomplete'],
  'garmin-edge510-settings.fit': ['skipped', 'not-an-activity'],
  'workout-plan.fit': ['skipped', 'not-an-activity'],
  'course.fit': ['skipped', 'not-an-activity'],
  'hrv-overnight.fit': ['skipped', 'not-an-activity'],
  'garmin-monitoring-stress-day.fit': ['skipped', 'not-an-activity'],
};

describe.skipIf(!realRecordings.present)(`recordings of real devices${realRecordings.note}`, () => {
  it('arrive once each and byte for byte; a second run sends nothing', async () => {
    const world = await openLoggedInWorld();
    const run = async () => {
      const { code, stdout } = await world.sync(['upload', '--json', realRecordings.folder]);
      const lines = ndjson(stdout);
      return { code, summary: lines.pop(), items: lines };
    };
    const activities = realRecordings.names().filter((name) => !(name in OTHERS));
    expect(activities).toHaveLength(10);

    const first = await run();
    const outcomes = first.items.map(({ path, outcome, reason }) => [
      String(path).slice(realRecordings.folder.length),
      [outcome, ...(reason === undefined ? [] : [reason])],
    ]);
    expect(Object.fromEntries(outcomes)).toEqual({
      ...Object.fromEntries(activities.map((name) => [name, ['uploaded']])),
      ...OTHERS,
    });
    expect(first.code).toBe(3);
    const counts = {
      type: 'summary',
      total: 18,
      duplicate: 0,
      covered: 0,
      held: 0,
      invalid: 3,
      rejected: 0,
      failed: 0,
    };
    expect(first.summary).toEqual({ ...counts, uploaded: 10, skipped: 5 });

    const held = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
    expect(held.map(({ receivedCount }) => receivedCount)).toEqual(activities.map(() => 1));
    const uploads = world.sandbox.control.requests({ route: 'upload-fit' });
    expect(uploads.map((request) => metadataOf(request)['file_name']).sort()).toEqual(activities);
    for (const name of activities) {
      const bytes = realRecordings.read(name);
      const response = await fetch(`${world.sandbox.url}/_sandbox/recordings/${sha256(bytes)}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }

    world.sandbox.control.clearRequests();
    const second = await run();
    expect(second.code).toBe(3);
    expect(second.summary).toEqual({ ...counts, uploaded: 0, skipped: 15 });
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});
