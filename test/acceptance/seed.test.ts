import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type World,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  openTerminal,
  requestLines,
  sendingLines,
  sha256,
  terminals,
  KINDS,
  play,
} from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, contentsOf, heldBy } from '../support/seeded.ts';

const DAYS = ['--days', '4', '--until', '2026-05-17', '--seed', '22'];

/** The requests of a kind that brought something: a day without items is a question. */
const bringing = (world: World, route: 'wellness' | 'nutrition') =>
  world.sandbox.control
    .requests({ route })
    .map(({ body }) => body as { date: string; items?: readonly unknown[] })
    .filter(({ items }) => items?.length !== 0);

describe.each(KINDS)('sync seed on %s', (platform) => {
  play(platform);

  it('fills an account', async () => {
    const world = await openLoggedInWorld({ login: USUAL_SCOPES });
    const lines = await world.lines(['seed', ...DAYS]);
    const { recordings, wellness, nutrition } = heldBy(world);
    expect([wellness.length, nutrition.length]).toEqual([4, 4]);
    expect(recordings.length).toBeGreaterThanOrEqual(2);
    expect(lines.at(-1)).toEqual({
      type: 'summary',
      from: '2026-05-14',
      until: '2026-05-17',
      recordings: recordings.length,
      records: 8,
      uploaded: recordings.length,
      pushed: 8,
    });
    expect(world.sandbox.control.requests({ route: 'upload-fit' })).toHaveLength(recordings.length);
    expect(bringing(world, 'wellness')).toHaveLength(4);
    // Each item is held once, whether the service appends or replaces.
    const sent = new Map(
      bringing(world, 'nutrition').map(({ date, items }) => [date, items?.length]),
    );
    const held = nutrition.map(
      ({ date }) => [date, foodsHeld(world.sandbox, date).length] as const,
    );
    expect(new Map(held)).toEqual(sent);
    // Marked as synthetic, at the service too.
    for (const { metadata } of recordings) expect(metadata).toMatchObject({ synthetic: true });
  });

  it('continues an interrupted run', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('upload-fit:422+1', 'wellness:503(retry-after=0)*4');
    const lines = await world.lines(['seed', ...DAYS, '--jobs', '1'], { code: 5 });
    expect(lines.at(-1)).toMatchObject({ rejected: 1, failed: 1, pushed: 7 });
    world.sandbox.control.clearRequests();
    expect((await world.sync(['seed', ...DAYS, '--json'])).code).toBe(0);
    const profile = platform === 'coach-watts' ? 'profile 200' : 'profile 404';
    expect(sendingLines(world.sandbox)).toEqual([profile, 'upload-fit 200', 'wellness 200']);
    expect(heldBy(world).wellness).toHaveLength(4);
  });
});

it('sync seed writes files with --out that sync upload and sync push accept, and skip after a seed', async () => {
  // Files need neither a login nor an address.
  const home = openHome();
  const out = await runInProcess(['seed', ...DAYS, '--out', 'life', '--json'], { home });
  expect(out.code).toBe(0);
  const files = readdirSync(join(home.dir, 'life')).sort();
  const fits = files.filter((name) => name.endsWith('.fit'));
  expect(ndjson(out.stdout)).toEqual([
    { type: 'files', dir: 'life', recordings: fits.length, days: 4 },
  ]);
  expect(files).toEqual([...fits, 'nutrition.json', 'wellness.json']);

  const world = await openLoggedInWorld();
  await world.sync(['seed', ...DAYS]);
  expect(fits.map((name) => sha256(readFileSync(join(home.dir, 'life', name)))).sort()).toEqual(
    contentsOf(world).recordings,
  );
  world.sandbox.control.clearRequests();
  const folder = join(home.dir, 'life');
  for (const args of [
    ['upload', folder],
    ['push', 'wellness', join(folder, 'wellness.json')],
    ['push', 'nutrition', join(folder, 'nutrition.json')],
  ]) {
    const items = (await world.lines(args)).slice(0, -1);
    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  }
  expect(sendingLines(world.sandbox)).toEqual([]);
  // In the other order: the files first.
  const fresh = await openLoggedInWorld();
  await fresh.sync(['upload', folder]);
  await fresh.sync(['push', 'wellness', join(folder, 'wellness.json')]);
  await fresh.sync(['push', 'nutrition', join(folder, 'nutrition.json')]);
  // Files set no weight and no FTP.
  expect({ ...contentsOf(fresh), profile: {} }).toEqual({ ...contentsOf(world), profile: {} });
});

it.each([
  ['--days', '0'],
  ['--days', '10000'],
  ['--seed', '-1'],
  ['--until', '2026-02-30'],
  // No record is in the future.
  ['--until', '2099-05-17'],
  ['--tz', 'Europe/Atlantis'],
])('sync seed refuses %s %s', async (flag, value) => {
  const world = await openLoggedInWorld();
  const { code, stderr } = await world.sync(['seed', flag, value]);
  expect(code).toBe(2);
  expect(stderr).toContain(value.replace('10000', '3660'));
  expect(requestLines(world.sandbox)).toEqual([]);
});

