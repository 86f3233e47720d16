import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between the program and the sandbox that counts requests. */
export interface CountingProxy {
  readonly url: string;
  /** The highest number of requests in flight at once. */
  most(): number;
  total(): number;
}

/** @param target receives the requests; @param holdMs delay before each one is passed on (ms) */
export async function openCountingProxy(target: string, holdMs: number): Promise<CountingProxy> {
  let now = 0;
  let most = 0;
  let total = 0;
  const server = createServer((incoming, answer) => {
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, most: () => most, total: () => total };
}
