import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { status } from '../../../src/commands/status/status.ts';
import { changeProfile } from '../../../src/config/config-write.ts';
import { findPaths } from '../../../src/config/paths.ts';
import { fileStore, tokenFilePath } from '../../../src/credentials/file.ts';
import { watcherPaths } from '../../../src/daemon/registry.ts';
import { writeState } from '../../../src/daemon/state-file.ts';
import { mint, never, sandbox, scratchDir, testSystem } from '../../auth/support.ts';
import { startCommand, startJsonCommand } from '../../support/command.ts';

/** Makes a machine with a configuration file and a state folder, without any profile. */
async function openMachine() {
  const service = await sandbox();
  const homeDir = scratchDir();
  const env = {
    SYNC_STATE_DIR: join(homeDir, 'state'),
    SYNC_CONFIG_DIR: join(homeDir, 'config'),
    SYNC_TOKEN_STORE: 'file',
  };
  const paths = findPaths(env, process.platform, homeDir);
  const system = { env, homeDir };
  return {
    service,
    stateDir: paths.stateDir,
    async addProfile(profile: string, baseUrl: string = service.url) {
      await changeProfile(paths, profile, {
        settings: { baseUrl, clientId: service.clientId },
        account: { id: profile, name: `Athlete ${profile}` },
      });
    },
    async addLogin(profile: string) {
      const store = fileStore(tokenFilePath(paths.stateDir, profile), process.platform);
      await store.save({ ...mint(service), accountId: profile }, never);
    },
    async json(flags: object = {}) {
      const { lines, finished } = startJsonCommand(
        status,
        [{ allProfiles: true, ...flags }],
        system,
      );
      const exitCode = await finished;
      return { lines: lines(), exitCode };
    },
    async text(...flags: string[]) {
      const run = startCommand(status, testSystem(system), ['--all-profiles', ...flags]);
      await run.done;
      return run.stdout.join('\n');
    },
  };
}

it('prints one line a profile, also for a profile that cannot be read', async () => {
  const machine = await openMachine();
  await machine.addProfile('Ada');
  await machine.addLogin('Ada');
  await machine.addProfile('ben');
  await machine.addProfile('broken', 'ftp://nowhere');
  // Their settings are gone, but not their login and their watcher.
  await machine.addLogin('Cleo');
  const watcher = watcherPaths(machine.stateDir, 'dora', { folders: ['/garmin'] });
  mkdirSync(watcher.dir, { recursive: true });
  writeState(watcher, {
    ...{ version: 1, profile: 'dora', folders: ['/garmin'], kind: 'daemon', pid: 4711 },
    ...{ startedAt: Date.now() },
  });
  machine.service.control.clearRequests();

  const { lines, exitCode } = await machine.json();
  expect(lines).toMatchObject([
    { type: 'status', profile: 'Ada', account: { id: 'Ada' }, login: { state: 'logged-in' } },
    { type: 'error', profile: 'Cleo', code: 'CONFIG' },
    { type: 'status', profile: 'ben', login: { state: 'logged-out', code: 'AUTH_REQUIRED' } },
    { type: 'error', profile: 'broken', code: 'CONFIG' },
    { type: 'error', profile: 'dora', code: 'CONFIG' },
  ]);
  expect(lines).toHaveLength(5);
  expect(exitCode).toBe(2);
  expect(machine.service.control.requests()).toEqual([]);
});

it('exits with the worst code, and asks the service about each login with --check', async () => {
  const machine = await openMachine();
  await machine.addProfile('ada');
  await machine.addLogin('ada');
  expect((await machine.json()).exitCode).toBe(0);
  await machine.addProfile('ben');
  await machine.addLogin('ben');
  machine.service.control.revoke();
  expect((await machine.json()).exitCode).toBe(0);
  const { lines, exitCode } = await machine.json({ check: true });
  expect(lines.map(({ login }) => login)).toMatchObject([{ state: 'ended' }, { state: 'ended' }]);
  expect(exitCode).toBe(4);
});

it('names the profile in the commands of each block', async () => {
  const machine = await openMachine();
  await machine.addProfile('ada');
  await machine.addLogin('ada');
  await machine.addProfile('ben');
  expect(await machine.text()).toBe(
    [
      `ada       Athlete ada, ${machine.service.url}`,
      '          Login good',
      '          0 recordings at the platform',
      '          Not watching',
      `ben       Athlete ben, ${machine.service.url}`,
      '          Login none',
      '          Not logged in (profile "ben").',
      '          Run `sync login --profile ben`. In CI, set SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN.',
      '          0 recordings at the platform',
      '          Not watching',
    ].join('\n'),
  );
});

it('says once that a login has ended, if the check finds that out', async () => {
  const machine = await openMachine();
  await machine.addProfile('ada');
  await machine.addLogin('ada');
  machine.service.control.revoke();
  const [, ...lines] = (await machine.text('--check')).split('\n');
  expect(lines).toEqual([
    '          Login ended',
    expect.stringMatching(/^ {10}The login has ended: the platform no longer accepts /),
    '          Run `sync login --profile ada`.',
    '          0 recordings at the platform',
    '          Not watching',
  ]);
});

it('reports a machine without a profile', async () => {
  const machine = await openMachine();
  const { lines, exitCode } = await machine.json();
  expect(lines).toMatchObject([{ type: 'error', profile: 'default', code: 'CONFIG' }]);
  expect(exitCode).toBe(2);
});
