// Transitional: the old signature of `connect`, for `cli/watch.ts`.
import type { Config } from '../config/config.ts';
import { type Connection, connect as connectTo } from './connection.ts';
import type { AppContext } from './context.ts';
import type { Deps } from './deps.ts';
import type { ConnectOptions } from './open-connection.ts';

export function connectOptions(context: AppContext, connections: number) {
  return { context, connections };
}

export function connect(
  config: Config,
  _deps: Deps,
  { context, ...options }: ConnectOptions & { readonly context: AppContext },
): Connection {
  return connectTo(context, config, options);
}
