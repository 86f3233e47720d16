import { hostEnvironment } from '../app/context.ts';
import { LibraryClient } from './client.ts';
import { publicError } from './public-error.ts';
import type { Client, ClientOptions } from './types.ts';

export { SyncError, type ErrorCode } from './errors.ts';
export type * from './types.ts';

/**
 * Creates a client of a training platform: the same code as the program `sync`. Sends and opens nothing
 * before the first operation.
 *
 * @throws SyncError `CONFIG` for an invalid address or zone, `USAGE` for any other invalid option
 */
export function createClient(options: ClientOptions): Client {
  try {
    return new LibraryClient(options, hostEnvironment()) as Client;
  } catch (error) {
    throw publicError(error);
  }
}
