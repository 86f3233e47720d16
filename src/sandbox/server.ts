import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createSandboxApp } from './app.ts';
import { PUBLIC_CLIENT_ID } from './clients.ts';
import type { Control } from './control.ts';
import type { WorldOptions } from './world.ts';

/** Not the callback's port (8917), so that both can be remembered together. */
export const DEFAULT_SANDBOX_PORT = 8918;

export interface SandboxOptions extends WorldOptions {
  /** 0: any free port. */
  readonly port?: number | undefined;
}

/** A running sandbox. */
export interface Sandbox {
  /** Without a slash at the end: `http://127.0.0.1:8918`. */
  readonly url: string;
  readonly port: number;
  /** The public client that is registered with it. */
  readonly clientId: string;
  /** What the control endpoints do, for code in the same process. */
  readonly control: Control;
  /** Ends open connections too, even those that wait for an answer. May be called twice. */
  close(): Promise<void>;
}

/**
 * Serves the emulated platform on 127.0.0.1, and nowhere else.
 * @throws SettingError, FaultSpecError; the listen error (`EADDRINUSE`); whatever opening the
 *   database throws
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { app, control, close: closeApp } = createSandboxApp(options);
  // Without the override: the Request and Response of the whole process would be replaced.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
  }) as Server;
  // Longer than a client keeps an idle connection: it, not a race, decides when one ends.
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
    url: `http://127.0.0.1:${port}`,
    port,
    clientId: PUBLIC_CLIENT_ID,
    control,
    close: () => (closed ??= close()),
  };
}
