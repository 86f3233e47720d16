import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AUTHORIZE_URL,
  completeLogin,
  here,
  filesHolding,
  openHome,
  openSandbox,
  startLogin,
  tokenFile,
  visit,
  worldOf,
} from '../support/acceptance.ts';
import { ask } from '../support/callback-request.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { startKeychain, whyNoKeychain } from '../support/keychain.ts';
import { watchProcesses } from '../support/processes.ts';
import { type Finished, PROGRAM } from '../support/program.ts';
import { type SecretKind, openWireTap } from '../support/wire-tap.ts';
import { until } from '../support/until.ts';

type Scene = Awaited<ReturnType<typeof openScene>>;

/** A world that records all traffic, for a client with a secret. */
async function openScene(env: NodeJS.ProcessEnv) {
  const sandbox = await openSandbox();
  const tap = await openWireTap(sandbox.url);
  const home = openHome({ SYNC_BASE_URL: tap.url, SYNC_CLIENT_ID: 'sandbox-confidential', ...env });
  return { world: worldOf(sandbox, home), tap };
}

/** The ways in which a text may be written down. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
}

/** Returns the secrets that a text contains, in any encoding. */
function leaks(text: string, secrets: Iterable<string>): string[] {
  return [...secrets].filter((secret) => spellings(secret).some((one) => text.includes(one)));
}

const VERBOSE = ['--verbose', '--client-secret-stdin'];
const SECRET = { input: 'sandbox-secret\n' };

/**
 * Runs everything that touches a token, with `--verbose`: successful and failed logins, a refresh,
 * uploads with faults, and an interrupted command. Ends logged in.
 */
async function playAll({ world }: Pick<Scene, 'world'>): Promise<Finished[]> {
  const { control } = world.sandbox;
  const runs: Finished[] = [];
  const sync = async (...args: string[]) => {
    runs.push(await world.sync([...args, '--verbose']));
  };

  // A login that is attacked, and then refused by the token endpoint.
  control.addFaults('exchange:400(error=invalid_grant)');
  const refused = await startLogin(here(world), VERBOSE, SECRET);
  await ask(`${refused.redirectUri}?code=stolen&state=wrong`);
  await visit(refused.authorizeUrl);
  runs.push(await refused.running.finished);
  // A login that fails, a login that is interrupted, a login that works.
  control.addFaults('exchange:truncate');
  runs.push(await completeLogin(here(world), ['--json', ...VERBOSE], SECRET));
  const interrupted = await startLogin(world, VERBOSE, SECRET);
  interrupted.running.child.kill('SIGINT');
  runs.push(await interrupted.running.finished);
  runs.push(await completeLogin(world, VERBOSE, SECRET));

  await sync('status');
  const ride = world.write('ride.fit', makeRecording());
  control.addFaults('upload-fit:503', 'upload-fit:html', 'upload-fit:reset');
  await sync('upload', ride);
  control.expire();
  await sync('upload', ride, '--force', '--json');
  control.expire();
  control.addFaults('refresh:503*3');
  await sync('upload', ride, '--force');
  control.addFaults('refresh:500(error=server_error)*3');
  await sync('profile');
  await sync('profile', '--json');
  await sync('upload', ride, '--force', '--dry-run');
  await sync('config', 'list');
  await sync('workouts');

  // Interrupted while a token is on its way.
  control.expire();
  control.addFaults('refresh:delay=300ms');
  control.clearRequests();
  const running = world.start(['profile', '--verbose']);
  await until(() => control.requests({ route: 'token' }).length > 0);
  running.child.kill('SIGINT');
  runs.push(await running.finished);
  return runs;
}

function assertNothingLeaked(runs: readonly Finished[], { tap, world }: Scene): void {
  const secrets = tap.secrets();
  const kinds = new Set(secrets.values());
  const expected: SecretKind[] = [
    'access token',
    'authorization code',
    'client secret',
    'refresh token',
    'state',
    'verifier',
  ];
  // The tap has seen all of it, so that its absence elsewhere means something.
  expect([...kinds].sort()).toEqual(expected);
  for (const { stdout, stderr } of runs) {
    expect(leaks(stdout, secrets.keys())).toEqual([]);
    // The person needs the address, and the address holds the state; nothing else does.
    const rest = stderr.replaceAll(new RegExp(AUTHORIZE_URL, 'g'), '');
    expect(leaks(rest, secrets.keys())).toEqual([]);
    expect(rest).not.toMatch(/sbx_(at|rt|code)_/);
  }
  const written = filesHolding(world.home.dir, [...secrets.keys()].flatMap(spellings));
  expect(written.filter((found) => !found.startsWith(`${tokenFile(world)}:`))).toEqual([]);
}

const hasProc = process.platform === 'linux';
const noKeychain = whyNoKeychain();

