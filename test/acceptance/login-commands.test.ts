import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { platformNamed } from '../../src/config/platforms.ts';
import { type World, openWorld, requestCounts, requestLines } from '../support/acceptance.ts';
import { startPlainPlatform } from '../support/plain-platform.ts';
import { ndjson } from '../support/program.ts';

/** Returns the address that the browser ends at. */
async function approve(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}

async function start(world: World, ...args: string[]) {
  const [line = {}] = await world.lines(['login', '--start', ...args]);
  return { ...line, last: await approve(String(line['authorizeUrl'])) };
}

const finish = (world: World, input: string, env = {}) =>
  world.sync(['login', '--finish'], { input: `${input}\n`, env });

const pendingFile = ({ home }: World) => join(home.dir, 'state', 'logins', 'pending-default.json');

/** Lets the platform `sandbox` be at this address: another program may have its port. */
function moveSandbox(baseUrl: string): void {
  const platform = platformNamed('sandbox');
  if (platform === undefined) throw new Error('no platform of that name');
  const before = platform.baseUrl;
  Object.assign(platform, { baseUrl });
  onTestFinished(() => void Object.assign(platform, { baseUrl: before }));
}

it('a login asks without nutrition:read, if the sandbox does not know that scope', async () => {
  const env = { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined };
  const sandbox = { settings: { strict: true, exactRedirectUris: true } };
  const world = await openWorld({ env, platform: 'interface', sandbox });
  moveSandbox(world.sandbox.url);
  const { last } = await start(world, 'sandbox');
  const { code, stdout } = await finish(world, last);
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('nutrition:read')]);
  const scopes = world.sandbox.control
    .requests({ route: 'authorize' })
    .map(({ query }) => new URLSearchParams(query).get('scope')?.includes('nutrition:read'));
  expect(scopes).toEqual([true, false, false]);
  // Nor does a later command miss it.
  const [line] = await world.lines(['status', '--json']);
  expect(line).toMatchObject({ login: { state: 'logged-in', missing: [] } });
});

