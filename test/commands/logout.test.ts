import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { logout } from '../../src/commands/logout.ts';
import { changeProfile } from '../../src/config/config-write.ts';
import { readConfigFile } from '../../src/config/config.ts';
import { fileStore, tokenFilePath } from '../../src/credentials/file.ts';
import type { Env } from '../../src/base/env.ts';
import { SyncError } from '../../src/base/errors.ts';
import { findPaths } from '../../src/config/paths.ts';
import {
  everythingShownOf,
  failure,
  mint,
  never,
  sandbox,
  scratchDir,
  testSystem,
} from '../auth/support.ts';
import { startCommand } from '../support/command.ts';
import { tokenOf } from './login/support.ts';
import { ndjson } from '../support/program.ts';
import { openTinyService } from '../support/tiny-service.ts';

/** A machine with a login at a sandbox. */
async function loggedIn(extra: Env = {}) {
  const service = await sandbox();
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
  const system = (signal = never) => testSystem({ homeDir, env, signal });
  return {
    service,
    homeDir,
    paths,
    path,
    store,
    login,
    /** Runs `sync logout`. @returns its report */
    logout: async (args: readonly string[] = [], signal = never) => {
      const { done, stdout } = startCommand(logout, system(signal), ['--json', ...args]);
      await done;
      return ndjson(stdout.join('\n'))[0] as Record<string, unknown> & {
        revocations: Record<string, unknown>[];
      };
    },
    /** Runs `sync token`. */
    token: () => tokenOf(system()),
  };
}

/** The field `expiresAt` of a report. @param ms since 1970 */
const expiry = (ms: number | undefined) =>
  ms === undefined ? {} : { expiresAt: new Date(ms).toISOString() };

it('revokes both tokens, deletes the login and the name of the athlete, and keeps the settings', async () => {
  const here = await loggedIn();
  expect(await here.logout()).toEqual({
    type: 'logout',
    profile: 'default',
    wasLoggedIn: true,
    account: { id: 'athlete-1', name: 'Anna' },
    service: here.service.url,
    store: `the file ${here.path}`,
    revocations: [
      { token: 'refresh token', outcome: 'revoked' },
      { token: 'access token', outcome: 'revoked' },
    ],
    environmentTokens: false,
  });
  expect(here.service.control.state().athletes[0]?.logins).toMatchObject([{ revoked: true }]);
  expect(here.service.control.requests({ route: 'revoke' }).map(({ body }) => body)).toEqual(
    ['refresh_token', 'access_token'].map((hint) => ({
      token: expect.any(String) as string,
      token_type_hint: hint,
      client_id: here.service.clientId,
    })),
  );
  expect(await here.store.load(never)).toBeUndefined();
  expect(readConfigFile(here.paths.configFile).profiles['default']).toEqual({
    settings: { baseUrl: here.service.url, clientId: here.service.clientId, tokenStore: 'file' },
    // For the ledger: `sync explain` still tells what was sent.
    account: { id: 'athlete-1' },
    loggedOut: true,
  });
  expect((await failure(here.token())).code).toBe('AUTH_REQUIRED');
});

it('deletes the login without a connection, and reports unrevoked tokens', async () => {
  const here = await loggedIn();
  await here.service.close();
  const report = await here.logout();
  const { tokens } = here.login;
  const message = /connection refused/;
  expect(report.revocations).toEqual([
    { token: 'refresh token', outcome: 'failed', message, ...expiry(tokens.refreshExpiresAt) },
    { token: 'access token', outcome: 'failed', message, ...expiry(tokens.accessExpiresAt) },
  ]);
  expect(await here.store.load(never)).toBeUndefined();
  expect(everythingShownOf(report)).not.toMatch(/sbx_/);
});

it('does not try the access token if nothing has answered for the refresh token', async () => {
  const here = await loggedIn();
  await here.service.close();
  const received: Buffer[] = [];
  const silent = createServer((socket) => {
    socket.on('data', (data) => {
      received.push(data);
      socket.destroy();
    });
  });
  silent.listen(Number(new URL(here.service.url).port), '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  const asked = Buffer.concat(received).toString();
  expect(asked).toContain('refresh_token');
  expect(asked).not.toContain('access_token');
});

it.each([
  ['of another service', { SYNC_BASE_URL: 'https://else.example' }],
  ['of another client', { SYNC_CLIENT_ID: 'else' }],
  ['of the environment, if the login has none and only the profile names its client', {}],
])('sends no client secret %s', async (_what, env) => {
  const here = await loggedIn({ SYNC_CLIENT_SECRET: 'of-somebody-else', ...env });
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['revoked', 'revoked']);
  for (const { body } of here.service.control.requests({ route: 'revoke' })) {
    expect(body).toMatchObject({ client_id: here.service.clientId });
    expect(body).not.toHaveProperty('client_secret');
  }
});

