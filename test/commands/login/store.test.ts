import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfigFile } from '../../../src/config/config.ts';
import { keychainEntryName } from '../../../src/credentials/open-store.ts';
import { tokenFilePath } from '../../../src/credentials/file.ts';
import { type Paths, findPaths } from '../../../src/config/paths.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import { failure, sandbox, scratchDir, testSystem, testIo } from '../../auth/support.ts';
import { startKeychain, whyNoKeychain } from '../../support/keychain.ts';
import { PROGRAM } from '../../support/program.ts';
import { startLogin, tokenOf } from './support.ts';

/** The routes of the requests that the sandbox received. The check of the login page is the first. */
function routesOf({ control }: SandboxServer) {
  return control.requests().map(({ route }) => route);
}

const unavailable = whyNoKeychain();
if (unavailable !== undefined) console.warn(`Logins into a keychain are skipped: ${unavailable}.`);

/** A machine with this environment, on which no store is configured. */
function machine(service: SandboxServer, env: Readonly<Record<string, string>>, stateDir?: string) {
  const homeDir = scratchDir();
  const full = {
    PATH: process.env['PATH'] ?? '',
    HOME: homeDir,
    ...env,
    SYNC_CONFIG_DIR: homeDir,
    SYNC_STATE_DIR: stateDir ?? join(homeDir, 'state'),
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: service.clientId,
    DISPLAY: ':99',
  };
  const paths = findPaths(full, process.platform, homeDir);
  const system = (io = testIo()) =>
    testSystem({
      homeDir,
      env: full,
      io,
      programDir: dirname(PROGRAM),
      openBrowser: (url) => {
        void fetch(url).then((page) => page.text());
        return Promise.resolve();
      },
    });
  return {
    paths,
    tokenFile: tokenFilePath(paths.stateDir, 'default'),
    settings: () => readConfigFile(paths.configFile).profiles['default']?.settings,
    login: (io = testIo(), args: readonly string[] = []) => startLogin(system(io), args),
    token: () => tokenOf(system()),
  };
}

const autoApprove = { settings: { autoApprove: true } } as const;

describe.skipIf(process.platform !== 'linux')('sync login without a keychain', () => {
  it('offers the file at a terminal, and saves the choice', async () => {
    const here = machine(await sandbox(autoApprove), {});
    const io = testIo({ interactive: true, answers: { 'Keep the login': ['y'] } });
    const { done, stderr } = here.login(io);
    expect((await done).store).toEqual({ kind: 'file', where: `the file ${here.tokenFile}` });
    expect(stderr).toEqual([
      /No keychain found/,
      /Your browser opens the login page of /,
      /^Next: /,
    ]);
    expect(io.asked).toEqual([
      { question: 'Keep the login in a file that only you can read? [y/N] ', hidden: false },
    ]);
    expect(here.settings()).toMatchObject({ tokenStore: 'file' });
    expect(await here.token()).toMatch(/^sbx_at_/);
  });

  it.each(['', 'n', 'perhaps'])('stores nothing after the answer %j', async (answer) => {
    const service = await sandbox(autoApprove);
    const here = machine(service, {});
    const io = testIo({ interactive: true, answers: { 'Keep the login': [answer] } });
    expect((await failure(here.login(io).done)).code).toBe('KEYCHAIN_MISSING');
    expect(existsSync(here.tokenFile)).toBe(false);
    expect(routesOf(service)).toEqual(['authorize']);
  });

  it('does not offer the file after --store keychain', async () => {
    const service = await sandbox(autoApprove);
    const io = testIo({ interactive: true });
    const { done } = machine(service, {}).login(io, ['--store', 'keychain']);
    expect((await failure(done)).code).toBe('KEYCHAIN_MISSING');
    expect(io.asked).toEqual([]);
  });
});

it.each(['the same configuration', 'another configuration'] as const)(
  'a token file is not replaced by a login at another service of %s',
  async (whose) => {
    const real = await sandbox(autoApprove);
    const trial = await sandbox(autoApprove);
    const here = machine(real, { SYNC_TOKEN_STORE: 'file' });
    await here.login(testIo(), ['--store', 'file']).done;
    const before = readFileSync(here.tokenFile, 'utf8');
    const there =
      whose === 'the same configuration'
        ? here
        : machine(trial, { SYNC_TOKEN_STORE: 'file' }, here.paths.stateDir);
    const flags = ['--store', 'file', '--base-url', trial.url];
    const error = await failure(there.login(testIo(), flags).done);
    expect(error).toMatchObject({ code: 'CONFIG', details: { service: real.url } });
    expect(routesOf(trial)).toEqual(['authorize']);
    expect(readFileSync(here.tokenFile, 'utf8')).toBe(before);
    // The same service again needs no question.
    await here.login(testIo(), ['--store', 'file']).done;
  },
);

