import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type World,
  expireAccess,
  openHome,
  openLoggedInWorld,
  openSandbox,
  loginWithToken,
  requestLines,
  tokenFile,
  worldOf,
} from '../support/acceptance.ts';
import { mountSmallDisk, whyNoMount } from '../support/disk.ts';
import { makeUnwritable, syncAsNobody } from '../support/nobody.ts';
import { until } from '../support/until.ts';

const noMount = whyNoMount();
const note = noMount === undefined ? '' : ` (skipped: ${noMount})`;
const stored = (world: World) =>
  JSON.parse(readFileSync(tokenFile(world), 'utf8')) as Record<string, unknown>;
const loginsOf = (world: World) =>
  world.sandbox.control.state('athlete-1').athletes[0]?.logins.map(({ revoked }) => revoked);

/** A login with an expired access token, on a separate small disk. */
async function openOnSmallDisk() {
  const sandbox = await openSandbox();
  const home = openHome({
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TOKEN_STORE: 'file',
  });
  const disk = mountSmallDisk(join(home.dir, 'state'));
  const world = worldOf(sandbox, home);
  await loginWithToken(world);
  expireAccess(world);
  sandbox.control.clearRequests();
  return { world, disk };
}

describe.skipIf(noMount !== undefined)(`a refresh on a disk that takes no tokens${note}`, () => {
  it.each(['full', 'full but for a page', 'read-only'] as const)(
    'sends no refresh while the disk is %s, and works after the fix',
    async (trouble) => {
      const { world, disk } = await openOnSmallDisk();
      const before = readFileSync(tokenFile(world), 'utf8');
      if (trouble === 'read-only') disk.makeReadOnly();
      else disk.fill(trouble === 'full' ? 0 : 4_096);
      for (const command of ['token', 'profile']) {
        const { code, stdout, stderr } = await world.sync([command]);
        expect([code, stdout]).toEqual([1, '']);
        const folder = join(world.home.dir, 'state');
        const what =
          trouble === 'read-only'
            ? `The disk of ${folder}/logins is read-only.`
            : `The disk of ${folder}/`;
        expect(stderr).toContain(what);
        expect(stderr.includes('SYNC_STATE_DIR')).toBe(trouble === 'read-only');
      }
      expect(requestLines(world.sandbox)).toEqual([]);
      expect(readFileSync(tokenFile(world), 'utf8')).toBe(before);

      if (trouble === 'read-only') disk.makeWritable();
      else rmSync(join(world.home.dir, 'state', 'filler'));
      expect((await world.sync(['token'])).code).toBe(0);
      expect(requestLines(world.sandbox)).toEqual(['token 200']);
      expect(loginsOf(world)).toEqual([false]);
    },
  );

  it('reports the ledger as on a full disk, not as damaged', async () => {
    const { world, disk } = await openOnSmallDisk();
    const file = world.write('day.json', '{"date":"2026-01-01","hrv":50}');
    expect((await world.sync(['push', 'wellness', file])).code).toBe(0);
    const ledger = join(world.home.dir, 'state', 'ledger.db');
    // SQLite makes these two anew, and needs room for them.
    for (const end of ['-wal', '-shm']) rmSync(ledger + end, { force: true });
    disk.fill(0);
    const { code, stderr } = await world.sync(['push', 'wellness', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(`The disk of ${dirname(ledger)} is full.`);
    expect(stderr).not.toContain('damaged');
  });

  it('keeps the tokens if the disk fills up after the request was sent', async () => {
    const { world, disk } = await openOnSmallDisk();
    world.sandbox.control.addFaults('refresh:delay=1s');
    const running = world.start(['token']);
    await until(() => requestLines(world.sandbox).length > 0);
    disk.fill(0);
    expect((await running.finished).code).toBe(0);
    const { accessToken } = stored(world);
    expect((await running.finished).stdout.trim()).toBe(accessToken);
    // Nothing but the login is left in the folder.
    expect(readdirSync(dirname(tokenFile(world)))).toEqual(['login-default.json']);
  });
});

describe.skipIf(process.platform === 'win32')('a refresh with tokens that cannot be saved', () => {
  it('sends no refresh while the folder of logins is not writable', async () => {
    const world = await openLoggedInWorld();
    expireAccess(world);
    const folder = dirname(tokenFile(world));
    const access = makeUnwritable(world, folder);
    const before = readFileSync(tokenFile(world), 'utf8');
    const { code, stdout, stderr } = await syncAsNobody(world, ['token']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`This user may not use ${folder}.`);
    expect(stderr).toContain('SYNC_STATE_DIR');
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(readFileSync(tokenFile(world), 'utf8')).toBe(before);

    access.undo();
    expect((await syncAsNobody(world, ['token'])).code).toBe(0);
    expect(loginsOf(world)).toEqual([false]);
  });
});

describe('a refresh that was killed after its request left', () => {
  async function killed(settings: { refreshToken: 'rotate' | 'keep' }) {
    const world = await openLoggedInWorld({ sandbox: { settings } });
    expireAccess(world);
    world.sandbox.control.addFaults('refresh:hang-after');
    const running = world.start(['token']);
    await until(() => requestLines(world.sandbox).length > 0);
    expect((await world.sync(['status'])).stdout).toMatch(/^Login {5}good/m);
    running.child.kill('SIGKILL');
    await running.finished;
    return world;
  }

  it('is reported by status and retried: a token that was not rotated still works', async () => {
    const world = await killed({ refreshToken: 'keep' });
    const { code, stdout } = await world.sync(['status']);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Login {5}uncertain\. A refresh was interrupted \(.* UTC\)/m);
    expect((await world.sync(['token'])).code).toBe(0);
    expect(stored(world)['refreshStartedAt']).toBeUndefined();
    expect((await world.sync(['status'])).code).toBe(0);
  });

  it('ends the login only once the service refuses the token', async () => {
    const world = await killed({ refreshToken: 'rotate' });
    expect((await world.sync(['status'])).code).toBe(5);
    expect(await world.sync(['token'])).toMatchObject({ code: 4, stdout: '' });
    const status = await world.sync(['status']);
    expect([status.code, status.stdout]).toEqual([4, /^Login {5}ended\. This login has ended/m]);
    const asked = requestLines(world.sandbox).length;
    expect((await world.sync(['token'])).code).toBe(4);
    expect(requestLines(world.sandbox)).toHaveLength(asked);
    // A new login starts anew.
    await loginWithToken(world);
    expect((await world.sync(['status'])).code).toBe(0);
  });

  it('is not reported as unknown if the request was never sent', async () => {
    const world = await openLoggedInWorld();
    expireAccess(world);
    const env = { HTTPS_PROXY: undefined, SYNC_BASE_URL: undefined };
    await world.sandbox.close();
    expect(
      (await world.sync(['token'], { env: { ...env, SYNC_BASE_URL: world.sandbox.url } })).code,
    ).toBe(5);
    expect(stored(world)['refreshStartedAt']).toBeUndefined();
    expect((await world.sync(['status'])).code).toBe(0);
  });
});
