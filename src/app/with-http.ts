import type { Http } from '../api/http.ts';
import { openHttp, tracedHttp } from '../api/open-http.ts';
import type { AppContext } from './context.ts';

/** Opens HTTP for one request at a time, runs a task with it, and closes it. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  const { env, version } = context;
  const http = await openHttp({ env, version, connections: 1 });
  try {
    return await task(tracedHttp(context, http));
  } finally {
    await http.close();
  }
}
