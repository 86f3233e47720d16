import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forward } from '../support/forward.ts';
import { openServer } from '../support/local-server.ts';
import type { World } from '../support/world.ts';

/** A request that reached a gateway. */
export interface GatewayRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An answer in place of the service's. */
export interface Substitute {
  /** Whether the service gets the request, and acts on it. */
  readonly acts: boolean;
  /** Returns all bytes of the answer. @param real body of the service's answer, if it acted */
  readonly answer: (request: GatewayRequest, real: Buffer) => Uint8Array;
}

/** An HTTP proxy to the sandbox that puts other answers in place of the service's. */
export interface Gateway {
  readonly url: string;
  /** Sets what decides about each request; undefined passes the service's answer. */
  replace(choose: ((request: GatewayRequest) => Substitute | undefined) | undefined): void;
  /** Returns the number of substituted answers since the last call. */
  settle(): number;
}

export async function openGateway({ sandbox }: World): Promise<Gateway> {
  let choose: ((request: GatewayRequest) => Substitute | undefined) | undefined;
  let hits = 0;
  const { url } = await openServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      const { pathname: path } = new URL(incoming.url ?? '/', sandbox.url);
      const { method = 'GET', headers } = incoming;
      const received = { method, path, headers, body };
      const substitute = choose?.(received);
      if (substitute === undefined) {
        const real = await forward(incoming, body, sandbox.url);
        outgoing.writeHead(real.status, real.headers).end(real.body);
        return;
      }
      hits++;
      const acted = substitute.acts ? await forward(incoming, body, sandbox.url) : undefined;
      incoming.socket.end(substitute.answer(received, acted?.body ?? Buffer.alloc(0)));
    })().catch(() => incoming.socket.destroy());
  });
  return {
    url,
    replace: (next) => void (choose = next),
    settle: () => {
      const settled = hits;
      hits = 0;
      return settled;
    },
  };
}

/** Returns the bytes of an answer with a body of known length, unless `headers` say otherwise. */
export function answerBytes(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | string = '',
): Uint8Array {
  const bytes = Buffer.from(body);
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} Answer\r\n${lines.join('')}\r\n`;
  return new Uint8Array(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}

/** A server of another origin that nothing may speak to. */
export interface Stranger {
  readonly port: number;
  /** Returns the requests that it received, with their headers and bodies. */
  heard(): readonly string[];
}

export async function openStranger(): Promise<Stranger> {
  const heard: string[] = [];
  const { port } = await openServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      heard.push(`${incoming.method ?? ''} ${JSON.stringify(incoming.headers)} ${body.toString()}`);
      outgoing.end('{}');
    });
  }, '::');
  return { port, heard: () => heard };
}
