import { describe, expect, it } from 'vitest';
import type { PlatformName } from '../../src/sandbox/settings.ts';
import {
  foodsHeld,
  openHome,
  openLoggedInWorld,
  requestLines,
  worldOf,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, contentsOf, heldBy } from '../support/seeded.ts';

const DAYS = ['--days', '3', '--until', '2026-05-17', '--seed', '22', '--tz', 'Europe/Berlin'];
const DATES = ['15', '16', '17'].map((day) => `2026-05-${day}`);

/** A banana that `sync push` sends. */
const banana = (date: string) =>
  JSON.stringify({
    date,
    items: [{ name: 'Own banana', carbs: 27, logged_at: `${date}T21:00:00+02:00`, meal: 'SNACK' }],
  });

describe.each<PlatformName>(['coach-watts'])('sync seed --remove (%s)', (platform) => {
  it.each([
    ['reads days', {}],
    ['cannot read days', USUAL_SCOPES],
  ])('removes only what seed sent, and seed refills, with a login that %s', async (_, login) => {
    const world = await openLoggedInWorld({ platform, login });
    const held = () => DATES.map((date) => foodsHeld(world.sandbox, date).map(({ name }) => name));
    await world.sync(['seed', ...DAYS]);
    const seeded = contentsOf(world);
    const seededFoods = () =>
      held().map((names) => names.filter((name) => !/^(?:Own|Typed) /.test(String(name))).sort());
    const foods = seededFoods();
    expect(foods.flat().length).toBeGreaterThan(3);
    const own = world.write('own.json', banana('2026-05-15'));
    expect((await world.sync(['push', 'nutrition', own])).code).toBe(0);
    // A platform that replaces days would erase what the athlete enters.
    if (platform === 'coach-watts') {
      world.sandbox.control.addFood({
        date: '2026-05-16',
        meal: 'lunch',
        item: { name: 'Typed soup', logged_at: '2026-05-16T12:00:00+02:00' },
      });
    }
    const { code, stdout } = await world.sync(['seed', ...DAYS, '--remove', '--json']);
    expect(code).toBe(0);
    expect(held()).toEqual(
      DATES.map((date) =>
        date === '2026-05-15'
          ? ['Own banana']
          : date === '2026-05-16' && platform === 'coach-watts'
            ? ['Typed soup']
            : [],
      ),
    );
    const { stdout: day } = await world.sync(['explain', '2026-05-17']);
    expect(day).toContain('Nutrition  Nothing was sent from here.');
    // Nothing deletes wellness; a platform without the route no workout either.
    const isOffered = platform !== 'interface';
    const { recordings, wellness, profile } = contentsOf(world);
    expect({ recordings, wellness, profile }).toEqual({
      recordings: isOffered ? [] : seeded.recordings,
      wellness: seeded.wellness,
      profile: seeded.profile,
    });
    const lines = ndjson(stdout);
    const left = lines.filter(({ type }) => type === 'leftover');
    expect(
      left
        .filter(({ kind }) => kind === 'recording')
        .map(({ sha256 }) => sha256)
        .sort(),
    ).toEqual(recordings);
    expect(left.filter(({ kind }) => kind === 'wellness').map(({ date }) => date)).toEqual(DATES);
    expect(lines.at(-1)).toEqual({
      type: 'summary',
      from: '2026-05-15',
      until: '2026-05-17',
      removed: 3,
      recordings: isOffered ? seeded.recordings.length : 0,
      left: { recording: recordings.length, wellness: 3 },
    });

    world.sandbox.control.clearRequests();
    const second = await world.sync(['seed', ...DAYS, '--remove']);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('nothing that this seed sent is recorded on this machine');
    expect(requestLines(world.sandbox)).toEqual([]);

    expect((await world.lines(['seed', ...DAYS])).at(-1)).toMatchObject({
      [isOffered ? 'uploaded' : 'duplicate']: seeded.recordings.length,
      pushed: 6,
    });
    expect(seededFoods()).toEqual(foods);
    expect(contentsOf(world)).toMatchObject({ recordings: seeded.recordings, wellness });
  });
});

