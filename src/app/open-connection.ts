import { PATIENT, whoIsLoggedIn } from '../auth/account.ts';
import { openSession } from '../auth/open-session.ts';
import { missingScopeHint } from '../config/scopes.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import type { Deps } from './deps.ts';
import { createServiceClient } from '../api/client.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { openHttp, tracedHttp } from '../api/open-http.ts';
import { DEFAULT_RETRY, type RetryNotice } from '../api/retry.ts';
import type { Clock } from '../base/time.ts';
import type { ConnectOptions, OpenConnection } from './connect.ts';

/** Loads and opens what a request needs: HTTP, the login, the client over both. */
export async function openConnection(
  config: Config,
  deps: Deps,
  options: ConnectOptions,
): Promise<OpenConnection> {
  const { env, clock } = deps;
  const { version, connections, attended, onWarning, onPause, trace } = options;
  const http = tracedHttp({ clock, trace }, await openHttp({ env, version, connections }));
  const { platform, programDir } = deps;
  const session = openSession(config, {
    http,
    clock,
    env,
    platform,
    programDir,
    attended,
    onWarning,
  });
  session.start();
  const tellPause = pauseTeller(clock, onPause);
  const client = createServiceClient(
    { clock, random: Math.random },
    {
      baseUrl: requireBaseUrl(config),
      endpoints: config.endpoints,
      http,
      tokens: session,
      policy: options.retry ?? DEFAULT_RETRY,
      onRetry: (notice) => {
        const { attempt, waitMs, reason } = notice;
        trace(`try ${attempt} failed: ${reason} Next in ${Math.round(waitMs)} ms.`);
        tellPause(notice);
      },
      scopeHint: (scope) =>
        missingScopeHint(scope, {
          asked: config.get('scope'),
          fromEnvironment: hasEnvironmentTokens(config),
        }),
    },
  );
  return {
    client,
    async whoIs(signal) {
      const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
      const policy = options.retry ?? PATIENT;
      return await whoIsLoggedIn({ http, clock, url, policy }, session, signal);
    },
    close: async () => {
      await session.close();
      await http.close();
    },
  };
}

/** Shorter pauses than this are nobody's concern, in ms. Longer ones are the service's wish. */
const NOTICED_MS = 3_000;

/** Tells of a long pause; not of those that other requests make in the same time. */
function pauseTeller(clock: Clock, onPause: (text: string) => void): (notice: RetryNotice) => void {
  let toldUntil = -Infinity;
  return ({ waitMs, reason }) => {
    const now = clock.now();
    if (waitMs < NOTICED_MS || now < toldUntil) return;
    toldUntil = now + waitMs;
    onPause(`${reason} Going on in ${Math.ceil(waitMs / 1000)} s.`);
  };
}
