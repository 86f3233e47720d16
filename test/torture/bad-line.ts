import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { World } from '../support/world.ts';

type Direction = 'request' | 'answer';
type Cut = 'reset' | 'close';

/** Misbehaviour of a line between the program and the service, counted in bytes. */
export type LineFault =
  /** Passes `after` bytes in this direction, then ends both connections. */
  | { readonly what: 'cut'; readonly in: Direction; readonly after: number; readonly how: Cut }
  /** The same after a silence of `ms`; Infinity: never ends them. */
  | { readonly what: 'stall'; readonly in: Direction; readonly after: number; readonly ms: number }
  /** Ends its sending direction after `after` bytes of the answer, and goes on reading. */
  | { readonly what: 'half-close'; readonly in: 'answer'; readonly after: number }
  /** Passes both directions one byte at a time, and loses nothing. */
  | { readonly what: 'drip' }
  /** Sends these bytes before the answer. */
  | { readonly what: 'garbage'; readonly bytes: string }
  /** Sends the answer twice. */
  | { readonly what: 'double' }
  /** Accepts the request and never reads it; ends the connection after `ms`. */
  | { readonly what: 'never-read'; readonly ms: number };

/** A TCP proxy to the sandbox that misbehaves once for each fault of its script. */
export interface BadLine {
  readonly url: string;
  /** Adds faults; each hits one request. */
  script(faults: readonly LineFault[]): void;
  /** Refuses connections until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Drops the faults that hit nothing. @returns the number of requests that a fault hit */
  settle(): number;
}

/**
 * @param only a text in the first line of the requests that faults may hit; default: any request
 */
export async function openBadLine({ sandbox }: World, only = ''): Promise<BadLine> {
  const { port: targetPort } = new URL(sandbox.url);
  const script: LineFault[] = [];
  const sockets = new Set<Socket>();
  let hits = 0;
  const server = createServer((client) => {
    const service = connect(Number(targetPort), '127.0.0.1');
    for (const socket of [client, service]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    }
    carry(client, service, (head) => {
      if (script.length === 0 || !head.includes(only)) return undefined;
      hits++;
      return script.shift();
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    drop();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    script: (faults) => void script.push(...faults),
    refuse: async () => {
      const closed = once(server, 'close');
      server.close();
      drop();
      await closed;
    },
    accept: () => listen(port),
    settle: () => {
      script.length = 0;
      const settled = hits;
      hits = 0;
      return settled;
    },
  };
}

/** Connects two sockets. @param draw returns the fault of a request, by its first bytes */
function carry(
  client: Socket,
  service: Socket,
  draw: (head: string) => LineFault | undefined,
): void {
  let fault: LineFault | undefined;
  let answering = true;
  let passed = { request: 0, answer: 0 };
  const toService = dripping(service);
  const toClient = dripping(client);
  const end = (how: Cut) => {
    if (how === 'reset') client.resetAndDestroy();
    else client.destroySoon();
    service.destroySoon();
  };
  const after = async (ms: number) => {
    if (ms === Infinity) return;
    await sleep(ms);
    end('reset');
  };
  /** Passes on what the fault leaves of some bytes, and breaks the line behind the last one. */
  const passOn = (direction: Direction, bytes: Buffer, write: (part: Buffer) => void) => {
    const limit = fault && 'in' in fault && fault.in === direction ? fault.after : Infinity;
    const left = limit - passed[direction];
    passed[direction] += bytes.length;
    write(bytes.subarray(0, Math.max(0, left)));
    if (passed[direction] < limit) return;
    if (fault?.what === 'cut') end(fault.how);
    if (fault?.what === 'half-close') client.end();
    if (fault?.what === 'stall') void after(fault.ms);
  };
  client.on('data', (bytes) => {
    // The first bytes after an answer are a new request.
    if (answering) {
      answering = false;
      passed = { request: 0, answer: 0 };
      const [head = ''] = bytes.toString('latin1').split('\r\n', 1);
      fault = draw(head);
      if (fault?.what === 'never-read') {
        client.pause();
        void after(fault.ms);
      }
    }
    if (fault?.what === 'never-read') return;
    passOn('request', bytes, (part) => toService.write(part, fault?.what === 'drip'));
  });
  service.on('data', (bytes) => {
    if (!answering && fault?.what === 'garbage') client.write(fault.bytes, 'latin1');
    answering = true;
    passOn('answer', bytes, (part) => {
      toClient.write(part, fault?.what === 'drip');
      if (fault?.what === 'double') client.write(part);
    });
  });
  client.once('close', () => service.destroy());
  service.once('close', () => void toClient.written().then(() => client.destroySoon()));
}

/** Bytes that are dripped; the rest of a recording follows in one piece. */
const DRIPPED_BYTES = 3_000;

/** Writes to a socket, or drips: one byte at a time, each in its own packet. */
function dripping(socket: Socket) {
  let written = Promise.resolve();
  let left = DRIPPED_BYTES;
  const drip = async (bytes: Uint8Array) => {
    const single = Math.min(left, bytes.length);
    left -= single;
    for (let at = 0; at < single && !socket.destroyed; at++) {
      const byte = bytes.subarray(at, at + 1);
      await new Promise<void>((done) => socket.write(byte, () => done()));
    }
    socket.write(bytes.subarray(single));
  };
  return {
    write: (bytes: Uint8Array, inDrops: boolean) => {
      if (inDrops) written = written.then(() => drip(bytes));
      else socket.write(bytes);
    },
    /** Resolves when everything was passed on. */
    written: () => written,
  };
}
