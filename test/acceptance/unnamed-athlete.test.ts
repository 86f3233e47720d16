import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZE_URL,
  type World,
  foodsHeld,
  openLoggedInWorld,
  openTerminal,
  openWorld,
  requestLines,
  sendingLines,
  terminals,
} from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';
import { readHealth } from '../daemon/support.ts';

/*
 * An interface platform has no userinfo. The sandbox knows which athlete a token belongs to; the program does not.
 */

const DATE = '2026-05-10';
const ADA = { athlete: 'athlete-1' };
const BEN = { athlete: 'athlete-2' };

const day = (...names: string[]) =>
  JSON.stringify({
    date: DATE,
    items: names.map((name) => ({ name, carbs: 25, logged_at: `${DATE}T08:00:00+02:00` })),
  });

/** Pushes a file of meals. @returns the exit code, and the outcome of the day */
async function push(world: World, file: string, { env = {}, flags = [] as string[] } = {}) {
  const run = await world.sync(['push', 'nutrition', file, '--json', ...flags], {
    env,
    clock: hastyClock,
  });
  const [first = {}] = ndjson(run.stdout);
  return { code: run.code, outcome: first['outcome'], hint: first['hint'] };
}

const names = ({ sandbox }: World, { athlete }: { readonly athlete: string }) =>
  foodsHeld(sandbox, DATE, athlete).map(({ name }) => name);

describe('tokens of the environment, at a platform that names no athlete', () => {
  const open = async () => {
    const world = await openWorld({ platform: 'interface' });
    const token = (athlete: { readonly athlete: string }, more = {}) => ({
      env: { SYNC_ACCESS_TOKEN: world.sandbox.control.mint(athlete).access_token, ...more },
    });
    const a = world.write('a.json', day('Gel', 'Oats'));
    const b = world.write('b.json', day('Bar'));
    return { world, token, a, b };
  };

  it('a day of another token is replaced only with --replace-day', async () => {
    const { world, token, a, b } = await open();
    const [first, second] = [token(ADA), token(ADA)];
    expect((await push(world, a, first)).code).toBe(0);
    const refused = await push(world, b, second);
    expect(refused).toMatchObject({ code: 6, outcome: 'conflict' });
    expect(refused.hint).toContain('--replace-day');
    expect(names(world, ADA)).toEqual(['Gel', 'Oats']);
    expect((await push(world, b, { ...second, flags: ['--replace-day'] })).code).toBe(0);
    expect(names(world, ADA)).toEqual(['Bar']);
    // The ledger of the first token no longer says that its items are there.
    expect((await push(world, a, first)).code).toBe(6);
    expect(names(world, ADA)).toEqual(['Bar']);
  });

  it('SYNC_ACCOUNT makes tokens those of one athlete, with what the first one sent before', async () => {
    const { world, token, a, b } = await open();
    const SYNC_ACCOUNT = 'ada';
    const first = token(ADA);
    expect((await push(world, a, first)).code).toBe(0);
    const named = { env: { ...first.env, SYNC_ACCOUNT } };
    expect(await push(world, a, named)).toMatchObject({ code: 0, outcome: 'skipped' });
    expect((await push(world, b, token(ADA, { SYNC_ACCOUNT }))).code).toBe(0);
    expect(names(world, ADA)).toEqual(['Gel', 'Oats', 'Bar']);
    // Another name is another athlete's ledger.
    const other = token(BEN, { SYNC_ACCOUNT: 'ben' });
    expect(await push(world, a, other)).toMatchObject({ code: 0, outcome: 'pushed' });
    const [status] = await world.lines(['status'], { env: named.env });
    expect(status).toMatchObject({ account: { id: 'ada' } });
  });

  it('SYNC_ACCOUNT of another name than the platform says is exit code 2, and sends nothing', async () => {
    const world = await openWorld({ platform: 'coach-watts' });
    const file = world.write('a.json', day('Gel'));
    const { access_token } = world.sandbox.control.mint(ADA);
    const as = (SYNC_ACCOUNT: string) => ({
      env: { SYNC_ACCESS_TOKEN: access_token, SYNC_ACCOUNT },
    });
    for (const name of ['ben', 'two\nlines']) {
      expect((await push(world, file, as(name))).code).toBe(2);
    }
    expect(sendingLines(world.sandbox)).toEqual([]);
    expect((await push(world, file, as('athlete-1'))).code).toBe(0);
    // Also where the ledger knows whose token it is.
    expect((await push(world, file, as('ben'))).code).toBe(2);
  });

  it('the name of an account of `seed --accounts` keeps its ledger when its token changes', async () => {
    const { world, token } = await open();
    const file = world.write(
      'accounts.json',
      JSON.stringify([{ name: 'ada', accessTokenEnv: 'ADA_TOKEN' }]),
    );
    const run = async () => {
      const ADA_TOKEN = token(ADA).env.SYNC_ACCESS_TOKEN;
      const args = ['seed', '--days', '1', '--until', DATE, '--accounts', file];
      return await world.sync(args, { env: { ADA_TOKEN } });
    };
    expect((await run()).code).toBe(0);
    world.sandbox.control.clearRequests();
    expect((await run()).code).toBe(0);
    expect(requestLines(world.sandbox).filter((line) => line.startsWith('nutrition'))).toEqual([]);
  });
});

