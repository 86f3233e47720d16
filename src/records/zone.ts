import { formatInTimeZone } from 'date-fns-tz/formatInTimeZone';

/**
 * Time zones: the offset at an instant, and the instant of a wall time. Instants are milliseconds since 1970-01-01T00:00:00Z; a *wall time* is a number of
 * milliseconds too: what the clock on the wall shows, counted as if it were UTC. No `Date` is
 * asked for its local fields, so the zone of the process has no influence.
 *
 * date-fns-tz gives the offset at an instant. Nothing else of it is used, because
 * - `fromZonedTime` moves wall times in a gap backward, takes the later or the earlier instant of
 *   an overlap depending on the process's own zone, and never says that it had to choose;
 * - `toZonedTime` builds a `Date` from local fields, so that a gap in the process's own zone (a
 *   whole day in Pacific/Apia) leaks into the answer;
 * - offsets with seconds lose them: see {@link LAST_OFFSET_WITH_SECONDS}.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * The last instant at which a zone's offset was no whole minute: Africa/Monrovia kept -00:44:30
 * until 1972-01-07. Up to here `Intl.DateTimeFormat` is asked instead of date-fns-tz.
 */
const LAST_OFFSET_WITH_SECONDS = Date.UTC(1972, 0, 7, 0, 44, 30);

/** How a wall time relates to instants: it happened once, was skipped, or happened twice. */
export interface WallInstant {
  readonly instant: number;
  readonly kind: 'once' | 'gap' | 'overlap';
}

/** The offsets of one zone. Get one from {@link zoneRules}. */
export class ZoneRules {
  readonly name: string;
  /** UTC day -> the offset that holds from its first to its last instant; NaN: it changes. */
  readonly #days = new Map<number, number>();
  #exact: Intl.DateTimeFormat | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /**
   * Local time minus UTC at this instant, in ms. A UTC day that begins and ends with the same
   * offset is taken to have it throughout: no zone changes twice within a day (the tests check
   * that over all zones).
   */
  offsetAt(instant: number): number {
    const day = Math.floor(instant / DAY);
    let offset = this.#days.get(day);
    if (offset === undefined) {
      const first = this.#ask(day * DAY);
      offset = first === this.#ask((day + 1) * DAY - 1) ? first : NaN;
      this.#days.set(day, offset);
    }
    return Number.isNaN(offset) ? this.#ask(instant) : offset;
  }

  /** The wall time at an instant. */
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

  /** Checks that a day existed here: Apia had no 30 December 2011. `day` is its midnight as wall time. */
  hasDay(day: number): boolean {
    const noon = day + DAY / 2;
    return Math.floor(this.wallAt(this.instantOf(noon).instant) / DAY) * DAY === day;
  }

  #ask(instant: number): number {
    if (instant < LAST_OFFSET_WITH_SECONDS) return this.#askExactly(instant);
    const text = formatInTimeZone(new Date(instant), this.name, 'xxx');
    const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
    return (text.startsWith('-') ? -minutes : minutes) * MINUTE || 0;
  }

  #askExactly(instant: number): number {
    this.#exact ??= new Intl.DateTimeFormat('en-US', {
      timeZone: this.name,
      timeZoneName: 'longOffset',
    });
    const name = this.#exact.formatToParts(instant).find((part) => part.type === 'timeZoneName');
    const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name?.value ?? '');
    if (match === null) throw new Error(`No offset for ${this.name} at ${instant}`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const size = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * SECOND;
    return sign === '-' ? -size : size;
  }
}

const rules = new Map<string, ZoneRules>();

/** Returns the rules of a zone. @param name a name that passed `checkZone` */
export function zoneRules(name: string): ZoneRules {
  let found = rules.get(name);
  if (found === undefined) {
    found = new ZoneRules(name);
    rules.set(name, found);
  }
  return found;
}
