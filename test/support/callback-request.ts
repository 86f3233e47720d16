import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the path and query of the address. */
  readonly path?: string;
}

/** Sends a request to a login's listener, like a browser or like an attacker. */
export async function ask(target: string, options: Asked = {}) {
  const url = new URL(target);
  const sent = request({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: options.path ?? url.pathname + url.search,
    method: options.method ?? 'GET',
    headers: options.headers,
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  const { statusCode: status, headers } = response;
  return { status, headers, body };
}