describe('after runs with --verbose', () => {
  it('keeps secrets out of output, state and configuration, except in the token file', async () => {
    const scene = await openScene({ SYNC_TOKEN_STORE: 'file' });
    const runs = await playAll(scene);
    assertNothingLeaked(runs, scene);
    const { world, tap } = scene;
    expect(tap.secrets().size).toBeGreaterThan(12);
    expect(runs.some(({ stderr }) => /POST \/api\/oauth\/token 400/.test(stderr))).toBe(true);
    expect(filesHolding(world.home.dir, [...tap.secrets().keys()]).length).toBeGreaterThan(0);

    const logout = await world.sync(['logout', '--verbose']);
    expect(logout.code).toBe(0);
    assertNothingLeaked([...runs, logout], scene);
    // Nor is anything left when the login is gone.
    expect(filesHolding(world.home.dir, [...tap.secrets().keys()].flatMap(spellings))).toEqual([]);
  });

  it.skipIf(noKeychain !== undefined)(
    `no secret is in any file at all where a keychain holds the login${
      noKeychain === undefined ? '' : ` (skipped: ${noKeychain})`
    }`,
    async () => {
      const keychain = await startKeychain();
      onTestFinished(() => keychain.stop());
      const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = keychain.env;
      const scene = await openScene({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR });
      const processes = watchProcesses();
      onTestFinished(() => processes.stop());
      const { world } = scene;
      const runs: Finished[] = [await completeLogin(world, VERBOSE, SECRET)];
      world.sandbox.control.expire();
      for (const args of [['upload', world.write('ride.fit', makeRecording())], ['logout']]) {
        runs.push(await world.sync([...args, '--verbose']));
      }
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
      processes.stop();
      assertNothingLeaked(runs, scene);
      const secrets = () => scene.tap.secrets();
      expect(filesHolding(world.home.dir, [...secrets().keys()].flatMap(spellings))).toEqual([]);
      // Nor do the processes that talk to the keychain show it.
      const seen = [...processes.seen()];
      expect(seen.some((line) => line.includes('keychain-child.cjs'))).toBe(true);
      for (const line of seen) expect(leaks(line, secrets().keys())).toEqual([]);
    },
  );

  it.skipIf(!hasProc)(
    `no secret is in a command line that ps shows${hasProc ? '' : ' (skipped: no /proc here)'}`,
    async () => {
      const { world, tap } = await openScene({ SYNC_TOKEN_STORE: 'file', DISPLAY: ':7' });
      const opener = world.write(
        'bin/xdg-open',
        `#!${process.execPath}\nfetch(process.argv[2]).then((page) => page.text());\n`,
      );
      chmodSync(opener, 0o755);
      const processes = watchProcesses();
      onTestFinished(() => processes.stop());
      const PATH = `${join(world.home.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
      const login = await world.program(
        ['login', '--port', '0', '--client-secret-stdin', '--verbose'],
        { input: 'sandbox-secret', env: { PATH } },
      );
      expect(login.code).toBe(0);
      world.sandbox.control.expire();
      const runs = [login];
      for (const args of [['upload', world.write('ride.fit', makeRecording())], ['logout']]) {
        runs.push(await world.program([...args, '--verbose']));
      }
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
      processes.stop();
      const seen = [...processes.seen()];
      expect(seen.some((line) => line.includes(`${PROGRAM} logout --verbose`))).toBe(true);
      expect(seen.some((line) => line.includes(opener))).toBe(true);
      const secrets = [...tap.secrets()].filter(([, kind]) => kind !== 'state');
      expect(secrets.length).toBeGreaterThan(5);
      for (const line of seen) expect(leaks(line, new Map(secrets).keys())).toEqual([]);
      // Only the browser has the state, from its command line.
      const states = [...tap.secrets()]
        .filter(([, kind]) => kind === 'state')
        .map(([text]) => text);
      const holders = seen.filter((line) => leaks(line, states).length > 0);
      expect(holders.filter((line) => !AUTHORIZE_URL.test(`${line}\n`))).toEqual([]);
    },
  );

  it('neither shows nor stores tokens from the environment', async () => {
    const { world, tap } = await openScene({ SYNC_TOKEN_STORE: 'file' });
    const { access_token, refresh_token } = world.sandbox.control.mint({
      clientId: 'sandbox-confidential',
    });
    const env = {
      SYNC_ACCESS_TOKEN: access_token,
      SYNC_REFRESH_TOKEN: refresh_token,
      SYNC_CLIENT_SECRET: 'sandbox-secret',
    };
    world.sandbox.control.expire();
    const ride = world.write('ride.fit', makeRecording());
    const runs = [
      await world.sync(['upload', ride, '--verbose'], { env }),
      await world.sync(['status', '--verbose', '--json'], { env }),
      await world.sync(['config', 'list', '--verbose'], { env }),
      await world.sync(['logout', '--verbose'], { env }),
    ];
    expect(runs[0]?.code).toBe(0);
    const secrets = [...tap.secrets().keys(), access_token, String(refresh_token)];
    expect(secrets).toContain('sandbox-secret');
    for (const { stdout, stderr } of runs) expect(leaks(stdout + stderr, secrets)).toEqual([]);
    expect(filesHolding(world.home.dir, secrets.flatMap(spellings))).toEqual([]);
  });

  it('does not quote a broken login from stdin or from the file', async () => {
    const { world } = await openScene({ SYNC_TOKEN_STORE: 'file' });
    const token = world.sandbox.control.mint({ clientId: 'sandbox-confidential' });
    const broken = [
      JSON.stringify(token).slice(0, -3),
      JSON.stringify({ ...token, token_type: token.access_token }),
      JSON.stringify({ ...token, access_token: `${token.access_token}\n` }),
      token.access_token,
    ];
    for (const input of broken) {
      const run = await world.sync(['login', '--with-token', '--verbose'], { input });
      expect(run.code).toBe(2);
      expect(leaks(run.stdout + run.stderr, [token.access_token])).toEqual([]);
    }
    const file = world.write('state/logins/login-default.json', JSON.stringify(token).slice(0, -3));
    chmodSync(file, 0o600);
    for (const args of [['token'], ['status'], ['logout']]) {
      const run = await world.sync([...args, '--verbose', '--json']);
      expect(leaks(run.stdout + run.stderr, [token.access_token])).toEqual([]);
    }
  });
});
