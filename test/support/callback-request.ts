import { request } from 'node:http';

export interface CallbackRequest {
  readonly method?: string;
  readonly path?: string;
  /** The `Host` header; absent: the address's own. */
  readonly host?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * Sends a request to a login's listener as no browser would: any method, path, `Host` and query.
 *
 * @returns the status, and the page
 */
export function sendToListener(
  redirectUri: string,
  { method = 'GET', path, host, query = {} }: CallbackRequest,
): Promise<{ status: number; html: string }> {
  const url = new URL(redirectUri);
  if (path !== undefined) url.pathname = path;
  url.search = new URLSearchParams(query).toString();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent: false, headers: { host: host ?? url.host } },
      (answer) => {
        let html = '';
        answer.setEncoding('utf8').on('data', (text: string) => (html += text));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, html }));
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
