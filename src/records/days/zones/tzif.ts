import { readPosixRule } from './posix-rule.ts';
import { type OffsetChange, Timeline } from './offsets.ts';

/** TZif, the format of the system's zone files (RFC 9636, 3). */

const HEADER_BYTES = 44;
const SECOND = 1_000;

/** The years for which the rule at the end of a file is written out: records end with 2100. */
const FIRST_YEAR = 1969;
const LAST_YEAR = 2101;

type Sizes = NonNullable<ReturnType<typeof countsAt>>;

/**
 * Reads a TZif file, version 2 or later.
 *
 * @returns undefined for a file of another format, and for one that counts leap seconds
 */
export function readTzif(bytes: Uint8Array): Timeline | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const old = countsAt(view, 0);
  if (old === undefined) return undefined;
  // Version 1 has times of 4 bytes, which end in 2038: the same data follows with 8 bytes.
  const start = HEADER_BYTES + sizeOf(old, 4);
  const counts = countsAt(view, start);
  if (counts === undefined || counts.leap > 0 || counts.types === 0) return undefined;
  const end = start + HEADER_BYTES + sizeOf(counts, 8);
  if (end > view.byteLength) return undefined;
  const changes = changesAt(view, start + HEADER_BYTES, counts);
  const first = offsetAt(view, start + HEADER_BYTES, counts, 0);
  const [, footer = ''] = new TextDecoder('latin1').decode(bytes.subarray(end)).split('\n');
  if (footer === '') return new Timeline(first, changes);
  const rule = readPosixRule(footer);
  if (rule === undefined) return undefined;
  if (changes.length === 0)
    return new Timeline(rule.offset, yearsFrom(FIRST_YEAR).flatMap(rule.changesOf));
  const last = changes.at(-1)?.instant ?? 0;
  const years = yearsFrom(Math.max(FIRST_YEAR, new Date(last).getUTCFullYear()));
  const later = years.flatMap(rule.changesOf).filter(({ instant }) => instant > last);
  return new Timeline(first, [...changes, ...later]);
}

function yearsFrom(first: number): number[] {
  return Array.from({ length: LAST_YEAR - first + 1 }, (_, index) => first + index);
}

function countsAt(view: DataView, start: number) {
  if (view.byteLength < start + HEADER_BYTES) return undefined;
  const magic = String.fromCharCode(...[0, 1, 2, 3].map((at) => view.getUint8(start + at)));
  const version = view.getUint8(start + 4);
  if (magic !== 'TZif' || version < '2'.charCodeAt(0)) return undefined;
  const count = (index: number) => view.getUint32(start + 20 + index * 4);
  return {
    isUt: count(0),
    isStandard: count(1),
    leap: count(2),
    times: count(3),
    types: count(4),
    chars: count(5),
  };
}

/** Returns the bytes of a data block with times of this size. */
function sizeOf({ isUt, isStandard, leap, times, types, chars }: Sizes, timeSize: 4 | 8): number {
  return times * (timeSize + 1) + types * 6 + chars + leap * (timeSize + 4) + isStandard + isUt;
}

function changesAt(view: DataView, block: number, counts: Sizes): OffsetChange[] {
  return Array.from({ length: counts.times }, (_, index) => ({
    instant: Number(view.getBigInt64(block + index * 8)) * SECOND,
    offset: offsetAt(view, block, counts, view.getUint8(block + counts.times * 8 + index)),
  }));
}

function offsetAt(view: DataView, block: number, { times }: Sizes, type: number): number {
  return view.getInt32(block + times * 9 + type * 6) * SECOND;
}
