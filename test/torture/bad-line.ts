import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Misbehaviour of a line between the program and the service, counted in bytes. */
export type LineFault =
  /** Passes `after` bytes of the request, then ends both connections. */
  | { readonly what: 'cut-request'; readonly after: number; readonly how: Cut }
  /** Passes the request and `after` bytes of the answer, then ends both connections. */
  | { readonly what: 'cut-answer'; readonly after: number; readonly how: Cut }
  /** As `cut-request` and `cut-answer`, after a silence of `ms`; Infinity: never ends them. */
  | { readonly what: 'stall-request'; readonly after: number; readonly ms: number }
  | { readonly what: 'stall-answer'; readonly after: number; readonly ms: number }
  /** Ends its sending direction after `after` bytes of the answer, and goes on reading. */
  | { readonly what: 'half-close'; readonly after: number }
  /** Passes both directions one byte at a time, and loses nothing. */
  | { readonly what: 'drip' }
  /** Sends these bytes before the answer. */
  | { readonly what: 'garbage'; readonly bytes: string }
  /** Sends the answer twice. */
  | { readonly what: 'double' }
  /** Accepts the request and never reads it; ends the connection after `ms`. */
  | { readonly what: 'never-read'; readonly ms: number };

type Cut = 'reset' | 'close';

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
 * @param target URL of the sandbox
 * @param only a text in the first line of the requests that faults may hit; default: any request
 */
export async function openBadLine(target: string, only = ''): Promise<BadLine> {
  const { port: targetPort } = new URL(target);
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
    const left = limitOf(fault, 'request') - passed.request;
    passed.request += bytes.length;
    toService.write(bytes.subarray(0, Math.max(0, left)), fault?.what === 'drip');
    if (passed.request < limitOf(fault, 'request')) return;
    if (fault?.what === 'cut-request') end(fault.how);
    if (fault?.what === 'stall-request') void after(fault.ms);
  });
  service.on('data', (bytes) => {
    if (!answering && fault?.what === 'garbage') client.write(fault.bytes, 'latin1');
    answering = true;
    const left = limitOf(fault, 'answer') - passed.answer;
    passed.answer += bytes.length;
    const part = bytes.subarray(0, Math.max(0, left));
    toClient.write(part, fault?.what === 'drip');
    if (fault?.what === 'double') client.write(part);
    if (passed.answer < limitOf(fault, 'answer')) return;
    if (fault?.what === 'cut-answer') end(fault.how);
    if (fault?.what === 'half-close') client.end();
    if (fault?.what === 'stall-answer') void after(fault.ms);
  });
  client.once('close', () => service.destroy());
  service.once('close', () => void toClient.written().then(() => client.destroySoon()));
}

/** Returns the number of bytes that a fault lets pass in one direction. */
function limitOf(fault: LineFault | undefined, direction: 'request' | 'answer'): number {
  switch (fault?.what) {
    case 'cut-request':
    case 'stall-request':
      return direction === 'request' ? fault.after : Infinity;
    case 'cut-answer':
    case 'stall-answer':
    case 'half-close':
      return direction === 'answer' ? fault.after : Infinity;
    default:
      return Infinity;
  }
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
