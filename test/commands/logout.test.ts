import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logout } from '../../src/commands/logout.ts';
import { token } from '../../src/commands/token.ts';
import { changeProfile } from '../../src/config/config-write.ts';
import { readConfigFile } from '../../src/config/config.ts';
import { fileStore, tokenFilePath } from '../../src/credentials/file.ts';
import type { Env } from '../../src/base/env.ts';
import { SyncError } from '../../src/base/errors.ts';
import { findPaths } from '../../src/config/paths.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import {
  everythingShownOf,
  failure,
  mint,
  never,
  sandbox,
  scratchDir,
  testDeps,
  tokenRequests,
} from '../auth/support.ts';
import { startCommand } from '../support/command.ts';

/** A machine on which somebody is logged in at this sandbox. */
async function loggedIn(service: Sandbox, extra: Env = {}) {
  const homeDir = scratchDir();
  const env = { SYNC_CONFIG_DIR: homeDir, SYNC_STATE_DIR: join(homeDir, 'state'), ...extra };
  const paths = findPaths(env, process.platform, homeDir);
  const account = { id: 'athlete-1', name: 'Anna' };
  await changeProfile(paths, 'default', {
    settings: { baseUrl: service.url, clientId: service.clientId, tokenStore: 'file' },
    account,
  });
  const path = tokenFilePath(paths.stateDir, 'default');
  const store = fileStore(path, process.platform);
  const login = { ...mint(service), accountId: account.id };
  await store.save(login, never);
  const deps = (signal = never) => testDeps({ homeDir, env, signal });
  return {
    paths,
    path,
    store,
    login,
    /** Runs `sync logout`. @returns its report */
    logout: async (args: readonly string[] = [], signal = never) => {
      const { done, stdout } = startCommand(logout, deps(signal), ['--json', ...args]);
      await done;
      return JSON.parse(stdout[0] ?? '') as Record<string, unknown> & {
        revocations: Record<string, unknown>[];
      };
    },
    /** Runs `sync token`. */
    token: async () => {
      const { done, stdout, stderr } = startCommand(token, deps(), ['--json']);
      await done;
      const report = JSON.parse(stdout[0] ?? '') as { accessToken: string; expiresAt?: number };
      return { report, warnings: stderr };
    },
  };
}

it('revokes both tokens, then forgets the login and the athlete, and keeps the settings', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  const report = await here.logout();
  expect(report).toEqual({
    type: 'logout',
    profile: 'default',
    wasLoggedIn: true,
    account: { id: 'athlete-1', name: 'Anna' },
    service: service.url,
    store: `the file ${here.path}`,
    revocations: [
      { token: 'refresh token', outcome: 'revoked' },
      { token: 'access token', outcome: 'revoked' },
    ],
    environmentTokens: false,
  });
  expect(service.control.state().athletes[0]?.logins).toMatchObject([{ revoked: true }]);
  expect(await here.store.load(never)).toBeUndefined();
  expect(readConfigFile(here.paths.configFile).profiles['default']).toEqual({
    settings: { baseUrl: service.url, clientId: service.clientId, tokenStore: 'file' },
    account: undefined,
  });
  expect((await failure(here.token())).code).toBe('AUTH_REQUIRED');
});

it('forgets without a connection too, and says what could not be revoked', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  await service.close();
  const report = await here.logout();
  const { tokens } = here.login;
  const message = expect.stringContaining('connection refused') as string;
  expect(report.revocations).toEqual([
    { token: 'refresh token', outcome: 'failed', message, expiresAt: tokens.refreshExpiresAt },
    { token: 'access token', outcome: 'failed', message, expiresAt: tokens.accessExpiresAt },
  ]);
  expect(await here.store.load(never)).toBeUndefined();
  expect(everythingShownOf(report)).not.toMatch(/sbx_/);
});

it('reports a service that cannot revoke', async () => {
  const service = await sandbox({ faults: ['revoke:404*2'] });
  const here = await loggedIn(service);
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['unsupported', 'unsupported']);
  expect(await here.store.load(never)).toBeUndefined();
});

it.each([
  ['of another service', { SYNC_BASE_URL: 'https://else.example' }],
  ['of another client', { SYNC_CLIENT_ID: 'else' }],
])('sends no client secret %s', async (_what, env) => {
  const service = await sandbox();
  const here = await loggedIn(service, { SYNC_CLIENT_SECRET: 'of-somebody-else', ...env });
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['revoked', 'revoked']);
  for (const { body } of service.control.requests({ route: 'revoke' })) {
    expect(body).toMatchObject({ client_id: service.clientId });
    expect(body).not.toHaveProperty('client_secret');
  }
});

