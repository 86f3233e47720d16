import type { Config } from '../config/config.ts';
import { type Connection, connect } from './connect.ts';
import type { AppContext } from './context.ts';
import { connectOptions } from './invocation.ts';
import { type OpenLedger, openLedger } from './open-ledger.ts';

export interface ConnectionOptions {
  /** Requests in flight at once. */
  readonly connections: number;
}

/** Runs a task with a connection to the service, and closes it. */
export async function withConnection<T>(
  context: AppContext,
  config: Config,
  { connections }: ConnectionOptions,
  task: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connect(config, context, connectOptions(context, connections));
  try {
    return await task(connection);
  } finally {
    await connection.close();
  }
}

/**
 * Runs a task with a connection to the service and the ledger of its account, and closes both.
 *
 * @param options `offline`: send nothing to learn whose login it is (a dry run)
 */
export async function withLedger<T>(
  context: AppContext,
  config: Config,
  options: ConnectionOptions & { readonly offline: boolean },
  task: (connection: Connection, ledger: OpenLedger) => Promise<T>,
): Promise<T> {
  return await withConnection(context, config, options, async (connection) => {
    const account = await connection.ledgerAccount(options);
    const ledger = openLedger(config, account, context.clock);
    try {
      return await task(connection, ledger);
    } finally {
      ledger.close();
    }
  });
}
