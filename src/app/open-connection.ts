import { whoIsLoggedIn } from '../api/account.ts';
import { missingScopeHint } from '../auth/login-errors.ts';
import { openSession } from '../auth/session.ts';
import { statedKind } from '../config/platforms.ts';
import { type Config, accountUrls, requireBaseUrl } from '../config/config.ts';
import { createServiceClient } from '../api/client.ts';
import { openHttp } from '../api/open-http.ts';
import { RETRIES, type RetryNotice, type RetryPolicy } from '../api/retry.ts';
import type { AppContext } from './context.ts';

export interface ConnectOptions {
  /** Requests at once (default: 1). */
  readonly connections?: number;
  /** Whether a person can answer an unlock prompt (default: if this is a terminal). */
  readonly attended?: boolean;
  readonly retry?: RetryPolicy;
  /** Names the athlete of the environment's tokens, if the platform does not (default: `SYNC_ACCOUNT`). */
  readonly athleteName?: string | undefined;
}

export type OpenConnection = Awaited<ReturnType<typeof openConnection>>;

/** Opens HTTP, the login and the client: loaded with the first request. */
export async function openConnection(context: AppContext, config: Config, options: ConnectOptions) {
  const { connections = 1, attended = context.io.interactive } = options;
  const http = await openHttp({ ...context, connections });
  const session = openSession(context, config, { ...context, http, attended });
  const reportPause = pauseReporter(context);
  const client = createServiceClient(context, {
    baseUrl: requireBaseUrl(config),
    kind: statedKind(config),
    endpoints: config.endpoints,
    http,
    tokens: session,
    policy: options.retry ?? RETRIES.run,
    onRetry: (notice) => {
      const { attempt, waitMs, reason } = notice;
      context.trace(`try ${attempt} failed: ${reason} Next in ${Math.round(waitMs)} ms.`);
      reportPause(notice);
    },
    scopeHint: (scope) => missingScopeHint(scope, config),
  });
  return {
    client,
    /** Reads the login, and renews it if that is due. @throws SyncError as a token source does */
    logIn: async (signal: AbortSignal) => await session.accessToken(signal),
    /** Asks the service who is logged in. @throws SyncError as a token source does, without a token */
    async whoIs(signal: AbortSignal, needsProof = false) {
      const asked = {
        ...accountUrls(config),
        http,
        policy: options.retry ?? RETRIES.answer,
        needsProof,
      };
      return await whoIsLoggedIn({ ...context, signal }, asked, session);
    },
    close: async () => {
      await session.close();
      await http.close();
    },
  };
}

/** Shortest pause that is reported to the user (ms). */
const NOTICED_MS = 3_000;

/** Reports a long pause once, not again for each request that waits at the same time. */
function pauseReporter({ clock, output }: AppContext): (notice: RetryNotice) => void {
  let reportedUntil = -Infinity;
  return ({ waitMs, reason }) => {
    const now = clock.now();
    if (waitMs < NOTICED_MS || now < reportedUntil) return;
    reportedUntil = now + waitMs;
    output.say(`${reason} Continuing in ${Math.ceil(waitMs / 1000)} s.`);
  };
}
