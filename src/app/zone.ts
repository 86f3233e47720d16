import { SyncError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { Config } from '../config/config.ts';
import type { Zone } from '../records/types.ts';
import { useZoneData } from '../records/days/zone.ts';
import { newestZoneData } from '../records/days/zones/newest.ts';
import type { ZoneData } from '../records/days/zones/offsets.ts';
import { thisProcess } from '../system/this-process.ts';
import type { AppContext, System } from './context.ts';

/**
 * Returns the time zone that decides about dates: from the flag, the environment or the profile,
 * else from this machine. From then on the newest zone data decides.
 *
 * @throws SyncError `CONFIG` if no zone is set and the machine's is unknown
 */
export async function zoneFor(config: Config, system: Pick<System, 'machineZone'>): Promise<Zone> {
  await chooseZoneData();
  const name = config.get('timezone');
  const from = config.originOf('timezone');
  // An operator presets no zone.
  return name === undefined || from === 'default' || from === 'system'
    ? { name: system.machineZone(), from: 'machine' }
    : { name, from };
}

/** Makes the newest zone data decide, and returns it. */
export async function chooseZoneData(): Promise<ZoneData> {
  const data = await newestZoneData(thisProcess.zoneData);
  useZoneData(data);
  return data;
}

/** Returns the time zone for showing times; falls back to UTC with a warning if it is unknown. */
export async function zoneShown(config: Config, context: AppContext): Promise<string> {
  try {
    const { name } = await zoneFor(config, context);
    return name;
  } catch (error) {
    if (!(error instanceof SyncError) || config.get('timezone') !== undefined) throw error;
    if (!context.output.json) {
      context.warn(phrase`${error.message} Times are shown in UTC.\n  ${error.hint ?? ''}`);
    }
    return 'UTC';
  }
}
