import type { ReadZoneLedger } from '../../ledger/records.ts';
import { localDateOf } from './local-date.ts';
import type { Zone } from '../types.ts';

/** A plain date, or a time with an offset other than zero: no zone decides about it. */
const NEEDS_NO_ZONE = /^\d{4}-\d\d-\d\d$|[+-](?!00:?00$)\d\d:?\d\d$/;

/**
 * Reads each written time in the zone in which it was read first, if the zone of the run is only this
 * machine's: after a flight, an unchanged input still means the same instants and days. A zone from
 * a flag, the environment or the profile is the user's decision, and counts for earlier times too.
 */
export class ReadZones {
  /** The zone of the run, with the earlier zones. */
  readonly zone: Zone;
  readonly #ledger: ReadZoneLedger;
  readonly #read = new Map<string, string>();
  readonly #dayZones = new Map<string, string>();
  readonly #left = new Set<string>();

  constructor(zone: Zone, ledger: ReadZoneLedger) {
    this.zone = { ...zone, earlier: (written) => this.#earlier(written) };
    this.#ledger = ledger;
  }

  /** Zones other than the run's in which something was read. */
  get earlierZones(): readonly string[] {
    return [...new Set(this.#dayZones.values())];
  }

  /** Days that lost a time to another day, since the user chose another zone after it was read. */
  get daysLeft(): readonly string[] {
    return [...this.#left].sort();
  }

  zoneOf(date: string): string {
    return this.#dayZones.get(date) ?? this.zone.name;
  }

  /** Records the zones of this run. Called before the first request. */
  remember(): void {
    this.#ledger.put(this.#read);
  }

  #earlier(written: string): Zone | undefined {
    if (NEEDS_NO_ZONE.test(written)) return undefined;
    const { name, from } = this.zone;
    const known = this.#ledger.find(written) ?? name;
    const isChosen = from !== 'machine';
    this.#read.set(written, isChosen ? name : known);
    if (known === name) return undefined;
    const zone: Zone = { name: known, from };
    const day = localDateOf(written, zone);
    const now = isChosen ? localDateOf(written, { name, from }) : day;
    if ('date' in day && !isChosen) this.#dayZones.set(day.date, known);
    else if ('date' in day && 'date' in now && day.date !== now.date) this.#left.add(day.date);
    return isChosen ? undefined : zone;
  }
}
