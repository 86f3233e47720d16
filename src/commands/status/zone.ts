import type { AppContext } from '../../app/context.ts';
import { sameClocks, type PlatformZone, lastPlatformZone } from '../../app/platform-zone.ts';
import { zoneFor } from '../../app/zone.ts';
import { type Failure, SyncError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Zone } from '../../records/types.ts';
import { failureOf } from '../../api/batch-breaker.ts';

export interface ZoneFacts {
  /** Decides about days; UTC after a problem. */
  readonly days: Zone;
  /** Undefined if the machine's zone is unknown. */
  readonly machine: string | undefined;
  readonly platform: PlatformZone | undefined;
  /** The platform's clocks differ from the clocks that days are counted by. */
  readonly differs: boolean;
  readonly problem?: Failure;
}

/** Compares the zone that decides about days with the platform's, as this machine last learnt it. */
export async function readZone(context: AppContext, config: Config): Promise<ZoneFacts> {
  const machine = machineZone(context);
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

function machineZone(context: AppContext): string | undefined {
  try {
    return context.machineZone();
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return undefined;
  }
}
