import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type World,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  openTerminal,
  openWorld,
  requestLines,
  sendingLines,
  terminals,
} from '../support/acceptance.ts';
import { profileOf } from '../../src/seed/synthesize.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';

const DAYS = ['--days', '3', '--until', '2026-05-17'];
const DAY = ['--days', '1', '--until', '2026-05-17'];

/** How much each of the three athletes has: recordings, days of wellness, days of nutrition. */
const counts = (world: World) =>
  world.sandbox.control
    .state()
    .athletes.map(({ recordings, wellness, nutrition }) => [
      recordings.length,
      wellness.length,
      nutrition.length,
    ]);

/** Writes a list of accounts. @returns its path */
const writeAccounts = (world: World, accounts: readonly unknown[]) =>
  // As PowerShell writes it.
  world.write('accounts.json', `\ufeff${JSON.stringify(accounts)}`);

const hashes = (world: World, athlete: string) =>
  world.sandbox.control
    .state(athlete)
    .athletes[0]?.recordings.map((recording) => recording.sha256)
    .sort();

describe('sync seed --accounts', () => {
  it('gives each account its own data, by tokens in variables or a stored login', async () => {
    const world = await openWorld();
    const ada = world.sandbox.control.mint({ athlete: 'athlete-1' });
    const ben = world.sandbox.control.mint({ athlete: 'athlete-2' });
    const input = JSON.stringify(world.sandbox.control.mint({ athlete: 'athlete-3' }));
    await world.sync(['login', '--with-token', '--profile', 'meera'], { input });
    world.sandbox.control.clearRequests();
    const file = writeAccounts(world, [
      { name: 'ada', accessTokenEnv: 'ADA_TOKEN', seed: 1 },
      { name: 'ben', accessTokenEnv: 'BEN_TOKEN', seed: 2, days: 2 },
      'meera',
    ]);
    const env = { ADA_TOKEN: ada.access_token, BEN_TOKEN: ben.access_token };
    const run = () => world.sync(['seed', ...DAYS, '--accounts', file, '--json'], { env });
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(counts(world).map(([, wellness, nutrition]) => [wellness, nutrition])).toEqual([
      [3, 3],
      [2, 2],
      [3, 3],
    ]);
    for (const [index, seed] of [1, 2, 1].entries()) {
      const wanted = profileOf({ seed, until: '2026-05-17' });
      const { profile } = world.sandbox.control.state().athletes[index] ?? {};
      expect(profile?.ftp).toBe(wanted.ftp);
      expect(profile?.weight).toBeCloseTo(wanted.weight, 1);
    }
    // Seed 1 is the default of the flag; seed 2 is another athlete.
    expect(hashes(world, 'athlete-3')).toEqual(hashes(world, 'athlete-1'));
    const first = hashes(world, 'athlete-1') ?? [];
    expect(hashes(world, 'athlete-2')?.filter((hash) => first.includes(hash))).toEqual([]);

    const lines = ndjson(stdout);
    const summaries = lines.filter(({ type }) => type === 'summary');
    const [rides, bensRides] = counts(world).map(([recordings]) => recordings);
    const sums = summaries.slice(0, -1).map(({ account, from, uploaded, pushed }) => {
      return [account, from, uploaded, pushed];
    });
    expect(sums.sort()).toEqual([
      ['ada', '2026-05-15', rides, 6],
      ['ben', '2026-05-16', bensRides, 4],
      ['meera', '2026-05-15', rides, 6],
    ]);
    expect(summaries.at(-1)).toEqual({ type: 'summary', accounts: 3, complete: 3, incomplete: 0 });
    expect(summaries.at(-1)).toEqual(lines.at(-1));
    // Every line names its account.
    const owners = new Set(lines.slice(0, -1).map(({ account }) => account));
    expect([...owners].sort()).toEqual(['ada', 'ben', 'meera']);

    world.sandbox.control.clearRequests();
    expect((await run()).code).toBe(0);
    // The first run asked for the athletes of the tokens.
    expect(sendingLines(world.sandbox)).toEqual(Array<string>(3).fill('profile 200'));
  });

  it('fills the other accounts if one fails', async () => {
    const world = await openWorld();
    const { access_token } = world.sandbox.control.mint({ athlete: 'athlete-2' });
    const file = writeAccounts(world, [
      { name: 'expired', accessTokenEnv: 'OLD_TOKEN' },
      'nobody',
      { name: 'unset', accessTokenEnv: 'UNSET' },
      { name: 'ben', accessTokenEnv: 'BEN_TOKEN' },
    ]);
    const env = { OLD_TOKEN: 'sbx_at_long_gone', BEN_TOKEN: access_token };
    const json = await world.sync(['seed', ...DAYS, '--accounts', file, '--json'], { env });
    expect(json.code).toBe(4);
    expect(counts(world).map(([, wellness]) => wellness)).toEqual([0, 3, 0]);
    const lines = ndjson(json.stdout);
    expect(
      lines.find(({ type, account }) => type === 'error' && account === 'expired'),
    ).toMatchObject({ code: 'AUTH_EXPIRED' });
    expect(lines.find(({ account }) => account === 'unset')).toMatchObject({
      type: 'error',
      code: 'AUTH_REQUIRED',
      message: 'The variable UNSET is not set.',
    });
    const nobody = lines.filter(({ account }) => account === 'nobody');
    expect(nobody.some(({ code }) => code === 'AUTH_REQUIRED')).toBe(true);
    expect(lines.at(-1)).toEqual({ type: 'summary', accounts: 4, complete: 1, incomplete: 3 });
    const { stdout, stderr } = await world.sync(['seed', ...DAYS, '--accounts', file], { env });
    expect(stdout).toContain('1 of 4 accounts complete.');
    expect(stderr).toMatch(/^expired: Error: .*\(OLD_TOKEN\)/m);
    // The problem of an account is reported once, not for each recording and day.
    expect(stdout.match(/^nobody: .*Not logged in/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^nobody: 1 profile, \d+ recordings and 6 days were not sent: /m);
    expect(stdout).toMatch(
      /^nobody: 2026-05-15 to 2026-05-17: \d+ recordings, 6 records; \d+ not sent\.$/m,
    );
    expect(stdout).toMatch(/^ben: 2026-05-15 to 2026-05-17/m);
  });

  it('knows an account by its name in a dry run with another token, if the platform names no athlete', async () => {
    const world = await openWorld();
    world.sandbox.control.addFaults('userinfo:404*inf');
    const file = writeAccounts(world, [{ name: 'ada', accessTokenEnv: 'ADA_TOKEN' }]);
    const run = async (...args: readonly string[]) => {
      const env = { ADA_TOKEN: world.sandbox.control.mint().access_token };
      const given = ['seed', ...DAYS, '--accounts', file, '--json', ...args];
      return (await world.sync(given, { env })).stdout;
    };
    expect(await run()).toContain('"pushed"');
    const dry = await run('--dry-run');
    expect(dry).toContain('"skipped"');
    expect(dry).not.toMatch(/"would-(?:upload|push)"/);
  });

  it('removes the seed of each account with --remove', async () => {
    const world = await openWorld();
    const [ada, ben] = ['athlete-1', 'athlete-2'].map(
      (athlete) => world.sandbox.control.mint({ athlete }).access_token,
    );
    const file = writeAccounts(world, [
      { name: 'ada', accessTokenEnv: 'ADA_TOKEN', seed: 1 },
      { name: 'ben', accessTokenEnv: 'BEN_TOKEN', seed: 2, days: 2 },
    ]);
    const env = { ADA_TOKEN: ada, BEN_TOKEN: ben };
    const run = (...more: string[]) =>
      world.sync(['seed', ...DAYS, '--accounts', file, ...more], { env });
    await run();
    const { code, stdout } = await run('--remove');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ada: .* to 2026-05-17: \d recordings removed, nutrition of 3 days removed\. /m,
    );
    expect(stdout).toMatch(
      /^ben: .* to 2026-05-17: \d recordings removed, nutrition of 2 days removed\. /m,
    );
    expect(counts(world).map(([recordings]) => recordings)).toEqual([0, 0, 0]);
    expect(stdout).toContain('2 of 2 accounts complete.');
    for (const athlete of ['athlete-1', 'athlete-2']) {
      expect(
        world.sandbox.control
          .state(athlete)
          .athletes[0]?.nutrition.flatMap(({ date }) => foodsHeld(world.sandbox, date, athlete)),
      ).toEqual([]);
    }
  });

  it('requires the mark of a test account in the profile of each account', async () => {
    const home = openHome({ SYNC_BASE_URL: 'https://nowhere.invalid', A_TOKEN: 'a' });
    const run = (...args: string[]) => runInProcess(args, { home });
    await run('config', 'set', 'testAccount', 'true', '--profile', 'marked');
    const file = join(home.dir, 'accounts.json');
    writeFileSync(
      file,
      JSON.stringify([
        { name: 'real', accessTokenEnv: 'A_TOKEN' },
        { name: 'test', profile: 'marked', accessTokenEnv: 'A_TOKEN' },
      ]),
    );
    const { code, stdout } = await run('seed', '--days', '2', '--accounts', file, '--json');
    // The marked one reaches the network, where no service is.
    expect(code).toBe(2);
    const errors = ndjson(stdout).filter(({ type }) => type === 'error');
    const found = Object.fromEntries(
      errors.map((each): [string, unknown] => [String(each['account']), each['code']]),
    );
    expect(found).toEqual({ real: 'CONFIG', test: 'NETWORK' });
  });

  it.each([
    ['[]', 'is not a list of accounts'],
    ['[{"name": "ada"}]', '#/0: has no accessTokenEnv, no refreshTokenEnv and no profile'],
    [
      '["ada", {"name": "ben", "accessTokenEnv": "HOME", "sed": 1}]',
      '#/1: unknown field "sed"; an account has name, profile, accessTokenEnv, ' +
        'refreshTokenEnv, seed, days.',
    ],
    [
      '[{"name": "ada", "accessTokenEnv": "HOME", "days": -3}]',
      '#/0: days is not a whole number from 1 to 3660.',
    ],
    ['[{"accessTokenEnv": "HOME"}]', '#/0: has no name'],
    ['["ada", "ada"]', '"ada" is there twice'],
    ['[{"name": "ada", "accessTokenEnv": "HOME", "seed": -1}]', '#/0: seed is not a whole number'],
    ['[{"name": "ada", ', 'accounts.json'],
  ])('refuses %s before anything is sent', async (text, words) => {
    const home = openHome();
    const file = join(home.dir, 'accounts.json');
    writeFileSync(file, text);
    const run = await runInProcess(['seed', ...DAYS, '--accounts', file], { home });
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining(words)]);
  });
});

