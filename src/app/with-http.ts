import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Http } from '../api/http.ts';
import { openHttp } from '../api/open-http.ts';
import type { AppContext } from './context.ts';

/** Opens HTTP for one request at a time, runs a task with it, and closes it. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  const { env, version } = context;
  const http = await openHttp({ env, version, connections: 1 });
  try {
    return await task(traced(context, http));
  } finally {
    await http.close();
  }
}

/** Traces each request: its method, path, status and time, without query, headers or body. */
export function traced({ clock, trace }: Pick<Context, 'clock' | 'trace'>, http: Http): Http {
  return {
    ...http,
    async send(request) {
      const started = clock.now();
      const line = (end: string) =>
        trace(`${request.method} ${request.url.pathname} ${end} ${clock.now() - started} ms`);
      try {
        const response = await http.send(request);
        line(String(response.status));
        return response;
      } catch (error) {
        line(error instanceof SyncError ? error.message : 'failed');
        throw error;
      }
    },
  };
}
