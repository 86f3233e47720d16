import { quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { platformZone } from '../../app/platform-zone.ts';
import { readZone } from '../../app/zone-facts.ts';
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
  const { days, differs, problem } = await readZone(context, config);
  if (!differs && problem === undefined) return;
  const here =
    problem === undefined ? `this machine is in ${days.name}` : "this machine's zone is unknown";
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
}
