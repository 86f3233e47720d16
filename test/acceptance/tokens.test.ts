import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  openHome,
  openLoggedInWorld,
  openSandbox,
  openWorld,
  ownerOf,
  requestLines,
  tokenFile,
  worldOf,
} from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { openServer } from '../support/local-server.ts';

/** A service that limits refresh tokens, and says so (seconds). */
const MONTH = 30 * 24 * 3600;

it('sync status exits 4 without a login, and shows the next command', async () => {
  const world = await openWorld();
  const { code, stdout } = await world.sync(['status', '--json']);
  const login = {
    state: 'logged-out',
    code: 'AUTH_REQUIRED',
    message: 'Not logged in (profile "default").',
    hint: 'Run `sync login`. In CI, set SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN.',
  };
  expect([code, ndjson(stdout)]).toMatchObject([4, [{ type: 'status', login }]]);
  expect(requestLines(world.sandbox)).toEqual([]);
});

it('sync status --check names the variable to set if the tokens of the environment were refused, also a second time', async () => {
  const world = await openWorld();
  const env = { SYNC_REFRESH_TOKEN: 'no-such-token' };
  const hint =
    'Set a new SYNC_REFRESH_TOKEN, and as SYNC_CLIENT_ID the client that it was issued to.';
  for (const time of ['first', 'second']) {
    const { code, stdout } = await world.sync(['status', '--check', '--json'], { env });
    const login = { state: 'ended', message: /from the environment \(SYNC_REFRESH_TOKEN\)/, hint };
    expect([time, code, ndjson(stdout)]).toMatchObject([time, 4, [{ login }]]);
  }
});

it('sync status --check repeats why the platform names no athlete', async () => {
  const world = await openLoggedInWorld();
  world.sandbox.control.settings({ deactivated: ['athlete-1'] });
  const { code, stdout } = await world.sync(['status', '--check']);
  expect([code, stdout]).toEqual([5, /whose login this is \(403: Account deactivated\)\./]);
});

it('the token file is refused with mode 0644, with the command that fixes it, and nothing is sent', async () => {
  const world = await openLoggedInWorld();
  chmodSync(tokenFile(world), 0o644);
  const { code, stdout } = await world.sync(['token', '--json']);
  expect({ code, lines: ndjson(stdout) }).toEqual({
    code: 2,
    lines: [
      {
        type: 'error',
        code: 'CONFIG',
        message: `${tokenFile(world)} contains a login, and users other than its owner can open it (mode 0644).`,
        hint: `Run \`chmod 600 ${tokenFile(world)}\`. If others use this machine, run \`sync login\` as well.`,
        path: tokenFile(world),
      },
    ],
  });
  const ride = world.write('ride.fit', makeRecording());
  expect((await world.sync(['upload', ride])).code).toBe(2);
  expect(requestLines(world.sandbox)).toEqual([]);
  chmodSync(tokenFile(world), 0o600);
  expect((await world.sync(['upload', ride])).code).toBe(0);
});

describe('sync token', () => {
  it('prints the access token and nothing else', async () => {
    const world = await openLoggedInWorld();
    const { code, stdout, stderr } = await world.sync(['token']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\S+\n$/);
    expect(await ownerOf(world.sandbox, stdout.trim())).toBe('athlete-1');
  });

  it('prints nothing on stdout without a login, and exits 4', async () => {
    const world = await openWorld();
    const { code, stdout, stderr } = await world.sync(['token']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('sync login');
  });
});

describe('sync logout', () => {
  it('sends no request with --local-only, and reports that the tokens stay valid', async () => {
    const world = await openLoggedInWorld({ sandbox: { settings: { refreshTtl: MONTH } } });
    const { code, stdout } = await world.sync(['logout', '--local-only']);
    expect(code).toBe(0);
    expect(stdout).toContain('The refresh token was not revoked at the platform (--local-only).');
    expect(stdout).toContain('It works for 30 days more.');
    expect(existsSync(tokenFile(world))).toBe(false);
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(world.sandbox.control.state().athletes[0]?.logins).toMatchObject([{ revoked: false }]);
  });

  it('shows when the tokens expire at a service that cannot revoke', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('revoke:404*inf');
    const { code, stdout } = await world.sync(['logout']);
    expect(code).toBe(0);
    expect(stdout).toContain('The platform cannot revoke tokens; the refresh token expires later.');
    expect(existsSync(tokenFile(world))).toBe(false);
  });
});

