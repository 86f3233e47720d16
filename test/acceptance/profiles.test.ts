import { describe, expect, it } from 'vitest';
import { openLoggedInWorld, openWorld, requestLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

/** No session bus: as in CI. */
const NO_KEYCHAIN = { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: undefined };

describe('another profile than the default', () => {
  it('is named in the commands of hints, from flag and variable', async () => {
    const world = await openLoggedInWorld();
    const mint = (athlete: string) => JSON.stringify(world.sandbox.control.mint({ athlete }));
    await world.sync(['login', '--with-token', '--profile', 'lim'], { input: mint('athlete-2') });
    world.sandbox.control.revoke({ athlete: 'athlete-2' });
    world.sandbox.control.clearRequests();
    const flag = await world.sync(['workouts', '--profile', 'lim']);
    const variable = await world.sync(['workouts', '--json'], { env: { SYNC_PROFILE: 'lim' } });
    expect([flag.code, variable.code]).toEqual([4, 4]);
    expect(flag.stderr).toContain('Run `sync login --profile lim`.');
    expect(variable.stderr).toContain('Run `sync login --profile lim`.');
    expect(ndjson(variable.stdout)[0]?.['hint']).toContain('`sync login --profile lim`');

    world.sandbox.control.revoke({ athlete: 'athlete-1' });
    expect((await world.sync(['workouts'])).stderr).toContain('`sync login`');
  });

  it.each([
    'status',
    'workouts',
    'token',
    'watch',
    'watch rides',
    'watch --devices',
    'watch --once rides',
    'watch --once --devices',
    'watch --daemon --devices',
    'daemon install --devices',
  ])('ends sync %s with exit code 4 if it does not exist', async (line) => {
    const world = await openLoggedInWorld();
    world.write('rides/notes.txt', '');
    const args = [...line.split(' '), '--profile', 'typo'];
    for (const env of [{}, { SYNC_TOKEN_STORE: 'keychain', ...NO_KEYCHAIN }]) {
      const { code, stdout, stderr } = await world.sync(args, { env });
      const said = stdout + stderr;
      expect(said).toMatch(/there is no profile "typo"/i);
      expect(said).toContain('Known profiles: default. `sync login --profile typo` creates it.');
      expect(said).not.toContain('No keychain found');
      expect(code).toBe(4);
    }
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it.each(['logout', 'daemon status', 'daemon stop', 'daemon uninstall', 'config unset timezone'])(
    'ends sync %s with exit code 2 if it does not exist, and does not create it',
    async (line) => {
      const world = await openLoggedInWorld();
      for (const time of ['first', 'second']) {
        const { code, stderr } = await world.sync([...line.split(' '), '--profile', 'typo']);
        expect(stderr).toBe('Error: There is no profile "typo".\n  Known profiles: default.\n');
        expect([time, code]).toEqual([time, 2]);
      }
    },
  );

  it('is named as unknown if the platform is only in the settings of others', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['config', 'set', 'baseUrl', world.sandbox.url]);
    const env = { SYNC_BASE_URL: undefined };
    const { code, stderr } = await world.sync(['status', '--profile', 'typo'], { env });
    expect(stderr).toBe(
      'Error: No platform is set up yet for profile "typo".\n  Known profiles: default. Run `sync login --profile typo`, or set SYNC_BASE_URL.\n',
    );
    expect(code).toBe(2);
  });

  it('ends a daemon with exit code 4 if it does not exist any more', async () => {
    const world = await openLoggedInWorld();
    const args = ['watch', '--background', 'daemon', '--devices', '--profile', 'typo'];
    expect((await world.program(args)).code).toBe(4);
    const { stdout } = await world.sync(['daemon', 'logs', '--profile', 'typo']);
    expect(stdout).toContain('Not logged in: there is no profile "typo".');
  });

  it('is watched without a login if it exists: the watcher waits for the login, and says so', async () => {
    const world = await openWorld({ env: { SYNC_TOKEN_STORE: 'keychain' } });
    await world.sync(['config', 'set', 'notifications', 'off', '--profile', 'lim']);
    world.write('rides/notes.txt', '');
    const usual = await world.startHere(['watch', 'rides'], { env: NO_KEYCHAIN });
    await usual.waitFor(/Not sending: Not logged in \(profile "default"\)\. Run `sync login`/);
    const named = await world.startHere(['watch', 'rides', '--profile', 'lim'], {
      env: { SYNC_TOKEN_STORE: 'file' },
    });
    await named.waitFor(/Not sending: Not logged in \(profile "lim"\)\./);
  });

  it('is reported as a missing login, not as a missing keychain, before the first login', async () => {
    const world = await openWorld({ env: { SYNC_TOKEN_STORE: 'keychain' } });
    const { code, stderr } = await world.sync(['workouts'], { env: NO_KEYCHAIN });
    expect(code).toBe(4);
    expect(stderr).toContain('Not logged in (profile "default").');
  });
});

it('reads a token response with a byte order mark, and prints only the result with --quiet', async () => {
  const world = await openWorld();
  const input = `\ufeff${JSON.stringify(world.sandbox.control.mint())}`;
  const { code, stderr } = await world.sync(['login', '--with-token', '--quiet'], { input });
  expect([code, stderr]).toEqual([0, '']);
  const made = `${world.home.dir}/made`;
  const out = await world.sync(['seed', '--days', '1', '--quiet', '--out', made]);
  expect([out.code, out.stderr]).toEqual([0, '']);
  expect(out.stdout.trimEnd().split('\n')).toHaveLength(1);
});
