import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { fileStore, tokenFilePath } from '../../src/credentials/file.ts';
import { type TestBuild, buildForTest } from '../support/build.ts';
import { mint, never, sandbox, scratchDir, tokenRequests } from './support.ts';

let built: TestBuild;
beforeAll(async () => {
  built = await buildForTest({ 'refresh-worker': 'test/auth/refresh-worker.ts' });
});
afterAll(() => built.remove());

/** A process that has opened its session, and begins when it is told to. */
async function startWorker(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(built.dir, 'refresh-worker.cjs')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
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

it.each([2, 20])(
  '%i processes with one expired, rotating token: one refresh, and all succeed',
  async (count) => {
    // Reuse of a rotated token would revoke the whole login, and everybody would notice.
    const service = await sandbox({
      settings: { refreshToken: 'rotate', reuseRevokesFamily: true },
    });
    const stateDir = scratchDir();
    const store = fileStore(tokenFilePath(stateDir, 'default'), process.platform);
    const login = mint(service);
    const expired = { ...login.tokens, accessExpiresAt: Date.now() - 1 };
    await store.save({ ...login, tokens: expired }, never);

    const workers = await Promise.all(
      Array.from({ length: count }, () =>
        startWorker({
          HOME: stateDir,
          SYNC_STATE_DIR: stateDir,
          SYNC_CONFIG_DIR: stateDir,
          SYNC_BASE_URL: service.url,
          SYNC_CLIENT_ID: service.clientId,
          SYNC_TOKEN_STORE: 'file',
        }),
      ),
    );
    for (const worker of workers) worker.begin();
    const tokens = await Promise.all(workers.map((worker) => worker.result()));

    const now = await store.load(never);
    expect(new Set(tokens)).toEqual(new Set([now?.tokens.accessToken?.reveal()]));
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
    expect(service.control.state().athletes[0]?.logins.map(({ revoked }) => revoked)).toEqual([
      false,
    ]);
  },
);
