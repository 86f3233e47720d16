import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UNATTENDED_LIMIT_MS } from '../../src/credentials/keychain.ts';
import {
  type World,
  completeLogin,
  filesHolding,
  loginWithToken,
  openWorld,
  ownerOf,
  requestCounts,
  requestLines,
  tokenFile,
} from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { type KeychainState, startKeychain, whyNoKeychain } from '../support/keychain.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const missing = whyNoKeychain();
const note = missing === undefined ? '' : ` (skipped: ${missing})`;

/** A world without a word about the store: that is the keychain. */
async function openKeychainWorld(state: KeychainState, env: NodeJS.ProcessEnv = {}) {
  const keychain = await startKeychain(state);
  onTestFinished(() => keychain.stop());
  const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = keychain.env;
  const world = await openWorld({
    env: { SYNC_TOKEN_STORE: undefined, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, ...env },
  });
  return { keychain, world };
}

async function login(world: World) {
  const { code, stdout } = await completeLogin(world, ['--json']);
  expect(code).toBe(0);
  return ndjson(stdout)[0];
}

/** What a command says of a failure, in JSON. */
async function failureOf(world: World, args: readonly string[]) {
  const { code, stdout } = await world.sync([...args, '--json']);
  const [report = {}] = ndjson(stdout);
  return { code, error: report['code'], hint: String(report['hint']) };
}

describe.skipIf(missing !== undefined)(`a login in a real Secret Service${note}`, () => {
  it('is stored there alone, for later processes, until the logout', async () => {
    const { keychain, world } = await openKeychainWorld('unlocked');
    const where = { kind: 'keychain', where: 'the keychain (Secret Service)' };
    expect(await login(world)).toMatchObject({ account: { id: 'athlete-1' }, store: where });
    // Trying it out left nothing behind.
    expect(await keychain.count('athlete-sync')).toBe(1);

    const { stdout: token } = await world.sync(['token']);
    expect(await ownerOf(world.sandbox, token.trim())).toBe('athlete-1');
    const [status] = await world.lines(['status']);
    expect(status).toMatchObject({ store: where, login: { state: 'logged-in' } });
    expect((await world.sync(['upload', world.write('ride.fit', makeRecording())])).code).toBe(0);
    expect(filesHolding(world.home.dir, ['sbx_at_', 'sbx_rt_'])).toEqual([]);
    expect(existsSync(tokenFile(world))).toBe(false);

    expect((await world.sync(['logout'])).code).toBe(0);
    expect(await keychain.count('athlete-sync')).toBe(0);
    expect(await ownerOf(world.sandbox, token.trim())).toBeUndefined();
    expect((await failureOf(world, ['token'])).error).toBe('AUTH_REQUIRED');
  });

  it('is not lost while the keyring is locked: exit 5 and "try again", never "logged out"', async () => {
    const { keychain, world } = await openKeychainWorld('unlocked');
    await loginWithToken(world);
    const known = world.write('known.fit', makeRecording({ seed: 1 }));
    const fresh = world.write('fresh.fit', makeRecording({ seed: 2 }));
    expect((await world.sync(['upload', known])).code).toBe(0);
    world.sandbox.control.clearRequests();
    await keychain.lock();

    expect(await failureOf(world, ['token'])).toEqual({
      code: 5,
      error: 'KEYCHAIN_LOCKED',
      hint: /try again/,
    });
    const upload = await world.sync(['upload', '--json', fresh]);
    expect(upload.code).toBe(5);
    expect(ndjson(upload.stdout)[0]).toMatchObject({ outcome: 'failed', code: 'KEYCHAIN_LOCKED' });
    const status = await world.sync(['status', '--json']);
    expect(status.code).toBe(5);
    expect(ndjson(status.stdout)[0]).toMatchObject({
      login: { state: 'unknown', code: 'KEYCHAIN_LOCKED' },
    });
    for (const { stdout, stderr } of [upload, status, await world.sync(['status'])]) {
      expect(stdout + stderr).not.toMatch(/logged out|not logged in/i);
    }
    // Without anything to send, the program does not call the keychain.
    expect((await world.sync(['upload', known])).code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual([]);

    await keychain.unlock();
    expect((await world.sync(['upload', fresh])).code).toBe(0);
  });

  it('survives a keychain that stops answering between a refresh and its answer', async () => {
    const { keychain, world } = await openKeychainWorld('unlocked');
    await loginWithToken(world);
    world.sandbox.control.expire();
    world.sandbox.control.clearRequests();
    world.sandbox.control.addFaults('refresh:delay=1s');
    const running = world.start(['profile']);
    await until(() => requestCounts(world.sandbox)['token'] === 1);
    keychain.freeze();
    await until(() => requestLines(world.sandbox).includes('token 200'));
    // Longer than three tries of an unattended process take.
    await new Promise((resolve) => setTimeout(resolve, 3 * UNATTENDED_LIMIT_MS + 2_000));
    keychain.thaw();
    expect((await running.finished).code).toBe(0);
    expect((await world.sync(['profile'])).code).toBe(0);
    expect(requestCounts(world.sandbox)['token']).toBe(1);
  });
});

describe('sync without a D-Bus session', () => {
  const NO_STORE = { SYNC_TOKEN_STORE: undefined };

  it.skipIf(process.platform !== 'linux')(
    'exits 2 with the alternatives, and never falls back to the file',
    async () => {
      const world = await openWorld({ env: NO_STORE });
      const { code, error, hint } = await failureOf(world, ['login', '--no-browser']);
      expect({ code, error }).toEqual({ code: 2, error: 'KEYCHAIN_MISSING' });
      expect(hint).toContain('--store file');
      expect(hint).toContain('SYNC_ACCESS_TOKEN');
      // This profile never had a login: the login is missing, not the keychain.
      const nobody = await failureOf(world, ['token']);
      expect(nobody).toMatchObject({ code: 4, error: 'AUTH_REQUIRED' });
      expect(nobody.hint).toContain('SYNC_ACCESS_TOKEN');
      expect(requestLines(world.sandbox)).toEqual(['authorize 302']);
      expect(existsSync(tokenFile(world))).toBe(false);
    },
  );
});
