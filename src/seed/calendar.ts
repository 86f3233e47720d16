import { Temporal } from 'temporal-polyfill';

import { SyncError } from '../base/errors.ts';

const DAY_MS = 86_400_000;

/**
 * Local wall time and instants. The zone is always named, so the machine's own zone and locale play
 * no part; what can differ between machines is the edition of the time zone database alone.
 */
export class Calendar {
  readonly zone: string;
  readonly #until: Temporal.PlainDate;
  readonly #days = new Map<number, Temporal.PlainDate>();

  /**
   * @param until the last day, `YYYY-MM-DD`
   * @throws SyncError `USAGE` for what is no date or no time zone, and for a day that the zone skipped
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
    if (!this.#until.toZonedDateTime(this.zone).toPlainDate().equals(this.#until)) {
      throw new SyncError(
        'USAGE',
        `There was no ${until} in ${this.zone}, which skipped that day.`,
        {
          hint: 'Name the day before or after it.',
          details: { until, zone },
        },
      );
    }
  }

  /**
   * The date so many days before the last one, `YYYY-MM-DD`. Days that the zone skipped (Apia had no
   * 30 December 2011) are not counted: nobody lived them.
   */
  date(daysBefore: number): string {
    return this.#day(daysBefore).toString();
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
    const day = this.#day(daysBefore);
    return momentOf(day.toZonedDateTime({ timeZone: this.zone, plainTime: time }));
  }

  /** What clocks in the zone show at this instant, in seconds since 1970-01-01T00:00:00Z. */
  at(instant: number): Moment {
    return momentOf(
      Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(this.zone),
    );
  }

  #day(daysBefore: number): Temporal.PlainDate {
    let day = this.#days.get(daysBefore);
    if (day === undefined) {
      day = this.#until.subtract({ days: daysBefore });
      // A skipped day begins with the day after it, so it has passed when that one has.
      while (this.#daysLived(day) < daysBefore) day = day.subtract({ days: 1 });
      this.#days.set(daysBefore, day);
    }
    return day;
  }

  /** How many days began in the zone from the beginning of this one to that of the last. */
  #daysLived(day: Temporal.PlainDate): number {
    return Math.round((this.#begin(this.#until) - this.#begin(day)) / DAY_MS);
  }

  #begin(day: Temporal.PlainDate): number {
    return day.toZonedDateTime(this.zone).epochMilliseconds;
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
