import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loginWithToken, openLoggedInWorld, openWorld } from '../support/world.ts';
import { makeRecording } from '../support/fit-maker.ts';

/** Packages that the program loads at run time, and names that a careless one might load. */
const MODULES = [
  '@napi-rs/keyring',
  '@photostructure/sqlite',
  'node-gyp-build',
  'node-addon-api',
  'open',
  'undici',
  'bufferutil',
];

it('loads no module from the working folder', async () => {
  const world = await openLoggedInWorld();
  const planted = join(world.home.dir, 'planted');
  const proof = join(world.home.dir, 'it-ran');
  const code = `require('node:fs').appendFileSync(${JSON.stringify(proof)}, __filename + '\\n');`;
  for (const name of MODULES) world.write(`planted/node_modules/${name}/index.js`, code);
  world.write('planted/package.json', JSON.stringify({ type: 'commonjs', main: 'index.js' }));
  world.write('planted/index.js', code);
  world.write('planted/.env', `NODE_OPTIONS=--require=${join(planted, 'index.js')}\n`);
  world.write('planted/ride.fit', makeRecording());
  const run = (args: readonly string[], env = {}) => world.program(args, { cwd: planted, env });

  expect((await run(['upload', 'ride.fit'])).code).toBe(0);
  expect((await run(['status'])).code).toBe(0);
  // Its child process loads the keychain's module, with or without a keychain.
  await run(['status', '--check'], { SYNC_TOKEN_STORE: 'keychain' });
  expect(existsSync(proof)).toBe(false);
});

/** Lists what other users can read or change below a folder that they can enter. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const { mode } = statSync(path);
    const below = entry.isDirectory() && (mode & 0o011) !== 0 ? openToOthers(path) : [];
    return (mode & 0o066) === 0 ? below : [path, ...below];
  });
}

it.skipIf(process.platform === 'win32')(
  'keeps all files from other users with a umask of 000, in folders that they can enter',
  async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const world = await openWorld();
    const folders = ['config', 'state'].map((name) => join(world.home.dir, name));
    for (const folder of folders) {
      mkdirSync(folder);
      chmodSync(folder, 0o755);
    }
    await loginWithToken(world);
    const rides = join(world.home.dir, 'rides');
    world.write('rides/a.fit', makeRecording());
    expect((await world.program(['upload', rides])).code).toBe(0);
    const day = '{"date":"2026-02-15","restingHr":50}';
    expect((await world.program(['push', 'wellness', '-'], { input: day })).code).toBe(0);
    expect((await world.program(['watch', rides, '--daemon'])).code).toBe(0);
    expect((await world.program(['daemon', 'stop'])).code).toBe(0);
    // The folders hold what they should: the login, the ledger and the daemon's files.
    expect(readdirSync(join(world.home.dir, 'state'))).toEqual(
      expect.arrayContaining(['ledger.db', 'locks', 'logins', 'watch']),
    );
    expect(folders.flatMap(openToOthers)).toEqual([]);
  },
);
