import { quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { platformZone, sameClocks } from '../../app/platform-zone.ts';
import { zoneFor } from '../../app/zone.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { hasEnvironmentTokens } from '../../config/config.ts';
import { changeProfile } from '../../config/config-write.ts';
import { agrees } from '../../app/confirm.ts';

/**
 * Offers the platform's time zone, if no zone is set and this machine's has other clocks. Asks at a
 * terminal, and prints one line elsewhere.
 */
export async function offerZone(context: AppContext): Promise<void> {
  const config = quietConfigFor(context);
  // The tokens of the environment may be of another platform than this login.
  if (config.get('timezone') !== undefined || hasEnvironmentTokens(config)) return;
  const zone = await platformZone(context, config);
  if (zone === undefined) return;
  const machine = await machineZone();
  if (machine !== undefined && sameClocks(zone, machine, context.clock.now())) return;
  const here =
    machine === undefined ? "this machine's zone is unknown" : `this machine is in ${machine}`;
  const found = `The platform has you in ${zone}; ${here}.`;
  if (!context.io.interactive) {
    context.warn(
      phrase`${found} ${sync('config', 'set', 'timezone', zone)} counts your days in ${zone}.`,
    );
    return;
  }
  context.warn(found);
  if (!(await agrees(context, `Count your days in ${zone}?`, { onEnter: true }))) return;
  await changeProfile(config.paths, config.profile, { settings: { timezone: zone } });

  async function machineZone(): Promise<string | undefined> {
    try {
      const { name } = await zoneFor(config, context);
      return name;
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      return undefined;
    }
  }
}
