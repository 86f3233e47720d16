import { describe, expect, it } from 'vitest';
import {
  NUTRITION_REVISIONS,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  requestLines,
  worldOf,
} from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, contentsOf, heldBy } from '../support/seeded.ts';

const WEEK = ['--days', '7', '--until', '2026-05-17', '--seed', '7', '--tz', 'Europe/Berlin'];
const DATES = ['11', '12', '13', '14', '15', '16', '17'].map((day) => `2026-05-${day}`);

/** A banana that `sync push` sends. */
const banana = (date: string) =>
  JSON.stringify({
    date,
    items: [{ name: 'Own banana', carbs: 27, logged_at: `${date}T21:00:00+02:00`, meal: 'SNACK' }],
  });

describe.each(NUTRITION_REVISIONS)('sync seed --remove (%s)', (revision) => {
  it.each([
    ['reads days', {}],
    ['cannot read days', USUAL_SCOPES],
  ])(
    'removes what seed sent and nothing else, and seed fills again, with a login that %s',
    async (_, login) => {
      const world = await openLoggedInWorld({ revision, login });
      const held = () =>
        DATES.map((date) => foodsHeld(world.sandbox, date).map(({ name }) => name));
      await world.sync(['seed', ...WEEK]);
      const seeded = contentsOf(world);
      const seededFoods = () =>
        held().map((names) => names.filter((name) => !/^(?:Own|Typed) /.test(String(name))).sort());
      const foods = seededFoods();
      expect(foods.flat().length).toBeGreaterThan(7);
      const own = world.write('own.json', banana('2026-05-12'));
      expect((await world.sync(['push', 'nutrition', own])).code).toBe(0);
      // A platform that replaces days would erase what the athlete enters.
      if (revision === '2026-08') {
        world.sandbox.control.addFood({
          date: '2026-05-13',
          meal: 'lunch',
          item: { name: 'Typed soup', logged_at: '2026-05-13T12:00:00+02:00' },
        });
      }
      const { code, stdout } = await world.sync(['seed', ...WEEK, '--remove', '--json']);
      expect(code).toBe(0);
      expect(held()).toEqual(
        DATES.map((date) =>
          date === '2026-05-12'
            ? ['Own banana']
            : date === '2026-05-13' && revision === '2026-08'
              ? ['Typed soup']
              : [],
        ),
      );
      // The service deletes neither of these.
      const { recordings, wellness, profile } = contentsOf(world);
      expect({ recordings, wellness, profile }).toEqual({
        recordings: seeded.recordings,
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
        from: '2026-05-11',
        until: '2026-05-17',
        removed: 7,
        left: { recording: recordings.length, wellness: 7 },
      });

      world.sandbox.control.clearRequests();
      const second = await world.sync(['seed', ...WEEK, '--remove']);
      expect(second.code).toBe(0);
      expect(second.stdout).toContain('nothing that this seed sent is recorded on this machine');
      expect(requestLines(world.sandbox)).toEqual([]);

      const again = await world.sync(['seed', ...WEEK, '--json']);
      expect(again.code).toBe(0);
      expect(ndjson(again.stdout).at(-1)).toMatchObject({
        duplicate: recordings.length,
        pushed: 14,
      });
      expect(seededFoods()).toEqual(foods);
      expect(contentsOf(world)).toMatchObject({ recordings, wellness });
    },
  );
});

describe('sync seed --remove', () => {
  it('leaves what another seed sent', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...WEEK]);
    const before = contentsOf(world);
    world.sandbox.control.clearRequests();
    const { code, stdout } = await world.sync(['seed', ...WEEK, '--seed', '8', '--remove']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/nothing that this seed sent/);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(contentsOf(world)).toEqual(before);
  });

  it('says for people what stays and where to delete it', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...WEEK]);
    const { recordings } = contentsOf(world);
    const { stdout } = await world.sync(['seed', ...WEEK, '--remove']);
    expect(stdout.match(/ {2}stays$/gm)).toHaveLength(recordings.length);
    expect(stdout).toContain(
      `2026-05-11 to 2026-05-17: nutrition of 7 days removed. ${recordings.length} recordings and wellness of 7 days stay: ` +
        'the service offers no way to delete them. Delete them in the platform. Weight and FTP stay as they are: ' +
        '`sync profile --weight KG --ftp WATTS` sets others.',
    );
  });

  it('shows the requests with --dry-run, and changes nothing', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...WEEK]);
    const before = contentsOf(world);
    world.sandbox.control.clearRequests();
    const { code, stdout } = await world.sync(['seed', ...WEEK, '--remove', '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(ndjson(stdout).at(-1)).toMatchObject({ removed: 0, 'would-push': 7 });
    expect(ndjson(stdout).filter(({ outcome }) => outcome === 'would-push')).toHaveLength(7);
    // The ledger still knows all of it.
    expect((await world.sync(['seed', ...WEEK])).stdout).toMatch(
      /; \d+ uploaded before, \d+ unchanged\.$/m,
    );
    expect(contentsOf(world)).toEqual(before);
  });

  it('works on another machine after a seed from there', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['seed', ...WEEK]);
    const { access_token } = world.sandbox.control.mint();
    const env = { SYNC_BASE_URL: world.sandbox.url, SYNC_ACCESS_TOKEN: access_token };
    const other = worldOf(world.sandbox, openHome(env));
    const first = await other.sync(['seed', ...WEEK, '--remove']);
    expect(first.stdout).toContain('run `sync seed` with the same arguments first');
    expect(foodsHeld(world.sandbox, '2026-05-12').length).toBeGreaterThan(0);
    await other.sync(['seed', ...WEEK]);
    const { code, stdout } = await other.sync(['seed', ...WEEK, '--remove', '--json']);
    expect(code).toBe(0);
    expect(ndjson(stdout).at(-1)).toMatchObject({ removed: 7 });
    expect(DATES.flatMap((date) => foodsHeld(world.sandbox, date))).toEqual([]);
    expect(heldBy(world).wellness).toHaveLength(7);
  });

  it('refuses a real account', async () => {
    const home = openHome({
      SYNC_BASE_URL: 'https://training.example.com',
      SYNC_ACCESS_TOKEN: 'some-token',
    });
    const { code, stderr } = await runInProcess(['seed', '--days', '2', '--remove'], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('sync config set testAccount true');
  });

  it.each([['--force'], ['--out', 'life']])('cannot be combined with %s', async (...more) => {
    const world = await openLoggedInWorld();
    const { code, stderr } = await world.sync(['seed', '--remove', ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain(more[0]);
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});
