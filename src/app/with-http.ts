import type { Http } from '../api/http.ts';
import { openHttp, tracedHttp } from '../api/open-http.ts';
import type { AppContext } from './context.ts';

/** Opens HTTP for one request at a time, runs a task with it, and closes it. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  return await withUntracedHttp(context, (http) => task(tracedHttp(context, http)));
}

/** Does the same as {@link withHttp}, but writes no line for each request. */
export async function withUntracedHttp<T>(
  { env, version }: Pick<AppContext, 'env' | 'version'>,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  const http = await openHttp({ env, version, connections: 1 });
  try {
    return await task(http);
  } finally {
    await http.close();
  }
}