it('sends the secret in the environment where it is for this very client', async () => {
  const service = await sandbox();
  const here = await loggedIn(service, {
    SYNC_CLIENT_ID: 'sandbox-confidential',
    SYNC_CLIENT_SECRET: 'sandbox-secret',
  });
  const login = mint(service, { clientId: 'sandbox-confidential' });
  await here.store.save({ ...login, accountId: 'athlete-1' }, never);
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['revoked', 'revoked']);
});

it('with --local-only makes no request', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  const { revocations } = await here.logout(['--local-only']);
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['not-tried', 'not-tried']);
  expect(service.control.requestCount()).toBe(0);
  expect(await here.store.load(never)).toBeUndefined();
});

it('says so when nobody was logged in', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  await here.store.delete(never);
  const report = await here.logout();
  expect(report).toMatchObject({ wasLoggedIn: false, revocations: [] });
  expect(service.control.requestCount()).toBe(0);
});

it('forgets a login that is damaged', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  writeFileSync(here.path, readFileSync(here.path, 'utf8').slice(0, 50));
  const report = await here.logout();
  expect(report).toMatchObject({ wasLoggedIn: true, revocations: [] });
  expect(await here.store.load(never)).toBeUndefined();
});

it('forgets when Ctrl-C ends the revoking', async () => {
  const service = await sandbox({ faults: ['revoke:hang*inf'] });
  const here = await loggedIn(service);
  const stop = new AbortController();
  const report = here.logout([], stop.signal);
  await expect.poll(() => service.control.requests({ route: 'revoke' }).length).toBe(1);
  stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C'));
  expect((await report).revocations.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  expect(await here.store.load(never)).toBeUndefined();
});

it('revokes where the tokens came from, whatever the base URL is now', async () => {
  const service = await sandbox();
  const other = await sandbox();
  const here = await loggedIn(service, { SYNC_BASE_URL: other.url });
  await here.logout();
  expect(service.control.requests({ route: 'revoke' })).toHaveLength(2);
  expect(other.control.requestCount()).toBe(0);
});

it('says that tokens in the environment stay', async () => {
  const service = await sandbox();
  const here = await loggedIn(service, { SYNC_ACCESS_TOKEN: 'from-the-environment' });
  expect(await here.logout()).toMatchObject({
    environmentTokens: true,
    wasLoggedIn: true,
  });
});

it('sync token refreshes a token whose time is up, and shows it nowhere else', async () => {
  const service = await sandbox();
  const here = await loggedIn(service);
  const { tokens } = here.login;
  await here.store.save({ ...here.login, tokens: { ...tokens, accessExpiresAt: 1 } }, never);
  const { report, warnings } = await here.token();
  const stored = await here.store.load(never);
  expect(report.accessToken).toBe(stored?.tokens.accessToken?.reveal());
  expect(report.expiresAt).toBe(stored?.tokens.accessExpiresAt);
  expect(warnings).toEqual([]);
});

it('SYNC_ACCESS_TOKEN alone is used as it is; nothing is read, refreshed or stored', async () => {
  const service = await sandbox();
  const here = await loggedIn(service, { SYNC_ACCESS_TOKEN: 'from-the-environment' });
  const before = readFileSync(here.path, 'utf8');
  const { report } = await here.token();
  expect(report.accessToken).toBe('from-the-environment');
  expect(readFileSync(here.path, 'utf8')).toBe(before);
  expect(service.control.requestCount()).toBe(0);
});

it('SYNC_REFRESH_TOKEN is refreshed in memory, and a rotation is said to be lost', async () => {
  const service = await sandbox({ settings: { refreshToken: 'rotate' } });
  const answer = service.control.mint();
  const here = await loggedIn(service, { SYNC_REFRESH_TOKEN: answer.refresh_token });
  const before = readFileSync(here.path, 'utf8');
  const { report, warnings } = await here.token();
  expect(report.accessToken).toMatch(/^sbx_at_/);
  expect(readFileSync(here.path, 'utf8')).toBe(before);
  expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('SYNC_REFRESH_TOKEN no longer works after this run');
  expect(warnings[0]).toContain('sync login --store file');
  expect(warnings[0]).not.toMatch(/sbx_/);
});

it('SYNC_REFRESH_TOKEN that is not rotated is nothing to warn of', async () => {
  const service = await sandbox({ settings: { refreshToken: 'keep' } });
  const answer = service.control.mint();
  const here = await loggedIn(service, { SYNC_REFRESH_TOKEN: answer.refresh_token });
  const { warnings } = await here.token();
  expect(warnings).toEqual([]);
});

it('SYNC_REFRESH_TOKEN that is dead is AUTH_EXPIRED, and names the variable', async () => {
  const service = await sandbox();
  const here = await loggedIn(service, { SYNC_REFRESH_TOKEN: 'sbx_rt_unknown' });
  const error = await failure(here.token());
  expect(error.code).toBe('AUTH_EXPIRED');
  expect(error.message).toContain('SYNC_REFRESH_TOKEN');
  expect(everythingShownOf(error)).not.toContain('sbx_rt_unknown');
});
