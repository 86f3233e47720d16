import { Temporal } from 'temporal-polyfill';
import { SyncError } from '../base/errors.ts';

/**
 * Converts between local wall time and instants in a named zone, independent of the machine's zone
 * and locale. Only the version of the time zone database can differ between machines.
 */
export class Calendar {
  readonly zone: string;
  readonly #until: Temporal.PlainDate;

  /**
   * @param until the last day, `YYYY-MM-DD`
   * @throws SyncError `USAGE` for an invalid date or zone
   */
  constructor(until: string, zone: string) {
    this.#until = parseDate(until);
    try {
      this.zone = this.#until.toZonedDateTime(zone).timeZoneId;
    } catch (cause) {
      throw new SyncError('USAGE', `Unknown time zone "${zone}".`, {
        hint: 'Use an IANA name, such as Europe/Zurich or America/New_York.',
        cause,
        details: { zone },
      });
    }
  }

  /** Returns the date a number of days before the last one, `YYYY-MM-DD`. */
  date(daysBefore: number): string {
    return this.#day(daysBefore).toString();
  }

  /**
   * Returns the moment of a local time. A time that daylight saving skips moves forward by the
   * skipped duration; a time that occurs twice means the first.
   *
   * @param second local seconds after midnight: 0 to 86,399
   */
  moment(daysBefore: number, second: number) {
    const time = Temporal.PlainTime.from({
      hour: Math.floor(second / 3600),
      minute: Math.floor(second / 60) % 60,
      second: second % 60,
    });
    const day = this.#day(daysBefore);
    return momentOf(day.toZonedDateTime({ timeZone: this.zone, plainTime: time }));
  }

  /** Returns the local time at an instant, in seconds since 1970-01-01T00:00:00Z. */
  at(instant: number) {
    return momentOf(
      Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(this.zone),
    );
  }

  /** Returns a calendar with the dates of this one and the times of another zone. */
  elsewhere(zone: string): Calendar {
    return new Calendar(this.#until.toString(), zone);
  }

  /**
   * Returns the first second (local, after midnight) that a day's clock change repeats: 7200 if clocks
   * go back from 03:00 to 02:00. Null on other days.
   */
  repeatedSecond(daysBefore: number): number | null {
    const day = this.#day(daysBefore);
    const change = day.toZonedDateTime(this.zone).getTimeZoneTransition('next');
    if (change?.toPlainDate().equals(day) !== true) return null;
    const { offsetNanoseconds } = change.subtract({ nanoseconds: 1 });
    if (offsetNanoseconds <= change.offsetNanoseconds) return null;
    return change.hour * 3600 + change.minute * 60;
  }

  #day(daysBefore: number): Temporal.PlainDate {
    return this.#until.subtract({ days: daysBefore });
  }

  /** Returns the zone's offset from UTC without daylight saving (h). */
  standardOffsetHours(): number {
    const offsets = ['2025-01-15T12:00:00Z', '2025-07-15T12:00:00Z'].map(
      (text) =>
        Temporal.Instant.from(text).toZonedDateTimeISO(this.zone).offsetNanoseconds / 3.6e12,
    );
    return Math.min(...offsets);
  }
}

function momentOf(zoned: Temporal.ZonedDateTime) {
  const local = zoned.toPlainDateTime().toString({ smallestUnit: 'second' });
  return {
    /** Seconds since 1970-01-01T00:00:00Z. */
    instant: zoned.epochMilliseconds / 1000,
    /** Local time minus UTC (s). */
    offset: zoned.offsetNanoseconds / 1e9,
    /** `YYYY-MM-DDTHH:MM:SS+HH:MM`, as the service interface requires (section 4.4, rule 3). */
    text: `${local}${zoned.offset}`,
    /** `YYYY-MM-DD-HH-MM-SS` in local time, as devices name their files. */
    label: local.replace(/[T:]/g, '-'),
  };
}

function parseDate(text: string): Temporal.PlainDate {
  try {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError('not YYYY-MM-DD');
    return Temporal.PlainDate.from(text, { overflow: 'reject' });
  } catch (cause) {
    throw new SyncError('USAGE', `Invalid date "${text}".`, {
      hint: 'Write the last day as YYYY-MM-DD.',
      cause,
      details: { until: text },
    });
  }
}