it('sends SYNC_CLIENT_SECRET if it is for the same client', async () => {
  const here = await loggedIn({
    SYNC_CLIENT_ID: 'sandbox-confidential',
    SYNC_CLIENT_SECRET: 'sandbox-secret',
  });
  const login = mint(here.service, { clientId: 'sandbox-confidential' });
  await here.store.save({ ...login, accountId: 'athlete-1' }, never);
  const { revocations } = await here.logout();
  expect(revocations.map(({ outcome }) => outcome)).toEqual(['revoked', 'revoked']);
});

it('reports that there was no login to delete', async () => {
  const here = await loggedIn();
  await here.store.delete(never);
  expect(await here.logout()).toMatchObject({ wasLoggedIn: false, revocations: [] });
  expect(here.service.control.requestCount()).toBe(0);
});

it('keeps the account of a login that is in another state folder', async () => {
  const here = await loggedIn();
  const env = { SYNC_CONFIG_DIR: here.homeDir, SYNC_STATE_DIR: join(here.homeDir, 'other') };
  const { done, stdout } = startCommand(logout, testSystem({ homeDir: here.homeDir, env }), []);
  expect(await done).toBe(0);
  expect(stdout.join('\n').split('\n')).toEqual([
    'There was no login to delete (profile "default").',
    'The configuration names Anna: that login may be in another state folder (SYNC_STATE_DIR).',
  ]);
  expect(await here.token()).toBe(here.login.tokens.accessToken?.reveal());
});

it('reports that there was no login if there is no keychain either', async () => {
  const homeDir = scratchDir();
  const env = { SYNC_CONFIG_DIR: homeDir, SYNC_STATE_DIR: join(homeDir, 'state') };
  const paths = findPaths(env, process.platform, homeDir);
  const logOut = async () => {
    // The child process that talks to the keychain is not there.
    const { done, stdout } = startCommand(logout, testSystem({ homeDir, env }), []);
    return { code: await done, stdout };
  };
  const none = 'There was no login to delete (profile "default").';
  expect(await logOut()).toEqual({ code: 0, stdout: [none] });
  await changeProfile(paths, 'work', { settings: { tokenStore: 'file' } });
  expect(await logOut()).toEqual({ code: 0, stdout: [none] });
});

it('deletes a damaged login', async () => {
  const here = await loggedIn();
  writeFileSync(here.path, readFileSync(here.path, 'utf8').slice(0, 50));
  expect(await here.logout()).toMatchObject({ wasLoggedIn: true, revocations: [] });
  expect(await here.store.load(never)).toBeUndefined();
});

it('deletes the login if Ctrl-C ends the revocation', async () => {
  const here = await loggedIn();
  here.service.control.addFaults('revoke:hang*inf');
  const stop = new AbortController();
  const report = here.logout([], stop.signal);
  await expect.poll(() => here.service.control.requests({ route: 'revoke' }).length).toBe(1);
  stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C'));
  expect((await report).revocations.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  expect(await here.store.load(never)).toBeUndefined();
});

it('revokes at the service of the login, not at the current base URL', async () => {
  const other = await sandbox();
  const here = await loggedIn({ SYNC_BASE_URL: other.url });
  await here.logout();
  expect(here.service.control.requests({ route: 'revoke' })).toHaveLength(2);
  expect(other.control.requestCount()).toBe(0);
});

it('prints no token that the service repeats', async () => {
  const here = await loggedIn();
  const { accessToken, refreshToken } = here.login.tokens;
  const tokens = [accessToken, refreshToken].map((token) => token?.reveal() ?? '');
  const said = { error: 'invalid_request', error_description: `not now: ${tokens.join(' ')}` };
  const { url } = await openTinyService({ 'POST /api/oauth/revoke': [400, said] });
  await here.store.save({ ...here.login, service: url }, never);
  const { revocations } = await here.logout();
  const messages = revocations.map(({ message }) => String(message));
  expect(messages).toEqual(Array(2).fill(expect.stringContaining('not now')));
  for (const token of tokens) expect(messages.join('\n')).not.toContain(token);
});

it('reports that tokens in the environment stay in use', async () => {
  const here = await loggedIn({ SYNC_ACCESS_TOKEN: 'from-the-environment' });
  expect(await here.logout()).toMatchObject({ environmentTokens: true, wasLoggedIn: true });
});
