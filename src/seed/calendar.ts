import { Temporal } from 'temporal-polyfill';

import { SyncError } from '../errors.ts';

/**
 * Local wall time and instants. The zone is always named, so the machine's own zone and locale play
 * no part; what can differ between machines is the edition of the time zone database alone.
 */
export class Calendar {
  readonly zone: string;
  readonly #until: Temporal.PlainDate;

  /**
   * @param until the last day, `YYYY-MM-DD`
   * @throws SyncError `USAGE` for what is no date or no time zone
   */
  constructor(until: string, zone: string) {
    this.#until = parseDate(until);
    try {
      this.zone = this.#until.toZonedDateTime(zone).timeZoneId;
    } catch (cause) {
      throw new SyncError('USAGE', `There is no time zone called "${zone}".`, {
        hint: 'Name it as in the time zone database, such as Europe/Zurich or America/New_York.',
        cause,
        details: { zone },
      });
    }
  }

  /** The date so many days before the last one, `YYYY-MM-DD`. */
  date(daysBefore: number): string {
    return this.#until.subtract({ days: daysBefore }).toString();
  }

  /**
   * The moment at which clocks in the zone show this time of this day. A time that daylight saving
   * skips is moved on by what it skips; one that happens twice is the first of the two.
   *
   * @param second seconds after midnight, as clocks show them: 0 to 86,399
   */
  moment(daysBefore: number, second: number): Moment {
    const time = Temporal.PlainTime.from({
      hour: Math.floor(second / 3600),
      minute: Math.floor(second / 60) % 60,
      second: second % 60,
    });
    const day = this.#until.subtract({ days: daysBefore });
    return momentOf(day.toZonedDateTime({ timeZone: this.zone, plainTime: time }));
  }

  /** What clocks in the zone show at this instant, in seconds since 1970-01-01T00:00:00Z. */
  at(instant: number): Moment {
    return momentOf(
      Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(this.zone),
    );
  }

  /** The zone's offset from UTC without daylight saving, in hours. */
  standardOffsetHours(): number {
    const offsets = ['2025-01-15T12:00:00Z', '2025-07-15T12:00:00Z'].map(
      (text) =>
        Temporal.Instant.from(text).toZonedDateTimeISO(this.zone).offsetNanoseconds / 3.6e12,
    );
    return Math.min(...offsets);
  }
}

interface Moment {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly instant: number;
  /** Local time less UTC, in seconds. */
  readonly offset: number;
  /** `YYYY-MM-DDTHH:MM:SS+HH:MM`, as the service interface asks (section 4.4, rule 3). */
  readonly text: string;
  /** `YYYY-MM-DD-HH-MM-SS` in local time, as devices name their files. */
  readonly label: string;
}

function momentOf(zoned: Temporal.ZonedDateTime): Moment {
  const local = zoned.toPlainDateTime().toString({ smallestUnit: 'second' });
  return {
    instant: zoned.epochMilliseconds / 1000,
    offset: zoned.offsetNanoseconds / 1e9,
    text: `${local}${zoned.offset}`,
    label: local.replace(/[T:]/g, '-'),
  };
}

function parseDate(text: string): Temporal.PlainDate {
  try {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError('not YYYY-MM-DD');
    return Temporal.PlainDate.from(text, { overflow: 'reject' });
  } catch (cause) {
    throw new SyncError('USAGE', `"${text}" is not a date.`, {
      hint: 'Write the last day as YYYY-MM-DD.',
      cause,
      details: { until: text },
    });
  }
}
