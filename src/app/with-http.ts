import type { Http } from '../api/http.ts';
import { type Session, openSession } from '../auth/session.ts';
import type { Config } from '../config/config.ts';
import type { AppContext } from './context.ts';

/** Runs a task with HTTP for one request at a time, which is loaded and opened with the first request. */
export async function withHttp<T>(
  context: AppContext,
  task: (http: Http) => Promise<T>,
): Promise<T> {
  let opened: Promise<Http> | undefined;
  const open = async () => {
    const { openHttp } = await import('../api/open-http.ts');
    return await openHttp({ ...context, connections: 1 });
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

/** Runs a task with the login of this profile, which is read with the first token. */
export async function withSession<T>(
  context: AppContext,
  config: Config,
  task: (session: Session, http: Http) => Promise<T>,
): Promise<T> {
  return await withHttp(context, async (http) => {
    const attended = context.io.interactive;
    const session = openSession(context, config, { ...context, http, attended });
    try {
      return await task(session, http);
    } finally {
      await session.close();
    }
  });
}