describe('sync seed in scripts', () => {
  it('gives no warning if the platform keeps the refresh token', async () => {
    const world = await openWorld();
    const env = { SYNC_REFRESH_TOKEN: world.sandbox.control.mint().refresh_token };
    const runs = [
      await world.sync(['seed', ...DAY], { env }),
      await world.sync(['seed', ...DAY, '--force'], { env }),
    ];
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
  });

  it('names the account of a lost rotated token', async () => {
    const world = await openWorld({ sandbox: { settings: { refreshToken: 'rotate' } } });
    const { refresh_token } = world.sandbox.control.mint({ athlete: 'athlete-2' });
    const file = writeAccounts(world, [{ name: 'ben', refreshTokenEnv: 'BEN_REFRESH' }]);
    const { code, stdout, stderr } = await world.sync(['seed', ...DAY, '--accounts', file], {
      env: { BEN_REFRESH: refresh_token },
    });
    expect(code).toBe(0);
    expect(counts(world)[1]?.slice(1)).toEqual([1, 1]);
    expect(stderr).toMatch(/^ben: .*BEN_REFRESH no longer works after this run/m);
    // The message names the variable of the account.
    expect(stderr).not.toContain('SYNC_REFRESH_TOKEN');
    expect(stdout + stderr).not.toMatch(/sbx_(rt|at)_/);
  });

  it('exits 4 without a question if there is neither a login nor a terminal', async () => {
    const world = await openWorld();
    const { code, stdout, stderr } = await world.sync(['seed', ...DAY]);
    expect([code, stdout]).toEqual([4, /sync login/]);
    expect(stderr).not.toContain('?');
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it.skipIf(!terminals.present)(`asks nothing in a terminal${terminals.note}`, async () => {
    const terminal = openTerminal(await openLoggedInWorld(), ['seed', ...DAY]);
    expect((await terminal.finished).code).toBe(0);
    expect(terminal.screen()).toContain('2026-05-17');
    expect(terminal.screen()).not.toMatch(/\? /);
  });
});