it.each([
  'http://training.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com:8080',
  'http://192.168.1.10',
  'http://0.0.0.0',
])('plain http is refused with exit 2 for %s, in flag, variable and configuration', async (url) => {
  const world = worldOf(
    await openSandbox(),
    openHome({ SYNC_CLIENT_ID: 'any', SYNC_TOKEN_STORE: 'file', SYNC_ACCESS_TOKEN: 'secret' }),
  );
  const attempts = [
    await world.sync(['login', '--no-browser', '--base-url', url]),
    await world.sync(['token'], { env: { SYNC_BASE_URL: url } }),
    await world.sync(['config', 'set', 'baseUrl', url]),
  ];
  for (const { code, stderr } of attempts) {
    expect(code).toBe(2);
    expect(stderr).toContain(`"${url}" is plain http: a login needs https`);
  }
});

describe('a service that redirects to another origin', () => {
  /** Two origins: the first sends everything on to the second. */
  async function openTwoOrigins(status: number) {
    const reached: string[] = [];
    const elsewhere = await openServer(({ url = '' }, response) => {
      reached.push(url);
      response.end();
    });
    const asked: string[] = [];
    const first = await openServer(({ method = '', url = '' }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(status, { location: elsewhere.url + url }).end();
    });
    return { first: first.url, asked, reached };
  }

  it.each([301, 302, 307, 308])(
    'receives no bearer token, refresh token or client secret by %i',
    async (status) => {
      const { first, asked, reached } = await openTwoOrigins(status);
      const home = openHome({
        SYNC_BASE_URL: first,
        SYNC_CLIENT_ID: 'some-client',
        SYNC_CLIENT_SECRET: 'some-secret',
        SYNC_TOKEN_STORE: 'file',
      });
      const world = worldOf(await openSandbox(), home);
      const withAccess = await world.sync(['upload', world.write('ride.fit', makeRecording())], {
        env: { SYNC_ACCESS_TOKEN: 'some-access-token' },
      });
      const withRefresh = await world.sync(['token'], {
        env: { SYNC_REFRESH_TOKEN: 'some-refresh-token' },
      });
      // As for a stored login: the recording is kept for when the address is right.
      expect(withAccess.code).toBe(5);
      expect(withRefresh.code).toBe(5);
      expect(withAccess.stdout + withAccess.stderr).toContain('address');
      expect(withRefresh.stderr).toContain('address');
      expect(asked).toContain('POST /api/workouts/upload-fit');
      expect(asked).toContain('POST /api/oauth/token');
      expect(reached).toEqual([]);
    },
  );
});

it('two profiles keep their logins apart if their names differ only in case', async () => {
  const world = await openLoggedInWorld();
  const { sandbox } = world;
  const input = JSON.stringify(sandbox.control.mint({ athlete: 'athlete-2' }));
  await world.sync(['login', '--with-token', '--profile', 'Default'], { input });
  const owners = await Promise.all(
    ['default', 'Default'].map(async (profile) => {
      const { stdout } = await world.sync(['token', '--profile', profile]);
      return await ownerOf(sandbox, stdout.trim());
    }),
  );
  expect(owners).toEqual(['athlete-1', 'athlete-2']);
  await world.sync(['logout', '--profile', 'Default']);
  expect((await world.sync(['token'])).code).toBe(0);
  expect(readFileSync(tokenFile(world), 'utf8')).toContain('athlete-1');
});
