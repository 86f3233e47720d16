import { expect, it } from 'vitest';
import {
  NUTRITION_REVISIONS,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  requestLines,
  worldOf,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, contentsOf, heldBy } from '../support/seeded.ts';

const UNTIL = ['--until', '2026-04-12', '--seed', '7', '--tz', 'Europe/Berlin'];
const DAYS = ['--days', '4', ...UNTIL];
// Has each kind of mess.
const FORTNIGHT = ['--days', '14', ...UNTIL];

it.each([
  ...NUTRITION_REVISIONS.map((revision) => [revision, DAYS] as const),
  ['2026-08', [...FORTNIGHT, '--messy']] as const,
])('sync seed twice changes nothing, also on another machine (%s, %j)', async (revision, flags) => {
  const world = await openLoggedInWorld({ revision, login: USUAL_SCOPES });
  const args = ['seed', ...flags];
  expect((await world.sync(args)).code).toBe(0);
  const before = contentsOf(world);
  expect(before.recordings.length).toBeGreaterThan(1);
  const looks = {
    '2026-08': ['profile 200'],
    '2026-07': ['profile 200'],
    // This revision shows the profile to no application.
    '2026-02': ['profile 401', 'userinfo 200', 'userinfo 200'],
  }[revision];

  world.sandbox.control.clearRequests();
  const { recordings, records, skipped, broken = 0 } = (await world.lines(args)).at(-1) ?? {};
  expect(skipped).toBe(Number(recordings) + Number(records) - Number(broken));
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
  expect(ndjson(stdout).at(-1)).toMatchObject({ duplicate: before.recordings.length });
  // Services that replace days number the items anew; those that append keep what they hold.
  if (revision === '2026-08') expect(ids()).toEqual(stored);
  world.sandbox.control.clearRequests();
  await other.sync(args);
  expect(requestLines(world.sandbox)).toEqual(looks);
});

it('sync seed --messy sends duplicates as an account gets them, and reports the broken file without failing', async () => {
  const world = await openLoggedInWorld();
  const { code, stdout } = await world.sync(['seed', ...FORTNIGHT, '--messy', '--json']);
  expect(code).toBe(0);
  const lines = ndjson(stdout);
  const faulty = lines.filter(({ fault }) => fault !== undefined);
  const of = (fault: string) => faulty.filter((line) => line['fault'] === fault);
  expect(of('broken').length).toBeGreaterThan(0);
  for (const line of of('broken')) {
    expect(line).toMatchObject({ type: 'upload', outcome: 'invalid', reason: 'incomplete' });
  }
  expect(of('copy').length).toBeGreaterThan(0);
  expect(of('second-device').map(({ outcome }) => outcome)).toContain('uploaded');
  const broken = of('broken').length;
  expect(lines.at(-1)).toMatchObject({ type: 'summary', invalid: broken, broken });

  // Each of two equal files may come first; the service gets one of them.
  const { recordings } = heldBy(world);
  expect(new Set(recordings.map(({ sha256 }) => sha256)).size).toBe(recordings.length);
  expect(recordings.map(({ receivedCount }) => receivedCount)).toEqual(recordings.map(() => 1));
  const total = lines.filter(({ type }) => type === 'upload').length;
  expect(recordings).toHaveLength(total - broken - of('copy').length);

  const { stdout: words } = await world.sync(['seed', ...FORTNIGHT, '--messy']);
  expect(words).toMatch(/^2026-03-30 to 2026-04-12: .*, \d+ broken on purpose, not sent\.\n$/);
});
