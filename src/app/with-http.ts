import type { Http } from '../api/http.ts';
import type { AppContext } from './context.ts';

/** Opens HTTP for one request at a time, runs a task with it, and closes it. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  const { tracedHttp } = await import('../api/open-http.ts');
  return await withUntracedHttp(context, (http) => task(tracedHttp(context, http)));
}

/** Does the same as {@link withHttp}, but writes no line for each request. */
export async function withUntracedHttp<T>(
  context: Pick<AppContext, 'env' | 'version'>,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  const http = await open(context);
  try {
    return await task(http);
  } finally {
    await http.close();
  }
}

/** Returns HTTP for one request at a time, which is loaded and opened with the first request. */
export function httpOnDemand(context: Pick<AppContext, 'env' | 'version'>): Http {
  let opened: Promise<Http> | undefined;
  return {
    async send(request) {
      opened ??= open(context);
      return await (await opened).send(request);
    },
    async close() {
      await opened?.then(
        (http) => http.close(),
        () => undefined,
      );
    },
  };
}

async function open({ env, version }: Pick<AppContext, 'env' | 'version'>): Promise<Http> {
  const { openHttp } = await import('../api/open-http.ts');
  return await openHttp({ env, version, connections: 1 });
}
