import { request } from 'node:http';
import { openServer } from './local-server.ts';

/**
 * Opens a proxy between the program and the sandbox that counts requests, at once and in total.
 *
 * @param holdMs delay before each request is passed on (ms)
 */
export async function openCountingProxy(target: string, holdMs: number) {
  let now = 0;
  let most = 0;
  let total = 0;
  const { url } = await openServer((incoming, answer) => {
    now += 1;
    total += 1;
    most = Math.max(most, now);
    answer.once('close', () => (now -= 1));
    const onwards = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers: incoming.headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      },
    );
    onwards.on('error', () => answer.destroy());
    setTimeout(() => incoming.pipe(onwards), holdMs);
  });
  return { url, most: () => most, total: () => total };
}
