import type { Offsets } from './offsets.ts';

const SECOND = 1_000;

/** The runtime's offsets of a zone, exact to the second. */
export class IntlOffsets implements Offsets {
  readonly #format: Intl.DateTimeFormat;

  /** @param zone a name that the runtime knows */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  }

  offsetAt(instant: number): number {
    const { value: name = '' } =
      this.#format.formatToParts(instant).find((part) => part.type === 'timeZoneName') ?? {};
    const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
    if (match === null) throw new Error(`No offset in ${name} at ${instant}`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
    return sign === '-' ? -size : size;
  }
}
