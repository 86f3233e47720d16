import { SyncError } from '../base/errors.ts';
import { athleteOf, ftpOn } from './athlete.ts';
import { Calendar } from './calendar.ts';
import { daysOf, type DaySetting, type SyntheticDay } from './day.ts';
import { messyDaysOf } from './messy.ts';
import { homeIn } from './route.ts';

export type { SeedFault, SyntheticDay, SyntheticRecording } from './day.ts';

export interface SynthesizeOptions {
  /** 1 to {@link MOST_DAYS}. */
  readonly days: number;
  /** An integer from 0 that identifies the athlete. */
  readonly seed: number;
  /** The last day, `YYYY-MM-DD`. The seed determines how far it is from the athlete's next race. */
  readonly until: string;
  /** The athlete's time zone, such as `Europe/Zurich`. */
  readonly zone: string;
  /**
   * Adds what real accounts have: recordings with a fault, a ride through the hour that a clock
   * change repeats, travel to another zone, days without data.
   */
  readonly messy?: boolean;
  /** Leaves out recordings that end later (ms since 1970): a workout that is still to come. */
  readonly now?: number;
}

/** Largest number of days: ten years and some days. */
const MOST_DAYS = 3660;

/**
 * Synthesizes an athlete's days up to and including `until`, oldest first. Each day is made on demand
 * and not kept.
 *
 * The result depends only on the options: not on the clock, the locale, the machine's time zone or
 * `Math.random`. Days count back from the last one. So more `days` prepend days without changing the
 * others, and another `until` moves the same days to other dates, except for the zone's offsets. If
 * messy, the date of a clock change moves other mess too.
 *
 * @throws SyncError `USAGE` immediately, for invalid options
 */
export function synthesize(options: SynthesizeOptions): Iterable<SyntheticDay> {
  const { days, messy = false, now = Infinity } = options;
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw new SyncError('USAGE', `The number of days must be 1 to ${MOST_DAYS}, not ${days}.`);
  }
  const setting = settingOf(options);
  return {
    *[Symbol.iterator]() {
      for (const day of (messy ? messyDaysOf : daysOf)(setting, days)) {
        const recordings = day.recordings.filter(({ truth }) => truth.end * 1000 <= now);
        yield { ...day, recordings };
      }
    },
  };
}

/** The athlete's settings at a training platform: kg, and functional threshold power in W. */
export type SyntheticProfile = ReturnType<typeof profileOf>;

/**
 * Returns the athlete's settings on the last day. The weight is that of its wellness record.
 *
 * @throws SyncError `USAGE` for an invalid seed, date or zone
 */
export function profileOf(options: Pick<SynthesizeOptions, 'seed' | 'until' | 'zone'>) {
  const setting = settingOf(options);
  const { athlete } = setting;
  const [day] = daysOf(setting, 1);
  const { raceIn } = athlete.character;
  return { weight: day?.wellness.weight ?? athlete.weight, ftp: ftpOn(athlete, raceIn) };
}

/** @throws SyncError `USAGE` for an invalid seed, date or zone */
export function settingOf(options: Pick<SynthesizeOptions, 'seed' | 'until' | 'zone'>): DaySetting {
  const { seed, until, zone } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new SyncError('USAGE', `The seed must be a whole number from 0, not ${seed}.`);
  }
  const calendar = new Calendar(until, zone);
  if (until < '2001' || until >= '2100') {
    throw new SyncError('USAGE', `The last day must be from 2001 to 2099, not ${until}.`, {
      hint: 'FIT files cannot store much earlier or later times.',
    });
  }
  return { athlete: athleteOf(seed), calendar, home: homeIn(calendar.standardOffsetHours()) };
}
