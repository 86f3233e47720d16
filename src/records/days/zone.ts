import { SyncError } from '../../base/errors.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { OffsetAt, ZoneData } from './zones/offsets.ts';
import type { Activity } from '../../fit/activity.ts';

/**
 * Time zones: the offset at an instant, and the instant of a wall time. Instants are milliseconds since
 * 1970-01-01T00:00:00Z; a *wall time* is a number of milliseconds too: what the clock on the wall
 * shows, counted as if it were UTC. No `Date` is asked for its local fields, so the zone of the
 * process has no influence.
 */

const DAY = 24 * 60 * 60_000;

/** The instant of a wall time, which happened once, was skipped, or happened twice. */
interface WallInstant {
  readonly instant: number;
  readonly kind: 'once' | 'gap' | 'overlap';
}

/** The rules of one zone. Get one from {@link zoneRules}. */
export class ZoneRules {
  readonly offsetAt: OffsetAt;

  constructor(offsetAt: OffsetAt) {
    this.offsetAt = offsetAt;
  }

  wallAt(instant: number): number {
    return instant + this.offsetAt(instant);
  }

  /**
   * The instant at which the zone's clocks showed this wall time. In a gap, the wall time is moved
   * forward by the gap's length; in an overlap the earlier instant is taken (RFC 5545, 3.3.5, and
   * what Temporal calls `compatible`).
   */
  instantOf(wall: number): WallInstant {
    // Offsets lie within a day, so both ends of a change are seen from a day before and after.
    const before = this.offsetAt(wall - DAY);
    const offsets = new Set([before, this.offsetAt(wall + DAY)]);
    const instants = [...offsets]
      .map((offset) => wall - offset)
      .filter((instant) => this.wallAt(instant) === wall);
    const [instant] = instants;
    if (instant === undefined) return { instant: wall - before, kind: 'gap' };
    if (instants.length === 1) return { instant, kind: 'once' };
    return { instant: Math.min(...instants), kind: 'overlap' };
  }
}

const rules = new Map<string, ZoneRules>();
let newest: ZoneData | undefined;

/**
 * Makes newer zone data decide, for the rest of the process: two versions in one run could put a record
 * on two days.
 */
export function useZoneData(data: ZoneData): void {
  if (data === newest) return;
  newest = data;
  rules.clear();
}

/** Sets zone data for callers that cannot wait for the newest. {@link useZoneData} replaces it. */
export function startWithZoneData(data: ZoneData): void {
  newest ??= data;
}

/**
 * Returns the rules of a zone, from the data that {@link useZoneData} named. UTC needs none.
 *
 * @param name a name that passed `checkZone`
 * @throws SyncError `CONFIG` if the zone data lacks the zone
 */
export function zoneRules(name: string): ZoneRules {
  let found = rules.get(name);
  if (found === undefined) {
    found = new ZoneRules(isUtc(name) ? () => 0 : offsetsOf(name));
    rules.set(name, found);
  }
  return found;
}

function offsetsOf(name: string): OffsetAt {
  if (newest === undefined) throw new Error('No zone data was chosen');
  const offsets = newest.offsets(name);
  if (offsets === undefined) {
    throw new SyncError('CONFIG', `Zone data ${newest.version} has no time zone '${name}'.`, {
      hint: 'Name a zone by its region and city, such as Europe/Berlin or America/New_York.',
    });
  }
  return offsets;
}

/**
 * Returns the local time at which an activity began, as milliseconds that count it as UTC; undefined if
 * the recording does not state when it began.
 *
 * @param zone of a recording without its own offset
 */
export function localStart(
  { startedAt, offsetMinutes }: Activity,
  zone: string,
): number | undefined {
  if (startedAt === undefined) return undefined;
  return offsetMinutes === undefined
    ? zoneRules(zone).wallAt(startedAt)
    : startedAt + offsetMinutes * 60_000;
}

/** Returns the local day on which an activity began (`YYYY-MM-DD`). Parameters: {@link localStart}. */
export function localDay(activity: Activity, zone: string): string | undefined {
  const start = localStart(activity, zone);
  return start === undefined ? undefined : new Date(start).toISOString().slice(0, 10);
}
