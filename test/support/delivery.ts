import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { type ServerOptions, type SandboxServer, startSandbox } from '../../src/sandbox/server.ts';
import { Secret } from '../../src/base/secret.ts';
import type { TokenSource } from '../../src/api/token-source.ts';
import { type ServiceClient, createServiceClient } from '../../src/api/client.ts';
import { DEFAULT_ENDPOINTS } from '../../src/config/endpoints.ts';
import { createNodeHttp } from '../../src/api/node-http.ts';
import { RETRIES, type RetryPolicy } from '../../src/api/retry.ts';
import { testContext } from './context.ts';
import type { Clock } from '../../src/base/time.ts';

/** Starts a sandbox on a free port; it closes with the test. */
export async function openSandbox(options: ServerOptions = {}): Promise<SandboxServer> {
  const sandbox = await startSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The real clock, with pauses of 5 ms at most. */
export const hastyClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

/** How many times faster {@link briskClock} runs. */
const BRISK = 4;

/**
 * A clock for a watcher: its pauses of more than a second pass in a fourth of their time. Shorter limits, the limits of
 * requests, and the times of files are real.
 */
export const briskClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * BRISK,
  sleep: (ms, signal) => systemClock.sleep(ms > 1_000 ? ms / BRISK : ms, signal),
};

/** Creates a client of a sandbox or another service over real HTTP; counts how often it is used. */
export function clientOf(
  service: Pick<SandboxServer, 'url'> & Partial<Pick<SandboxServer, 'control'>>,
  mint: Parameters<SandboxServer['control']['mint']>[0] = {},
  over: { accessToken?: TokenSource['accessToken']; clock?: Clock; policy?: RetryPolicy } = {},
) {
  const http = createNodeHttp(16);
  onTestFinished(() => http.close());
  const token = new Secret(service.control?.mint(mint).access_token ?? 'a-token');
  const context = testContext({ clock: over.clock ?? hastyClock, random: () => 0 });
  const client = createServiceClient(context, {
    baseUrl: new URL(service.url),
    endpoints: DEFAULT_ENDPOINTS,
    http,
    tokens: {
      accessToken: over.accessToken ?? (() => Promise.resolve(token)),
      replace: () => Promise.resolve(new Secret('another-token')),
      scopes: () => Promise.resolve(mint.scopes),
    },
    policy: over.policy ?? RETRIES.run,
  });
  let asked = 0;
  return {
    client: (): Promise<ServiceClient> => {
      asked++;
      return Promise.resolve(client);
    },
    asked: () => asked,
  };
}
