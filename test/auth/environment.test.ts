import { expect, it } from 'vitest';
import { openSession } from '../../src/auth/session.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Env } from '../../src/base/env.ts';
import { findPaths } from '../../src/config/paths.ts';
import {
  failure,
  never,
  realHttp,
  sandbox,
  scratchDir,
  testClock,
  tokenRequests,
} from './support.ts';
import { testContext } from '../support/context.ts';
import { openTinyService } from '../support/tiny-service.ts';

function open(env: Env) {
  const homeDir = scratchDir();
  const full = { SYNC_CONFIG_DIR: homeDir, SYNC_STATE_DIR: homeDir, ...env };
  const paths = findPaths(full, process.platform, homeDir);
  const warnings: string[] = [];
  const context = testContext({
    clock: testClock(),
    warn: (warning) => void warnings.push(String(warning)),
  });
  const session = openSession(context, loadConfig({ env: full, paths }, undefined), {
    env: full,
    platform: process.platform,
    programDir: homeDir,
    attended: false,
    http: realHttp(),
  });
  return { session, warnings };
}

it('throws AUTH_EXPIRED without a request if SYNC_ACCESS_TOKEN alone is rejected', async () => {
  const service = await sandbox();
  const { session } = open({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'mine' });
  const token = await session.accessToken(never);
  const error = await failure(session.replace(token, never));
  expect(error).toMatchObject({ code: 'AUTH_EXPIRED' });
  expect(error.message).toContain('SYNC_ACCESS_TOKEN');
  expect(service.control.requestCount()).toBe(0);
});

it('uses SYNC_ACCESS_TOKEN until it is rejected, then refreshes with SYNC_REFRESH_TOKEN', async () => {
  const service = await sandbox({ settings: { refreshToken: 'rotate' } });
  const answer = service.control.mint();
  const { session, warnings } = open({
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: service.clientId,
    SYNC_ACCESS_TOKEN: 'mine',
    SYNC_REFRESH_TOKEN: answer.refresh_token,
  });
  const first = await session.accessToken(never);
  expect(first.reveal()).toBe('mine');
  const [second, third] = await Promise.all([
    session.replace(first, never),
    session.replace(first, never),
  ]);
  expect(second.reveal()).toBe(third.reveal());
  expect((await session.accessToken(never)).reveal()).toBe(second.reveal());
  // The rotated token stays in memory until the process ends.
  expect((await session.replace(second, never)).equals(second)).toBe(false);
  expect(tokenRequests(service)).toEqual([{ status: 200 }, { status: 200 }]);
  expect(warnings).toHaveLength(1);
});

it('shows why the service rejected SYNC_REFRESH_TOKEN', async () => {
  const service = await openTinyService({
    'POST /api/oauth/token': [
      400,
      { error: 'invalid_grant', error_description: 'Client mismatch' },
    ],
  });
  const { session } = open({
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: 'another-client',
    SYNC_REFRESH_TOKEN: 'a-refresh-token',
  });
  expect(await failure(session.accessToken(never))).toMatchObject({
    code: 'AUTH_EXPIRED',
    message: expect.stringMatching(
      /^The platform no longer accepts .* \(Client mismatch\)\.$/,
    ) as string,
    hint: expect.stringContaining('as SYNC_CLIENT_ID the client that it was issued to') as string,
    details: { status: 400, error: 'invalid_grant', description: 'Client mismatch' },
  });
});

it('sends a rejected SYNC_REFRESH_TOKEN once', async () => {
  const service = await sandbox();
  const { session } = open({
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: service.clientId,
    SYNC_ACCESS_TOKEN: 'mine',
    SYNC_REFRESH_TOKEN: 'unknown',
  });
  const token = await session.accessToken(never);
  expect(await failure(session.replace(token, never))).toMatchObject({ code: 'AUTH_EXPIRED' });
  expect(await failure(session.accessToken(never))).toMatchObject({ code: 'AUTH_EXPIRED' });
  expect(await failure(session.replace(token, never))).toMatchObject({ code: 'AUTH_EXPIRED' });
  expect(tokenRequests(service)).toEqual([{ status: 400 }]);
});

it('names SYNC_CLIENT_ID if SYNC_REFRESH_TOKEN is set without a client ID', async () => {
  expect(() => open({ SYNC_BASE_URL: 'https://x.example', SYNC_REFRESH_TOKEN: 'r' })).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      hint: expect.toSatisfy((hint) => String(hint).includes('SYNC_CLIENT_ID')) as string,
    }) as Error,
  );
  await Promise.resolve();
});
