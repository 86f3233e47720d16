import type { HttpRequest } from './http.ts';

/** The headers of a request. The bearer token is revealed here, and nowhere else. */
export function headersOf(request: HttpRequest, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
  };
  if (request.bearer !== undefined) headers['authorization'] = `Bearer ${request.bearer.reveal()}`;
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.method !== 'GET') {
    const length = (request.body ?? []).reduce((sum, part) => sum + part.byteLength, 0);
    headers['content-length'] = String(length);
  }
  return headers;
}
