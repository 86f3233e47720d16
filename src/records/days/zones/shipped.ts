import latest from 'moment-timezone/data/packed/latest.json' with { type: 'json' };
import type { OffsetAt, ZoneData } from './offsets.ts';

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

/** The table that is shipped with sync. The build trims it (`scripts/bundles.mjs`). */
export const shippedZoneData = packedZoneData(latest);

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

function unpack(zone: string): OffsetAt {
  const [, , offsets = '', indices = '', untils = ''] = zone.split('|');
  const known = offsets.split(' ').map((text) => -timeOf(text) || 0);
  const [first = 0, ...later] = Array.from(indices, (digit) => known[valueOf(digit)] ?? 0);
  let instant = 0;
  const lengths = untils === '' ? [] : untils.split(' ').map(timeOf);
  const changes = lengths.map((length, index) => {
    instant += length;
    return { instant, offset: later[index] ?? first };
  });
  return (at) => {
    let low = 0;
    let high = changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((changes[middle]?.instant ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    return changes[low - 1]?.offset ?? first;
  };
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
