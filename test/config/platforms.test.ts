import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askedScopes, PLATFORMS } from '../../src/config/platforms.ts';
import { loadConfig } from '../../src/config/config.ts';
import { findPaths } from '../../src/config/paths.ts';
import { PUBLIC_CLIENT_ID } from '../../src/sandbox/oauth/clients.ts';
import { SCOPES } from '../../src/sandbox/oauth/scopes.ts';
import { DEFAULT_SANDBOX_PORT } from '../../src/sandbox/server.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { readDocument } from '../support/documents.ts';

it('knows the sandbox as it starts without flags', () => {
  expect(PLATFORMS.find(({ name }) => name === 'sandbox')).toMatchObject({
    baseUrl: `http://127.0.0.1:${DEFAULT_SANDBOX_PORT}`,
    clientId: PUBLIC_CLIENT_ID,
    moreScopes: SCOPES.filter((scope) => scope === 'nutrition:read'),
  });
});

it.each([
  ['https://app.coachwatts.com', undefined, /workout:read nutrition:read$/],
  ['https://training.example.com', undefined, /workout:read$/],
  ['https://app.coachwatts.com', 'workout:write', /^workout:write$/],
])('asks %s with the setting scope %s for %s', (baseUrl, scope, scopes) => {
  const env = { SYNC_CONFIG_DIR: scratchDir() };
  const paths = findPaths(env, process.platform, env.SYNC_CONFIG_DIR);
  const config = loadConfig({ env, paths }, undefined, {
    baseUrl,
    ...(scope === undefined ? {} : { scope }),
  });
  expect(askedScopes(config).join(' ')).toMatch(scopes);
});

it('names the address of a platform in no other file of src, and documents it and the portal', () => {
  const named = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') && /coachwatts\.com/i.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(named).toEqual([join('config', 'platforms.ts')]);
  const guide = readDocument('docs/login.md');
  for (const { baseUrl, portal } of PLATFORMS) {
    expect(guide).toContain(baseUrl);
    if (portal !== undefined) expect(guide).toContain(portal);
  }
});
