import type { Revision } from '../../src/sandbox/settings.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import { type World, openHome, openSandbox, worldOf } from '../support/world.ts';
import { type MomentProxy, openMomentProxy } from './moment-proxy.ts';

/** Opens a world without a login; all of its requests pass a {@link MomentProxy}. */
export async function openBehindProxy(
  revision: Revision,
  settings: Partial<SandboxSettings> = {},
): Promise<{ readonly world: World; readonly proxy: MomentProxy }> {
  const sandbox = await openSandbox({ settings }, revision);
  const proxy = await openMomentProxy(sandbox.url);
  const home = openHome({
    SYNC_BASE_URL: proxy.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TOKEN_STORE: 'file',
  });
  return { world: worldOf(sandbox, home), proxy };
}
