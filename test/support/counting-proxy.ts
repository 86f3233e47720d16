import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { forward } from './forward.ts';
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
    void (async () => {
      const body = await buffer(incoming);
      await sleep(holdMs);
      const reply = await forward(incoming, body, target);
      answer.writeHead(reply.status, reply.headers).end(reply.body);
    })().catch(() => answer.destroy());
  });
  return { url, most: () => most, total: () => total };
}