describe('sync seed --remove', () => {
  it('leaves what another seed sent', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...DAYS]);
    const before = contentsOf(world);
    world.sandbox.control.clearRequests();
    const { code, stdout } = await world.sync(['seed', ...DAYS, '--seed', '8', '--remove']);
    expect([code, stdout]).toEqual([0, /nothing that this seed sent/]);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(contentsOf(world)).toEqual(before);
  });

  it('leaves no day behind as sent after the next push has checked the days', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...DAYS]);
    await world.sync(['seed', ...DAYS, '--remove']);
    const own = world.write('own.json', banana('2026-05-01'));
    await world.sync(['push', 'nutrition', own]);
    for (const date of DATES) {
      const { stdout } = await world.sync(['explain', date]);
      expect(stdout).toContain('Nutrition  Nothing was sent from here.');
    }
  });

  it.each([
    [
      'coach-watts',
      0,
      '3 recordings removed, nutrition of 3 days removed. The platform keeps wellness',
    ],
    ['interface', 3, 'nutrition of 3 days removed. The platform keeps 3 recordings and wellness'],
  ] as const)('says for people what stays and where to delete it (%s)', async (...row) => {
    const [platform, staying, words] = row;
    const world = await openLoggedInWorld({ platform });
    await world.sync(['seed', ...DAYS]);
    const { stdout } = await world.sync(['seed', ...DAYS, '--remove']);
    expect(stdout.match(/ {2}stays$/gm) ?? []).toHaveLength(staying);
    expect(stdout).toContain(
      `2026-05-15 to 2026-05-17: ${words} of 3 days, ` +
        'and does not delete that for applications: delete it on its pages. Weight and FTP stay as they are.',
    );
  });

  it('removes the nutrition and leaves the recordings with a login that may not list workouts', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...DAYS]);
    const { recordings } = contentsOf(world);
    const { control } = world.sandbox;
    const scopes = ['nutrition:write', 'profile:read'] as const;
    world.home.env['SYNC_ACCESS_TOKEN'] = control.mint({ scopes: [...scopes] }).access_token;
    const { code, stdout } = await world.sync(['seed', ...DAYS, '--remove', '--json']);
    expect([code, ndjson(stdout).at(-1)]).toMatchObject([
      0,
      { removed: 3, recordings: 0, left: { recording: recordings.length, wellness: 3 } },
    ]);
    expect(contentsOf(world).recordings).toEqual(recordings);
    expect(DATES.flatMap((date) => foodsHeld(world.sandbox, date))).toEqual([]);
  });

  it('shows the requests with --dry-run, and changes nothing', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...DAYS]);
    const before = contentsOf(world);
    world.sandbox.control.clearRequests();
    const lines = await world.lines(['seed', ...DAYS, '--remove', '--dry-run']);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ removed: 0, 'would-push': 3 });
    expect(lines.filter(({ outcome }) => outcome === 'would-push')).toHaveLength(3);
    // The ledger still knows all of it.
    expect((await world.sync(['seed', ...DAYS])).stdout).toMatch(
      /; \d+ uploaded before, \d+ unchanged\.$/m,
    );
    expect(contentsOf(world)).toEqual(before);
  });

  it('works on another machine after a seed from there', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...DAYS]);
    const { access_token } = world.sandbox.control.mint();
    const env = { SYNC_BASE_URL: world.sandbox.url, SYNC_ACCESS_TOKEN: access_token };
    const other = worldOf(world.sandbox, openHome(env));
    const first = await other.sync(['seed', ...DAYS, '--remove']);
    expect(first.stdout).toContain('run `sync seed` with the same arguments first');
    expect(foodsHeld(world.sandbox, '2026-05-15').length).toBeGreaterThan(0);
    await other.sync(['seed', ...DAYS]);
    expect((await other.lines(['seed', ...DAYS, '--remove'])).at(-1)).toMatchObject({ removed: 3 });
    expect(DATES.flatMap((date) => foodsHeld(world.sandbox, date))).toEqual([]);
    expect(heldBy(world).wellness).toHaveLength(3);
  });

  it.each([['--force'], ['--out', 'life']])('cannot be combined with %s', async (...more) => {
    const world = await openLoggedInWorld();
    const { code, stderr } = await world.sync(['seed', '--remove', ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain(more[0]);
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});
