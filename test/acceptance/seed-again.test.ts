import { expect, it } from 'vitest';
import {
  foodsHeld,
  openHome,
  openLoggedInWorld,
  requestLines,
  worldOf,
  KINDS,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, contentsOf, heldBy } from '../support/seeded.ts';

const DAYS = ['--days', '4', '--until', '2026-04-12', '--seed', '7', '--tz', 'Europe/Berlin'];

it.each(KINDS)(
  'sync seed twice changes nothing, also on another machine (%s)',
  async (platform) => {
    const world = await openLoggedInWorld({ platform, login: USUAL_SCOPES });
    const args = ['seed', ...DAYS];
    expect((await world.sync(args)).code).toBe(0);
    const before = contentsOf(world);
    expect(before.recordings.length).toBeGreaterThan(1);
    const looks = {
      'coach-watts': ['profile 200'],
      interface: ['profile 404'],
    }[platform];

    world.sandbox.control.clearRequests();
    const { recordings, records, skipped } = (await world.lines(args)).at(-1) ?? {};
    expect(skipped).toBe(Number(recordings) + Number(records));
    expect(requestLines(world.sandbox)).toEqual(looks);
    expect(contentsOf(world)).toEqual(before);

    // Another machine, such as the next run in CI, has an empty ledger.
    const ids = () =>
      before.nutrition.flatMap(({ date }) => foodsHeld(world.sandbox, date).map(({ id }) => id));
    const stored = ids();
    const { access_token } = world.sandbox.control.mint(USUAL_SCOPES);
    const env = { SYNC_BASE_URL: world.sandbox.url, SYNC_ACCESS_TOKEN: access_token };
    const other = worldOf(world.sandbox, openHome(env));
    const { code, stdout } = await other.sync([...args, '--json']);
    expect(code).toBe(0);
    expect(contentsOf(world)).toEqual(before);
    expect(heldBy(world).recordings).toHaveLength(before.recordings.length);
    if (platform === 'coach-watts') {
      expect(ndjson(stdout).at(-1)).toMatchObject({ duplicate: before.recordings.length });
    }
    // Services that replace days number the items anew; those that append keep what they hold.
    if (platform === 'coach-watts') expect(ids()).toEqual(stored);
    world.sandbox.control.clearRequests();
    await other.sync(args);
    expect(requestLines(world.sandbox)).toEqual(looks);
  },
);