describe('a login over one whose athlete the platform did not name', () => {
  const open = async (settings = {}) => {
    const world = await openLoggedInWorld({ platform: 'interface', sandbox: { settings } });
    // A 500 does not show the kind.
    await world.sync(['config', 'set', 'platform.kind', 'interface']);
    const file = world.write('a.json', day('Gel'));
    expect((await push(world, file)).code).toBe(0);
    return { world, file };
  };
  const login = async (world: World, ...flags: string[]) => {
    const input = JSON.stringify(world.sandbox.control.mint(ADA));
    return await world.sync(['login', '--with-token', ...flags], { input, clock: hastyClock });
  };

  it('counts as the same athlete without a terminal, and says so', async () => {
    const { world, file } = await open();
    const { code, stderr } = await login(world);
    expect(code).toBe(0);
    expect(stderr).toContain('counts as the same athlete as before');
    expect(stderr).toContain('sync login --profile NAME');
    expect(await push(world, file)).toMatchObject({ code: 0, outcome: 'skipped' });
  });

  it.each([404, 403, 500])(
    'needs --same-athlete or another profile after a logout, if routes beyond the interface answer %i',
    async (unknownRoutes) => {
      const { world, file } = await open({ unknownRoutes });
      await world.sync(['logout']);
      world.sandbox.control.clearRequests();
      const { code, stderr } = await login(world);
      expect(code).toBe(2);
      expect(stderr).toContain('--same-athlete');
      expect(stderr).toContain('--profile NAME');
      expect(requestLines(world.sandbox)).toEqual([]);
      expect((await login(world, '--same-athlete')).code).toBe(0);
      expect(await push(world, file)).toMatchObject({ code: 0, outcome: 'skipped' });
      expect((await login(world, '--profile', 'ben')).code).toBe(0);
    },
  );

  it('is there for every command, and known after a logout', async () => {
    const { world } = await open();
    const ride = world.write('ride.fit', makeRecording());
    world.sandbox.control.addFaults('upload-fit:400*inf');
    await world.sync(['upload', ride]);
    const explained = async () => (await world.sync(['explain', ride])).stdout;
    expect(await explained()).not.toContain('no login');
    await world.sync(['logout']);
    expect(await explained()).toContain('refused');
  });

  it.skipIf(!terminals.present)(
    `begins a ledger of its own if the athlete is another one, and stops the watcher${terminals.note}`,
    async () => {
      const { world, file } = await open();
      mkdirSync(join(world.home.dir, 'empty'));
      // Ada's recording waits in the stash.
      world.sandbox.control.addFaults('upload-fit:503*inf');
      world.write('rides/ada.fit', makeRecording());
      const health = () => readHealth(join(world.home.dir, 'state'), Date.now())[0];
      const watcher = await world.startHere(['watch', 'rides', '--json']);
      await watcher.waitFor(/"event":"kept"/);
      world.sandbox.control.settings({ autoApproveAthlete: BEN.athlete });
      const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
      await terminal.waitFor(/Is this the same athlete as before/);
      // The question comes before the address to open.
      expect(terminal.screen()).not.toContain('/api/oauth/authorize');
      terminal.type('n\r');
      const [url] = await terminal.waitFor(AUTHORIZE_URL);
      await terminal.waitFor(/Address of the last page/);
      const callback = await fetch(url, { redirect: 'manual' });
      await fetch(callback.headers.get('location') ?? '');
      expect((await terminal.finished).code).toBe(0);
      await watcher.waitFor(/Another athlete logged in/);
      // The platform may still read the last request with the recording.
      await until(() => health()?.login.state === 'needed' && health()?.queue.sending === 0);
      world.sandbox.control.clearFaults();
      expect(await push(world, file)).toMatchObject({ code: 0, outcome: 'pushed' });
      expect(names(world, BEN)).toEqual(['Gel']);
      watcher.interrupt();
      await watcher.finished;
      expect((await world.sync(['watch', '--once', 'empty'])).code).toBe(0);
      const { athletes } = world.sandbox.control.state();
      expect(athletes.map(({ recordings }) => recordings.length)).toEqual([0, 0, 0]);
    },
  );
});