describe('a login in two commands', () => {
  it('shows the address, and completes with the last address of the browser on stdin', async () => {
    const world = await openWorld();
    const started = await start(world);
    expect(started).toMatchObject({ type: 'login-started', next: 'sync login --finish' });
    if (process.platform !== 'win32') expect(statSync(pendingFile(world)).mode & 0o777).toBe(0o600);
    const { code, stdout } = await finish(world, started.last);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Logged in as Ada Lindqvist')]);
    expect((await world.sync(['workouts'])).code).toBe(0);
    // A second time, it is over.
    expect((await finish(world, started.last)).code).toBe(4);
    expect(requestCounts(world.sandbox)).toMatchObject({ token: 1 });
  });

  it('refuses an answer to another login, and still takes the right one', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    world.sandbox.control.clearRequests();
    for (const wrong of ['', 'nonsense', `${last}x`, last.replace(/state=[^&]*/, 'state=other')]) {
      const { code, stderr } = await finish(world, wrong);
      expect([code, stderr]).toEqual([4, expect.stringContaining('sync login --start')]);
    }
    expect(requestLines(world.sandbox)).toEqual([]);
    expect((await finish(world, last)).code).toBe(0);
  });

  it('is over after a refusal, without a token request', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    const denied = new URL(last);
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');
    const { code, stderr } = await finish(world, denied.href);
    expect([code, stderr]).toEqual([4, expect.stringContaining('was not approved')]);
    expect(stderr).toContain('sync login --start');
    expect((await finish(world, last)).code).toBe(4);
    expect(requestCounts(world.sandbox)).not.toHaveProperty('token');
  });

  it('is over if the platform refuses the code, and names the command that starts another', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    world.sandbox.control.addFaults('exchange:400(error=invalid_grant)');
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([4, expect.stringContaining('Run `sync login --start`')]);
  });

  it('is over after an outage at the exchange of the code, and says so', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    world.sandbox.control.addFaults('exchange:503');
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([5, expect.stringContaining('sync login --start')]);
    expect(stderr).not.toContain('same command');
    const again = await finish(world, last);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('--finish ended it')]);
    expect(requestCounts(world.sandbox)).toMatchObject({ token: 1 });
  });

  it('still waits after too many requests, and completes then', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    world.sandbox.control.addFaults('exchange:429(retry-after=60)');
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([5, expect.stringContaining('run `sync login --finish` again')]);
    expect((await finish(world, last)).code).toBe(0);
    expect((await finish(world, last)).code).toBe(4);
  });

  it('still waits if the platform cannot be reached', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    const kept = readFileSync(pendingFile(world), 'utf8');
    await world.sandbox.close();
    for (let run = 1; run <= 2; run++) {
      const { code, stderr } = await finish(world, last);
      expect([code, stderr]).toEqual([5, expect.stringContaining('sync login --finish')]);
      expect(stderr).not.toContain('sync login --start');
    }
    expect(readFileSync(pendingFile(world), 'utf8')).toBe(kept);
    if (process.platform !== 'win32') expect(statSync(pendingFile(world)).mode & 0o777).toBe(0o600);
  });

  it('is over after 30 minutes', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    const pending = JSON.parse(readFileSync(pendingFile(world), 'utf8')) as object;
    writeFileSync(pendingFile(world), JSON.stringify({ ...pending, expiresAt: Date.now() - 1 }));
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([4, expect.stringContaining('more than 30 minutes ago')]);
    expect(requestCounts(world.sandbox)).not.toHaveProperty('token');
  });

  it.each(['{', '[]', '{"service":"http://127.0.0.1:9","expiresAt":9e15}'])(
    'counts as none if its file is damaged: %s',
    async (damaged) => {
      const world = await openWorld();
      const { last } = await start(world);
      writeFileSync(pendingFile(world), damaged);
      const { code, stderr } = await finish(world, last);
      expect([code, stderr]).toEqual([4, expect.stringContaining('waits to be finished')]);
    },
  );

  it('belongs to its profile, its platform and its client', async () => {
    const world = await openWorld();
    const { last } = await start(world);
    const other = await world.sync(['login', '--finish', '--profile', 'work'], { input: last });
    expect([other.code, other.stderr]).toEqual([
      4,
      expect.stringContaining('sync login --finish --profile default'),
    ]);
    for (const env of [{ SYNC_BASE_URL: 'http://127.0.0.1:9' }, { SYNC_CLIENT_ID: 'another' }]) {
      expect((await finish(world, last, env)).code).toBe(2);
    }
    const flags = await world.sync(['login', '--finish', '--store', 'keychain'], { input: last });
    expect(flags.code).toBe(2);
    expect((await finish(world, last)).code).toBe(0);
  });

  it('is named to another profile as it was typed', async () => {
    const world = await openWorld();
    const { last } = await start(world, '--profile', 'Coach');
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('sync login --finish --profile Coach'),
    ]);
  });

  it('registers a client with --register, which status and doctor then date', async () => {
    const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
    const { last } = await start(world, world.sandbox.url, '--register');
    expect((await finish(world, last)).code).toBe(0);
    const [status = {}] = await world.lines(['status']);
    const date = String(status['registeredOn']);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const args of [['status'], ['doctor']]) {
      expect((await world.sync(args)).stdout).toContain(`registered by sync on ${date}`);
    }
  });

  it('forgets a registered client that the platform no longer knows', async () => {
    const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
    const { last } = await start(world, world.sandbox.url, '--register');
    world.sandbox.control.settings({ registration: 'forgets' });
    const { code, stderr } = await finish(world, last);
    expect([code, stderr]).toEqual([4, expect.stringContaining('Run `sync login --start` again')]);
    world.sandbox.control.settings({ registration: 'on' });
    const again = await start(world, world.sandbox.url, '--register');
    expect((await finish(world, again.last)).code).toBe(0);
    expect(requestCounts(world.sandbox)).toMatchObject({ register: 2 });
  });

  it('keeps no client secret, and names the variable', async () => {
    const world = await openWorld({ env: { SYNC_CLIENT_ID: 'sandbox-confidential' } });
    const args = ['login', '--start', '--client-secret-stdin'];
    const { code, stderr } = await world.sync(args, { input: 'sandbox-secret' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('SYNC_CLIENT_SECRET')]);
    const env = { SYNC_CLIENT_SECRET: 'sandbox-secret' };
    const [line = {}] = await world.lines(['login', '--start'], { env });
    const last = await approve(String(line['authorizeUrl']));
    expect(readFileSync(pendingFile(world), 'utf8')).not.toContain('sandbox-secret');
    expect((await finish(world, last, env)).code).toBe(0);
    const [exchange] = world.sandbox.control.requests({ route: 'token' });
    expect(exchange?.body).toHaveProperty('client_secret');
  });

  it.each([
    ['--start', '--finish'],
    ['--start', '--with-token'],
    ['--finish', '--with-token'],
    ['--finish', '--register'],
    ['--finish', '--client-name', 'mine'],
    ['--finish', '--client-secret-stdin'],
    ['--finish', '--same-athlete'],
    ['--start', '--port', '0'],
  ])('refuses %s with %s', async (...flags) => {
    const world = await openWorld();
    expect((await world.sync(['login', ...flags])).code).toBe(2);
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

describe('settings that describe one platform', () => {
  const SET = {
    'platform.kind': 'coach-watts',
    testAccount: 'true',
    'endpoint.token': '/token',
    'endpoint.filePart': 'fit',
    notifications: 'off',
  };

  /** A profile that was logged in at another platform, with settings for that one. */
  async function openMoved() {
    const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
    const { url, control, clientId } = world.sandbox;
    const input = JSON.stringify(control.mint());
    await world.sync(['login', url, '--client-id', clientId, '--with-token'], { input });
    for (const [key, value] of Object.entries(SET)) await world.sync(['config', 'set', key, value]);
    await world.sync(['logout', '--local-only']);
    const platform = await startPlainPlatform();
    const kept = async () => {
      const lines = await world.lines(['config', 'list']);
      return lines.filter(({ key }) => String(key) in SET).map(({ value }) => value);
    };
    return { world, platform, kept, to: [platform.url, '--client-id', 'plain', '--same-athlete'] };
  }

  it.each(['--start', '--with-token'])(
    'end with a login %s at another address, and not before',
    async (how) => {
      const { world, platform, kept, to } = await openMoved();
      platform.answers.token = { status: 400, body: { error: 'invalid_grant' } };
      expect((await finish(world, (await start(world, ...to)).last)).code).toBe(4);
      const set = await kept();
      expect(set).toEqual(['coach-watts', 'true', 'off', '/token', 'fit']);
      delete platform.answers.token;
      const input = JSON.stringify(platform.mint('health:write'));
      const begun = await world.sync(['login', how, '--json', ...to], { input });
      expect(begun.stderr).toContain(
        'platform.kind, testAccount, endpoint.token, endpoint.filePart',
      );
      if (how === '--start') {
        const [line = {}] = ndjson(begun.stdout);
        const last = await approve(String(line['authorizeUrl']));
        expect((await finish(world, last)).stdout).toContain('platform.kind (removed)');
      }
      expect(await kept()).toEqual([null, 'false', 'off', '/api/oauth/token', 'file']);
    },
  );

  it('end with another baseUrl, and can then be set before the login', async () => {
    const { world, platform, kept } = await openMoved();
    const set = await world.sync(['config', 'set', 'baseUrl', platform.url]);
    expect(set.stderr).toContain('removed: platform.kind');
    expect(await kept()).toEqual([null, 'false', 'off', '/api/oauth/token', 'file']);
    await world.sync(['config', 'set', 'platform.kind', 'interface']);
    const input = JSON.stringify(platform.mint('health:write'));
    await world.sync(['login', '--client-id', 'plain', '--with-token'], { input });
    expect(await kept()).toContain('interface');
  });
});
