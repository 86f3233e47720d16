import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createSandboxApp } from './app.ts';
import { PUBLIC_CLIENT_ID } from './oauth/clients.ts';
import type { WorldOptions } from './world.ts';

/** The port after the login callback's (8917), easy to remember. */
export const DEFAULT_SANDBOX_PORT = 8918;

export interface ServerOptions extends WorldOptions {
  readonly port?: number | undefined;
}

export type SandboxServer = Readonly<Awaited<ReturnType<typeof startSandbox>>>;

/**
 * Serves the platform on 127.0.0.1 only.
 * @throws SettingError, FaultSpecError; the error of listening (`EADDRINUSE`) or of reading the
 *   data
 */
export async function startSandbox(options: ServerOptions = {}) {
  const { app, control, world, close: closeApp } = createSandboxApp(options);
  // The default would replace Request and Response for the whole process.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
  }) as Server;
  // Longer than clients keep idle connections, so that they, not a race, decide when one closes.
  server.keepAliveTimeout = 65_000;
  try {
    server.listen({ host: '127.0.0.1', port: options.port ?? DEFAULT_SANDBOX_PORT });
    await once(server, 'listening');
  } catch (error) {
    closeApp();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const ended = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await ended;
    closeApp();
  };
  return {
    /** Without a trailing slash. */
    url: `http://127.0.0.1:${port}`,
    port,
    clientId: PUBLIC_CLIENT_ID,
    clients: world.clients,
    control,
    /** Closes open connections, also those with a request in flight. May be called twice. */
    close: () => (closed ??= close()),
  };
}
