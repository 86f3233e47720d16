import { createHash } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { createSandboxApp, type SandboxApp } from '../../src/sandbox/app.ts';
import { SCOPES } from '../../src/sandbox/oauth/scopes.ts';
import type { WorldOptions } from '../../src/sandbox/world.ts';

export { openSandbox } from '../support/delivery.ts';
export { scratchDir } from '../support/scratch-dir.ts';

const VERIFIER = 'a-verifier-of-exactly-enough-characters-0123456789';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const REDIRECT_URI = 'http://127.0.0.1:8917/login';

/** Creates a sandbox without a port that closes after the test. */
export function openApp(options: WorldOptions = {}): SandboxApp {
  const sandbox = createSandboxApp(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Checks that a response is an error of the API, in the format of the platform. */
export async function expectError(
  response: Response,
  path: string,
  status: number,
  message: string,
  more: { readonly statusMessage?: string; readonly data?: unknown } = {},
): Promise<void> {
  const usual = { error: true, url: `http://localhost${path}`, statusMessage: 'Server Error' };
  const body = { ...usual, statusCode: status, message, ...more };
  expect([response.status, await response.json()]).toEqual([status, body]);
}

/** A clock that only `advance` moves. */
export function manualClock(start = Date.UTC(2026, 1, 15, 12)) {
  let time = start;
  return { now: () => time, advance: (ms: number) => void (time += ms) };
}

/** Returns a valid authorization request; `undefined` removes a parameter. */
export function authorizeUrl(changes: Record<string, string | undefined> = {}): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: 'sandbox-client',
    redirect_uri: REDIRECT_URI,
    scope: 'profile:read workout:write',
    state: 'state-1',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, value);
  }
  return `/api/oauth/authorize?${query.toString()}`;
}

/** Returns the target and the query of a redirect. */
export function redirectOf(response: Response): { to: string; query: Record<string, string> } {
  const url = new URL(response.headers.get('location') ?? 'about:blank');
  return { to: url.origin + url.pathname, query: Object.fromEntries(url.searchParams) };
}

export function postJson(
  { app }: Pick<SandboxApp, 'app'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return Promise.resolve(
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}

/** Gets a code from an auto-approving sandbox. */
export async function getCode(
  { app }: Pick<SandboxApp, 'app'>,
  changes: Record<string, string> = {},
): Promise<string> {
  return redirectOf(await app.request(authorizeUrl(changes))).query['code'] ?? '';
}

export function exchange(
  sandbox: Pick<SandboxApp, 'app'>,
  code: string,
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return postJson(sandbox, '/api/oauth/token', {
    grant_type: 'authorization_code',
    client_id: 'sandbox-client',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...changes,
  });
}

export function refresh(
  sandbox: Pick<SandboxApp, 'app'>,
  refreshToken: string | undefined,
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return postJson(sandbox, '/api/oauth/token', {
    grant_type: 'refresh_token',
    client_id: 'sandbox-client',
    refresh_token: refreshToken,
    ...changes,
  });
}

/** Returns the header of a new access token with these scopes (default: all). */
export function bearer(
  { control }: Pick<SandboxApp, 'control'>,
  scopes: readonly (typeof SCOPES)[number][] = SCOPES,
  athlete = 'athlete-1',
): Record<string, string> {
  const { access_token } = control.mint({ athlete, scopes: [...scopes] });
  return { authorization: `Bearer ${access_token}` };
}

export interface FormPart {
  readonly name: string;
  readonly fileName?: string;
  readonly content: string | Uint8Array;
}

/** Builds a multipart body like a client does. */
export function multipart(parts: readonly FormPart[], boundary = 'BOUNDARY') {
  const chunks = parts.flatMap(({ name, fileName, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${fileName === undefined ? '' : 'Content-Type: application/octet-stream\r\n'}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

export function upload(
  sandbox: SandboxApp,
  parts: readonly FormPart[],
  headers = bearer(sandbox),
): Promise<Response> {
  const form = multipart(parts);
  return Promise.resolve(
    sandbox.app.request('/api/workouts/upload-fit', {
      method: 'POST',
      headers: { ...headers, ...form.headers },
      body: form.body,
    }),
  );
}
