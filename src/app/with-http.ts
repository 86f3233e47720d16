import type { Http } from '../api/http.ts';
import type { AppContext } from './context.ts';

/** Runs a task with HTTP for one request at a time, which is loaded and opened with the first request. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  let opened: Promise<Http> | undefined;
  const open = async () => {
    const { openHttp, tracedHttp } = await import('../api/open-http.ts');
    return tracedHttp(context, await openHttp({ ...context, connections: 1 }));
  };
  const close = async () => {
    await opened?.then(
      (http) => http.close(),
      () => undefined,
    );
  };
  try {
    return await task({
      send: async (request) => await (await (opened ??= open())).send(request),
      close,
    });
  } finally {
    await close();
  }
}
