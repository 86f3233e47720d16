import type { ZoneInfo } from '../../../system/zoneinfo.ts';
import { Timeline, type ZoneData } from './offsets.ts';
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

/**
 * The packed data of moment-timezone: `NAME|abbreviations|offsets|indices|untils|population` for each
 * zone, and `TARGET|LINK` for each other name. Numbers are minutes to the base 60, with a fraction;
 * offsets count west as positive. An index names the offset of each period, and an until is the
 * length of a period, the first of them from 1970.
 */
export interface PackedData {
  readonly version: string;
  readonly zones: readonly string[];
  readonly links: readonly string[];
}

const SECOND = 1_000;

/** Reads packed data; a zone is unpacked when it is asked for. */
export function packedZoneData({ version, zones, links }: PackedData): ZoneData {
  return {
    version,
    origin: 'shipped',
    offsets(name) {
      const wanted = name.toLowerCase();
      const link = links
        .map((each) => each.toLowerCase().split('|'))
        .find(([, to]) => to === wanted);
      const start = `${link?.[0] ?? wanted}|`;
      const zone = zones.find((each) => each.slice(0, start.length).toLowerCase() === start);
      return zone === undefined ? undefined : unpack(zone);
    },
  };
}

function unpack(zone: string): Timeline {
  const [, , offsets = '', indices = '', untils = ''] = zone.split('|');
  const known = offsets.split(' ').map((text) => -timeOf(text) || 0);
  const [first = 0, ...later] = Array.from(indices, (digit) => known[valueOf(digit)] ?? 0);
  let instant = 0;
  const lengths = untils === '' ? [] : untils.split(' ').map(timeOf);
  const changes = lengths.map((length, index) => {
    instant += length;
    return { instant, offset: later[index] ?? first };
  });
  return new Timeline(first, changes);
}

/** Reads minutes to the base 60; the first digit of a fraction counts seconds. Returns ms. */
function timeOf(text: string): number {
  const [whole = '', fraction = '0'] = text.replace(/^-/, '').split('.');
  const minutes = Array.from(whole).reduce((sum, digit) => sum * 60 + valueOf(digit), 0);
  const size = (minutes * 60 + valueOf(fraction.charAt(0))) * SECOND;
  return text.startsWith('-') ? -size : size;
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX';

function valueOf(digit: string): number {
  return DIGITS.indexOf(digit);
}
