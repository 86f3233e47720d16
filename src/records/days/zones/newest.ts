import type { ZoneData } from './offsets.ts';

/** The release in the bundled part of moment-timezone, and the day that it was published. */
export const SHIPPED = { version: '2026f', released: '2026-10-29' } as const;

/**
 * Returns the newest zone data: the runtime's, as date-fns-tz gives it, if it is as new as the shipped table
 * or newer; otherwise the table.
 *
 * Releases are a year and letters, and their order is that of text: `2025c`, `2026a`, `2026za`.
 *
 * @param runtime the release in the runtime, if it names one
 */
export async function newestZoneData(runtime: string | undefined): Promise<ZoneData> {
  if (runtime !== undefined && runtime >= SHIPPED.version) {
    // Not above: date-fns-tz asks `Intl` while it loads, which takes longer than most commands.
    const { runtimeOffsets } = await import('./runtime.ts');
    return { version: runtime, origin: 'runtime', offsets: runtimeOffsets };
  }
  const { shippedZoneData } = await import('./shipped.ts');
  return shippedZoneData;
}

/**
 * Returns the last day (`YYYY-MM-DD`) on which a release can have been published: the end of its year,
 * unless the day is known.
 */
export function releasedBy(version: string): string {
  return version === SHIPPED.version ? SHIPPED.released : `${version.slice(0, 4)}-12-31`;
}
