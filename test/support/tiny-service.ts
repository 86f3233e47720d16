import { type IncomingMessage } from 'node:http';
import { openServer } from './local-server.ts';

export interface TinyRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Decoded JSON; undefined for other types. */
  readonly body: unknown;
}

export type Answer = readonly [status: number, body: unknown];

/**
 * Opens a service with scripted answers; all else is 404. It keeps the requests, in order.
 *
 * @param answers by `METHOD /path`, without the query; a function decides by the request
 */
export async function openTinyService(
  answers: Readonly<Record<string, Answer | ((request: TinyRequest) => Answer)>>,
) {
  const requests: TinyRequest[] = [];
  const { url } = await openServer((request, response) => {
    void read(request).then((text) => {
      const { method = '', url: path = '' } = request;
      const json = request.headers['content-type']?.includes('json') === true;
      const received = { method, path, body: json ? (JSON.parse(text) as unknown) : undefined };
      requests.push(received);
      const url = new URL(path, 'http://127.0.0.1');
      const answer = answers[`${method} ${url.pathname}`] ?? NOT_FOUND;
      const [status, answered] = typeof answer === 'function' ? answer(received) : answer;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answered));
    });
  });
  return { url, requests: requests as readonly TinyRequest[] };
}

const NOT_FOUND: Answer = [404, { statusCode: 404, message: 'Page not found' }];

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
