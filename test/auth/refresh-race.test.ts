import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/credentials/open-store.ts';
import { findPaths } from '../../src/config/paths.ts';
import type { SandboxServer } from '../../src/sandbox/server.ts';
import { useBuild } from '../support/build.ts';
import { startKeychain, whyNoKeychain } from '../support/keychain.ts';
import { mint, never, sandbox, scratchDir, tokenRequests } from './support.ts';

const program = useBuild({
  'refresh-worker': 'test/auth/refresh-worker.ts',
  'keychain-child': 'src/credentials/keychain-child.ts',
});

/** Starts a process with an open session, which asks for a token after `begin()`. */
async function startWorker(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program('refresh-worker')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => endOf(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    begin: () => child.stdin.write('go\n'),
    result: async () => (await lines.next()).value as string,
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** An expired login in a store that all processes share, and the environment to find it with. */
async function sharedLogin(service: SandboxServer, kind: 'file' | 'keychain') {
  const stateDir = scratchDir();
  let desktop: Readonly<Record<string, string>> = { PATH: process.env['PATH'] ?? '' };
  if (kind === 'keychain') {
    const keychain = await startKeychain();
    onTestFinished(() => keychain.stop());
    desktop = keychain.env;
  }
  const env = {
    ...desktop,
    SYNC_STATE_DIR: stateDir,
    SYNC_CONFIG_DIR: stateDir,
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: service.clientId,
    SYNC_TOKEN_STORE: kind,
  };
  const paths = findPaths(env, process.platform, stateDir);
  const store = openStore(loadConfig({ env, paths }, undefined), {
    env,
    platform: process.platform,
    programDir: dirname(program('keychain-child')),
    attended: false,
  });
  const login = mint(service);
  const expired = { ...login.tokens, accessExpiresAt: Date.now() - 1 };
  await store.save({ ...login, unnamed: 'profile:default', tokens: expired }, never);
  return { env, store };
}

const unavailable = whyNoKeychain();
if (unavailable !== undefined) console.warn(`The race for a keychain is skipped: ${unavailable}.`);

it.each([
  [10, 'file'],
  ...(unavailable === undefined ? ([[4, 'keychain']] as const) : []),
] as const)('%i processes with one expired token in a %s refresh it once', async (count, kind) => {
  // Reuse of a rotated token would revoke the whole login, and everybody would notice.
  const service = await sandbox({ settings: { refreshToken: 'rotate', reuseRevokesFamily: true } });
  const { env, store } = await sharedLogin(service, kind);
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(env)));
  for (const worker of workers) worker.begin();
  const tokens = await Promise.all(workers.map((worker) => worker.result()));

  const now = await store.load(never);
  expect(new Set(tokens)).toEqual(new Set([now?.tokens.accessToken?.reveal()]));
  expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  const [athlete] = service.control.state().athletes;
  expect(athlete?.logins.map(({ revoked }) => revoked)).toEqual([false]);
});
