import type { ZoneInfo } from '../../../system/zoneinfo.ts';
import type { ZoneData } from './offsets.ts';
import { packedZoneData } from './packed.ts';
import { readTzif } from './tzif.ts';

/** The release in the bundled part of moment-timezone, and the day that it was published. */
export const SHIPPED = { version: '2026f', released: '2026-10-29' } as const;

/** Where zone data can be had, besides {@link SHIPPED}. */
export interface ZoneSources {
  readonly runtime: string | undefined;
  readonly system: ZoneInfo | undefined;
}

/**
 * Returns the newest zone data. Of equal releases the runtime's is taken, then the system's.
 *
 * Releases are a year and letters, and their order is that of text: `2025c`, `2026a`, `2026za`.
 */
export async function newestZoneData({ runtime, system }: ZoneSources): Promise<ZoneData> {
  const { version } = SHIPPED;
  if (runtime !== undefined && runtime >= version && runtime >= (system?.version ?? '')) {
    // Not above: date-fns-tz asks `Intl` while it loads, which takes longer than most commands.
    const { RuntimeOffsets } = await import('./runtime.ts');
    return { version: runtime, origin: 'runtime', offsets: (zone) => new RuntimeOffsets(zone) };
  }
  if (system !== undefined && system.version >= version) {
    return {
      version: system.version,
      origin: 'system',
      offsets(zone) {
        const bytes = system.read(zone);
        return bytes === undefined ? undefined : readTzif(bytes);
      },
    };
  }
  const { default: shipped } = await import('moment-timezone/data/packed/latest.json', {
    with: { type: 'json' },
  });
  return packedZoneData(shipped);
}

/**
 * Returns the last day (`YYYY-MM-DD`) on which a release can have been published: the end of its year,
 * unless the day is known.
 */
export function releasedBy(version: string): string {
  return version === SHIPPED.version ? SHIPPED.released : `${version.slice(0, 4)}-12-31`;
}
