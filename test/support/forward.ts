import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * Sends a request that a proxy received on to a server.
 *
 * @returns the answer, whole
 */
export async function forward(
  { method, url = '/', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Uint8Array,
  target: string,
) {
  const onwards = request(new URL(url, target), { method, headers });
  onwards.end(body);
  const [answer] = (await once(onwards, 'response')) as [IncomingMessage];
  const { statusCode: status = 502, headers: answered } = answer;
  return { status, headers: answered, body: await buffer(answer) };
}
