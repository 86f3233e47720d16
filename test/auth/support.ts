import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { onTestFinished } from 'vitest';
import { Session, type SessionOptions } from '../../src/auth/session.ts';
import { decodeTokenResponse } from '../../src/auth/token-response.ts';
import { fileStore, tokenFilePath } from '../../src/credentials/file.ts';
import type { Credentials } from '../../src/credentials/store.ts';
import { systemClock } from '../../src/system/this-process.ts';
import type { System } from '../../src/app/context.ts';
import { SyncError } from '../../src/base/errors.ts';
import { type Text, renderText } from '../../src/base/phrase.ts';
import type { Io } from '../../src/terminal/io.ts';
import { type SandboxServer, type ServerOptions, startSandbox } from '../../src/sandbox/server.ts';
import type { Http } from '../../src/api/http.ts';
import { createNodeHttp } from '../../src/api/node-http.ts';
import type { Clock } from '../../src/base/time.ts';
import { testContext } from '../support/context.ts';
import { plainIo } from '../support/io.ts';

export { failure } from '../support/failure.ts';
export { scratchDir } from '../support/scratch-dir.ts';

/** Starts a sandbox on a free port; it ends with the test. */
export async function sandbox(options: ServerOptions = {}): Promise<SandboxServer> {
  // Logins here listen on any free port, so that tests may run side by side.
  const settings = { exactRedirectUris: false, ...options.settings };
  const started = await startSandbox({ port: 0, ...options, settings });
  onTestFinished(() => started.close());
  return started;
}

export function realHttp(): Http {
  const http = createNodeHttp(8);
  onTestFinished(() => http.close());
  return http;
}

/** Up to this many ms a pause is one between tries, and made short; beyond, it is a time limit. */
const LONGEST_PAUSE_MS = 10_000;

/** The real clock, which can be put forward; pauses between tries take next to no time. */
export function testClock(): Clock & { advance(ms: number): void } {
  let shift = 0;
  return {
    now: () => systemClock.now() + shift,
    monotonic: () => systemClock.monotonic() + shift,
    sleep: (ms, signal) => systemClock.sleep(ms > LONGEST_PAUSE_MS ? ms : Math.min(ms, 20), signal),
    advance: (ms) => void (shift += ms),
  };
}

/** Never aborted. */
export const never = new AbortController().signal;
// Some tests have twenty callers wait with it.
setMaxListeners(0, never);

/** Credentials as a login at this sandbox gives them. */
export function mint(
  { url, control, clientId }: SandboxServer,
  request: Parameters<SandboxServer['control']['mint']>[0] = {},
): Credentials {
  const answer = control.mint(request);
  return {
    service: url,
    clientId: request.clientId ?? clientId,
    clientSecret: undefined,
    accountId: undefined,
    tokens: decodeTokenResponse(answer, { now: Date.now(), askedScopes: undefined }, 'test'),
  };
}

/** The options of a session in a test, and its clock. */
export type TestSessionOptions = SessionOptions & { readonly clock: Clock };

/** Returns the options for a session over a token file, against a sandbox. */
export function sessionOptions(
  { url }: SandboxServer,
  over: Partial<TestSessionOptions> & { readonly stateDir: string },
): TestSessionOptions {
  return {
    profile: 'default',
    clock: testClock(),
    http: realHttp(),
    store: fileStore(tokenFilePath(over.stateDir, 'default'), process.platform),
    service: url,
    tokenUrl: new URL('/api/oauth/token', url),
    accountId: undefined,
    secretOf: (login) => login.clientSecret,
    ...over,
  };
}

/** @param warnings collects the warnings of the session */
export function openTestSession(
  { clock, ...options }: TestSessionOptions,
  warnings: Text[] = [],
): Session {
  const warn = (text: Text) => void warnings.push(text);
  const session = new Session(testContext({ clock, warn }), options);
  onTestFinished(() => session.close());
  return session;
}

export function tokenRequests({ control }: SandboxServer): readonly { status: number | null }[] {
  return control.requests({ route: 'token' }).map(({ status }) => ({ status }));
}

/** The authorization URL that the address leads to with which a login starts a browser. */
export async function openStart(address: string): Promise<URL> {
  const response = await fetch(address, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? `about:${String(response.status)}`);
}

/** Every way in which a thing may end up on a screen or in a log. */
export function everythingShownOf(value: unknown): string {
  const parts = [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value)];
  for (let error = value; error instanceof Error; error = error.cause) {
    parts.push(error.message, error.stack ?? '', String(error));
    if (error instanceof SyncError)
      parts.push(JSON.stringify(error.details), String(error.hint ?? ''));
  }
  return parts.join('\n');
}

/** A terminal that a test types into, or none. */
export function testIo(
  options: { interactive?: boolean; stdin?: string; answers?: Record<string, string[]> } = {},
): Io & { readonly asked: { question: string; hidden: boolean }[] } {
  const asked: { question: string; hidden: boolean }[] = [];
  const answers = new Map(Object.entries(options.answers ?? {}).map(([k, v]) => [k, [...v]]));
  return {
    ...plainIo(),
    asked,
    interactive: options.interactive ?? false,
    stderrIsTerminal: options.interactive ?? false,
    async *readStdin() {
      await Promise.resolve();
      yield Buffer.from(options.stdin ?? '');
    },
    ask(text, { hidden = false, signal }) {
      const question = renderText(text, undefined);
      asked.push({ question, hidden });
      for (const [begin, list] of answers) {
        const next = question.startsWith(begin) ? list.shift() : undefined;
        if (next !== undefined) return Promise.resolve(next);
      }
      // Without an answer the question waits until it is cancelled.
      return new Promise((_resolve, reject) => {
        const stop = () => reject(signal.reason as Error);
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
      });
    },
  };
}

/** The outside world of a test. */
export function testSystem(over: Partial<System> & { homeDir: string }): System {
  return {
    env: {},
    platform: process.platform,
    cwd: over.homeDir,
    clock: testClock(),
    io: testIo(),
    signal: never,
    // The first athlete's zone at the sandbox: a login has nothing to ask about it.
    machineZone: () => 'Europe/Stockholm',
    openBrowser: () => Promise.reject(new Error('there is no browser in this test')),
    systemConfigFile: join(over.homeDir, 'system', 'config.json'),
    programDir: join(over.homeDir, 'nowhere'),
    ...over,
  };
}
