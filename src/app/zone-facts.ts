import type { AppContext } from './context.ts';
import { sameClocks, lastPlatformZone } from './platform-zone.ts';
import { zoneFor } from './zone.ts';
import { SyncError, attempt, failureOf } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { Zone } from '../records/types.ts';

/** The zones of a status. `days`: the one by which days are counted, or UTC after a problem. */
export type ZoneFacts = Awaited<ReturnType<typeof readZone>>;

/** Compares the zone that decides about days with the platform's, as this machine last learnt it. */
export async function readZone(context: AppContext, config: Config) {
  const machine = attempt(context.machineZone);
  const platform = lastPlatformZone(config);
  try {
    const days = await zoneFor(config, context);
    const differs =
      platform !== undefined &&
      platform.name !== days.name &&
      !sameClocks(platform.name, days.name, context.clock.now());
    return { days, machine, platform, differs };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const days: Zone = { name: 'UTC', from: 'machine' };
    return { days, machine, platform, differs: false, problem: failureOf(error) };
  }
}