it('names a keychain entry after profile, service, and unusual folders', () => {
  const usual = findPaths({}, 'linux', userInfo().homedir);
  const name = (profile: string, url: string, paths: Partial<Paths> = {}) =>
    keychainEntryName({ profile, paths: { ...usual, ...paths } }, new URL(url), 'linux');
  expect(name('default', 'https://a.example/')).toBe('default at https://a.example');
  expect(name('work', 'https://a.example:8443')).toBe('work at https://a.example:8443');
  const others = [
    { configFile: '/elsewhere/config.json' },
    { configFile: '/else/config.json' },
    // Two state folders have two locks: they must not share a login.
    { stateDir: '/elsewhere' },
    { stateDir: '/else' },
    { configFile: '/elsewhere/config.json', stateDir: '/elsewhere' },
  ].map((paths) => name('default', 'https://a.example', paths));
  for (const other of others) {
    expect(other).toMatch(/^default at https:\/\/a\.example \(configuration [0-9a-f]{12}\)$/);
  }
  expect(new Set(others).size).toBe(others.length);
  expect(name('default', 'https://a.example', { stateDir: 'state' })).toBe(
    name('default', 'https://a.example', { stateDir: resolve('state') }),
  );
});

describe.skipIf(unavailable !== undefined)('with a real keychain', () => {
  it('deletes the login from the other store after a move, both ways', async () => {
    const keychain = await startKeychain();
    onTestFinished(() => keychain.stop());
    const here = machine(await sandbox(autoApprove), keychain.env);
    await here.login(testIo(), ['--store', 'file']).done;
    expect(existsSync(here.tokenFile)).toBe(true);
    await here.login(testIo(), ['--store', 'keychain']).done;
    expect(existsSync(here.tokenFile)).toBe(false);
    expect(await keychain.count('athlete-sync')).toBe(1);
    await here.login(testIo(), ['--store', 'file']).done;
    expect(await keychain.count('athlete-sync')).toBe(0);
  });

  it('keeps the logins of two configurations apart', async () => {
    const keychain = await startKeychain();
    onTestFinished(() => keychain.stop());
    const real = await sandbox(autoApprove);
    const machines = [machine(real, keychain.env), machine(real, keychain.env)];
    const tokens: string[] = [];
    for (const here of machines) {
      await here.login().done;
      tokens.push(await here.token());
    }
    expect(await keychain.count('athlete-sync')).toBe(2);
    for (const [at, here] of machines.entries()) {
      expect(await here.token()).toBe(tokens[at]);
    }
  });

  it('replaces the login of another service only after a yes', async () => {
    const keychain = await startKeychain();
    onTestFinished(() => keychain.stop());
    const real = await sandbox(autoApprove);
    const trial = await sandbox(autoApprove);
    const here = machine(real, keychain.env);
    await here.login().done;
    const before = await here.token();
    const elsewhere = ['--base-url', trial.url];
    const error = await failure(here.login(testIo(), elsewhere).done);
    expect(error).toMatchObject({ code: 'CONFIG', details: { service: real.url } });
    expect(error.message).toContain(`is logged in at ${real.url}`);
    expect(String(error.hint)).toContain('--profile NAME');
    expect(routesOf(trial)).toEqual(['authorize']);
    const no = testIo({ interactive: true, answers: { Profile: ['n'] } });
    expect((await failure(here.login(no, elsewhere).done)).code).toBe('CONFIG');
    expect(await here.token()).toBe(before);

    const yes = testIo({ interactive: true, answers: { Profile: ['y'] } });
    expect((await here.login(yes, elsewhere).done).service).toBe(trial.url);
    expect(yes.asked[0]?.question).toContain(`is logged in at ${real.url}. Replace that login?`);
    expect(await keychain.count('athlete-sync')).toBe(1);
  });
});
