import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { EXCHANGES } from '../../src/sandbox/http/request-log.ts';
import { fingerprint } from '../../src/sandbox/random.ts';
import type { AnsweredRequest } from '../../src/sandbox/types.ts';
import { type World, tokenFile } from '../support/acceptance.ts';

/** The tokens that the sandbox issues, as its own answers state them. */
export interface IssuedTokens {
  /** Fingerprint of the newest refresh token that the service accepts; undefined before the first answer. */
  readonly newest: () => string | undefined;
  /** Answers with new tokens. */
  readonly count: () => number;
}

/** Follows the answers of the token endpoint until the end of the round. */
export function followTokens(): IssuedTokens {
  let newest: string | undefined;
  let count = 0;
  const onExchange = (message: unknown) => {
    const { route, status, answer } = message as AnsweredRequest;
    if (route !== 'token' || status !== 200) return;
    count += 1;
    newest = (answer?.body as { refresh_token?: string }).refresh_token ?? newest;
  };
  subscribe(EXCHANGES, onExchange);
  onTestFinished(() => void unsubscribe(EXCHANGES, onExchange));
  return { newest: () => newest, count: () => count };
}

/** Returns the stored refresh token; undefined without a login. @throws SyntaxError for a broken file */
export function storedRefreshToken(world: World): string | undefined {
  let text: string;
  try {
    text = readFileSync(tokenFile(world), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return (JSON.parse(text) as { refreshToken?: string }).refreshToken;
}

/** Returns whether the service accepts only a refresh token that is not stored. */
export function isLoginLost(world: World, issued: IssuedTokens): boolean {
  const newest = issued.newest();
  return newest !== undefined && fingerprint(storedRefreshToken(world) ?? '') !== newest;
}

/** Returns whether the service received a request with the access token that it issued last. */
export function wasUsed({ sandbox }: World): boolean {
  const requests = sandbox.control.requests();
  const issued = requests.findLastIndex(({ route, status }) => route === 'token' && status === 200);
  const [, ...later] = requests.slice(issued);
  return issued !== -1 && later.some(({ athlete }) => athlete !== null);
}

/** Returns the logins of an athlete that the service still accepts. */
export function liveLogins({ sandbox }: World, athlete = 'athlete-1'): number {
  const { logins = [] } = sandbox.control.state(athlete).athletes[0] ?? {};
  return logins.filter(({ revoked }) => !revoked).length;
}
