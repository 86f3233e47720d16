import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forward } from './forward.ts';
import { openServer } from './local-server.ts';

export type SecretKind =
  'access token' | 'refresh token' | 'client secret' | 'authorization code' | 'verifier' | 'state';

const FIELDS: Readonly<Record<string, SecretKind>> = {
  access_token: 'access token',
  refresh_token: 'refresh token',
  token: 'refresh token',
  client_secret: 'client secret',
  code: 'authorization code',
  code_verifier: 'verifier',
  state: 'state',
};

/** Opens a proxy between the program and the sandbox that records every secret in the traffic. */
export async function openWireTap(target: string) {
  const found = new Map<string, SecretKind>();
  const learn = (fields: Iterable<readonly [string, unknown]>) => {
    for (const [name, value] of fields) {
      const kind = FIELDS[name];
      // What a kind is called first stays: a revoked access token is sent as `token`.
      if (kind === undefined || typeof value !== 'string' || found.has(value)) continue;
      found.set(value, kind);
    }
  };
  const learnBody = (message: Pick<IncomingMessage, 'headers'>, body: Buffer) => {
    if (message.headers['content-type']?.includes('json') !== true) return;
    try {
      learn(Object.entries(JSON.parse(body.toString()) as object));
    } catch {
      // A fault cut the response: the program received no secret of it.
    }
  };
  const { url } = await openServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      learn(new URL(incoming.url ?? '/', target).searchParams);
      learnBody(incoming, body);
      const [, bearer] = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '') ?? [];
      learn([['access_token', bearer]]);
      const answer = await forward(incoming, body, target);
      learnBody(answer, answer.body);
      if (answer.headers.location !== undefined) {
        learn(new URL(answer.headers.location).searchParams);
      }
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    })().catch(() => incoming.socket.destroy());
  });
  return { url, secrets: (): ReadonlyMap<string, SecretKind> => found };
}