describe('sync seed and real accounts', () => {
  /** Nothing listens there, and nothing may be asked for there. */
  const REAL = { SYNC_BASE_URL: 'https://training.example.com', SYNC_ACCESS_TOKEN: 'some-token' };

  it('refuses a service on another machine, and explains how to mark a test account', async () => {
    const home = openHome(REAL);
    const { code, stderr } = await runInProcess(['seed', '--days', '2'], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('training.example.com');
    expect(stderr).toContain('sync config set testAccount true');
    const named = await runInProcess(['seed', '--days', '2', '--profile', 'ada', '--json'], {
      home,
    });
    expect(named.code).toBe(2);
    expect(ndjson(named.stdout)).toEqual([
      {
        type: 'error',
        code: 'CONFIG',
        message: /training\.example\.com/,
        hint: /sync config set testAccount true --profile ada/,
        profile: 'ada',
      },
    ]);
  });

  it('needs neither a mark nor a login for --dry-run and --out', async () => {
    const home = openHome({ SYNC_BASE_URL: REAL.SYNC_BASE_URL });
    expect((await runInProcess(['seed', '--days', '2', '--out', 'life'], { home })).code).toBe(0);
    const dry = await runInProcess(['seed', ...DAYS, '--dry-run', '--json'], { home });
    expect(dry.code).toBe(0);
    const lines = ndjson(dry.stdout);
    expect(new Set(lines.slice(0, -1).map(({ outcome }) => outcome))).toEqual(
      new Set(['would-update', 'would-upload', 'would-push']),
    );
    expect(lines.at(-1)).toMatchObject({ 'would-push': 8, records: 8 });
    expect((await runInProcess(['seed', ...DAYS, '--dry-run'], { home })).stdout).toMatch(
      /^2026-05-14 to 2026-05-17: \d+ recordings, 8 records; \d+ would be uploaded, 8 would be sent\.$/m,
    );
  });

  it('shows the exact requests with --dry-run', async () => {
    const world = await openLoggedInWorld({ login: USUAL_SCOPES });
    const lines = await world.lines(['seed', ...DAYS, '--dry-run']);
    expect(requestLines(world.sandbox)).toEqual([]);
    const announced = lines.slice(0, -1);
    await world.sync(['seed', ...DAYS]);
    const bodies = (kind: string) =>
      announced
        .filter((item) => item['type'] === kind && item['request'] !== undefined)
        .map((item) => (item['request'] as { body: { date: string } }).body);
    const byDate = (one: { date: string }, other: { date: string }) =>
      one.date < other.date ? -1 : 1;
    for (const kind of ['wellness', 'nutrition'] as const) {
      expect(bodies(kind).sort(byDate)).toEqual(bringing(world, kind).sort(byDate));
    }
    const hashes = announced.filter(({ type }) => type === 'upload').map((item) => item['sha256']);
    expect(hashes.sort()).toEqual(contentsOf(world).recordings);
  });

  it('accepts a marked profile only', async () => {
    // Plain http to other machines is refused anyway, so the address is https and unreachable: the
    // run must get to the connection.
    const home = openHome({ ...REAL, SYNC_BASE_URL: 'https://127.0.0.1.nip.invalid' });
    const mark = ['config', 'set', 'testAccount', 'true', '--profile', 'ci'];
    expect((await runInProcess(mark, { home })).code).toBe(0);
    expect((await runInProcess(['seed', '--days', '2', '--profile', 'ci'], { home })).code).toBe(5);
    expect((await runInProcess(['seed', '--days', '2'], { home })).code).toBe(2);
  });

  it('refuses an address that only looks like this machine', async () => {
    for (const host of ['127.0.0.1.example.com', 'localhost.example.com']) {
      const home = openHome({ ...REAL, SYNC_BASE_URL: `https://${host}` });
      expect((await runInProcess(['seed', '--days', '2'], { home })).code).toBe(2);
    }
  });
});

it.skipIf(!terminals.present)(`sync seed of 20 days shows progress${terminals.note}`, async () => {
  const world = await openLoggedInWorld();
  const terminal = openTerminal(world, ['seed', '--days', '20', '--until', '2026-05-17']);
  const [, early] = await terminal.waitFor(/(\d+) of 20 .*2026-0[45]-\d\d/);
  const [, late] = await terminal.waitFor(/(1\d) of 20 .*2026-05-\d\d/);
  expect(Number(early)).toBeLessThan(Number(late));
  await terminal.waitFor(/2026-04-28 to 2026-05-17: \d+ recordings, 40 records/);
  expect((await terminal.finished).code).toBe(0);
  const plain = await world.sync(['seed', '--days', '2', '--until', '2026-04-30']);
  expect(plain.stdout + plain.stderr).not.toMatch(/\d+ of 2/);
});
