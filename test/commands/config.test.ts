import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import { ndjson } from '../support/program.ts';

const isRoot = process.geteuid?.() === 0;

/** A world whose operator has written the file for all users. */
async function operatedWorld(content: (url: string, clientId: string) => unknown) {
  const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
  const path = join(world.home.dir, 'system', 'config.json');
  mkdirSync(dirname(path), { mode: 0o755 });
  const value = content(world.sandbox.url, world.sandbox.clientId);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  chmodSync(path, 0o644);
  chmodSync(world.home.dir, 0o755);
  return { ...world, path };
}

const rows = async (world: Awaited<ReturnType<typeof operatedWorld>>) => {
  const { stdout } = await world.sync(['config', 'list', '--json']);
  return new Map(ndjson(stdout).map((row) => [row['key'], row]));
};

// Only root can make a file that counts as the operator's.
describe.runIf(isRoot)('settings for all users (run as root only)', () => {
  it('are listed with their file, and used by a login that asks for nothing', async () => {
    const world = await operatedWorld((baseUrl, clientId) => ({ baseUrl, clientId }));
    expect((await rows(world)).get('clientId')).toEqual({
      type: 'setting',
      key: 'clientId',
      value: world.sandbox.clientId,
      origin: 'system',
      profile: 'default',
    });
    await world.sync(['config', 'set', 'endpoint.token', '/token']);
    const { stdout } = await world.sync(['config', 'list']);
    expect(stdout).toContain(
      `clientId             ${world.sandbox.clientId}   (set in ${world.path})`,
    );
    // Paths of the platform are shown to people only if they are set.
    expect(stdout.match(/^endpoint\.\w+ +\S+/gm)).toEqual(['endpoint.token       /token']);
    await world.sync(['config', 'unset', 'endpoint.token']);

    const input = JSON.stringify(world.sandbox.control.mint());
    expect(await world.sync(['login', '--with-token'], { input })).toMatchObject({ code: 0 });
    // The operator's later change applies to this profile, too.
    const after = await rows(world);
    expect(['baseUrl', 'clientId'].map((key) => after.get(key)?.['origin'])).toEqual([
      'system',
      'system',
    ]);
    expect((await world.sync(['status'])).code).toBe(0);
  });

  it('can be replaced by each user', async () => {
    const world = await operatedWorld(() => ({ clientId: 'theirs' }));
    expect((await world.sync(['config', 'set', 'clientId', 'mine'])).code).toBe(0);
    expect((await world.sync(['config', 'get', 'clientId'])).stdout).toBe('mine\n');
    expect((await world.sync(['config', 'unset', 'clientId'])).code).toBe(0);
    expect((await world.sync(['config', 'get', 'clientId'])).stdout).toBe('theirs\n');
  });

  it('with a fault are explained by config and doctor, which still show the rest', async () => {
    const world = await operatedWorld(() => '{\n  "clientSecret": "hush"\n}');
    const message = `${world.path}, line 2: "clientSecret" would be a secret that every user can read.`;
    const { code, stdout, stderr } = await world.sync(['config', 'list']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: ${message}`)]);
    expect(stdout).toContain('tokenStore');
    expect(stdout).not.toContain('clientId');
    expect(stdout + stderr).not.toContain('hush');
    expect((await world.sync(['config', 'get', 'timezone'])).code).toBe(0);
    expect((await world.sync(['config', 'get', 'baseUrl'])).stderr).toContain(message);
    expect((await world.sync(['config', 'path'])).code).toBe(0);
    await world.sync(['config', 'set', 'baseUrl', world.sandbox.url]);
    const lines = await world.lines(['doctor'], { code: 2 });
    expect(lines[0]).toMatchObject({ check: 'config', state: 'bad', message });
  });

  it('are named by doctor', async () => {
    const world = await operatedWorld((baseUrl, clientId) => ({ baseUrl, clientId }));
    const { stdout } = await world.sync(['doctor', '--json']);
    const own = join(world.home.dir, 'config', 'config.json');
    const message = `Settings: none yet; the first login creates ${own}. For all users: ${world.path}`;
    expect(ndjson(stdout)).toContainEqual({
      type: 'finding',
      check: 'config',
      state: 'good',
      message,
    });
  });
});
