import { SyncError } from '../base/errors.ts';
import { daysAfter, isCalendarDate, isoTime } from '../base/time.ts';
import { checkZone } from '../base/zone-name.ts';
import { type ZoneRules, zoneRules } from '../records/days/zone.ts';
import { type Athlete, athleteOf } from './athlete.ts';
import { mealsOn } from './meals.ts';
import { recordRide } from './ride.ts';
import { placeIn } from './route.ts';
import { marked, wellnessOn } from './wellness.ts';
import { type Workout, workoutOn } from './workouts.ts';

export interface SynthesizeOptions {
  /** 1 to {@link MOST_DAYS}. */
  readonly days: number;
  /** An integer from 0 that identifies the athlete. */
  readonly seed: number;
  /** The last day, `YYYY-MM-DD`. */
  readonly until: string;
  /** The athlete's time zone, such as `Europe/Zurich`. */
  readonly zone: string;
  /** Leaves out what happens later (ms since 1970). */
  readonly now?: number;
}

/** Largest number of days: ten years and some days. */
export const MOST_DAYS = 3660;

/** An athlete in a zone, up to now. */
interface Life {
  readonly athlete: Athlete;
  readonly rules: ZoneRules;
  readonly now: number;
}

/** The time whose offset decides where the athlete lives: every day is there. */
const JANUARY = Date.UTC(2025, 0, 15);

export type SyntheticDay = Readonly<ReturnType<typeof dayOf>>;

export type SyntheticRecording = Readonly<ReturnType<typeof recordingOn>>;

/**
 * Synthesizes an athlete's days up to and including `until`, oldest first. Each day is made on demand
 * and not kept.
 *
 * A day depends only on the seed, its date and the zone: not on the other days, the locale or the machine's
 * time zone. With `now`, nothing of it is later.
 *
 * @throws SyncError immediately: `USAGE` for invalid options, `CONFIG` for an unknown zone
 */
export function synthesize(options: SynthesizeOptions): Iterable<SyntheticDay> {
  const { days, seed, until, now = Infinity } = options;
  const life = { rules: checkOptions(options), athlete: athleteOf(seed), now };
  return {
    *[Symbol.iterator]() {
      for (let before = days - 1; before >= 0; before--)
        yield dayOf(life, daysAfter(until, -before));
    },
  };
}

/** Returns the rules of the zone. @throws SyncError as {@link synthesize} */
function checkOptions({ days, seed, until, zone, now = Infinity }: SynthesizeOptions): ZoneRules {
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw new SyncError('USAGE', `The number of days must be 1 to ${MOST_DAYS}, not ${days}.`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new SyncError('USAGE', `The seed must be a whole number from 0, not ${seed}.`);
  }
  if (!isCalendarDate(until) || until < '2001' || until >= '2100') {
    throw new SyncError('USAGE', `The last day must be a date from 2001 to 2099, not ${until}.`, {
      hint: 'Write the last day as YYYY-MM-DD.',
      details: { until },
    });
  }
  const rules = zoneRules(checkZone(zone));
  if (instantOf(rules, until, 0) > now) {
    throw new SyncError('USAGE', `The last day, ${until}, is in the future.`, {
      details: { until },
    });
  }
  return rules;
}

/** The athlete's settings at a training platform: kg, and functional threshold power in W. */
export type SyntheticProfile = ReturnType<typeof profileOf>;

/** Returns the athlete's settings on the last day. The weight is that of its wellness record. */
export function profileOf({ seed, until }: Pick<SynthesizeOptions, 'seed' | 'until'>) {
  const athlete = athleteOf(seed);
  return { weight: wellnessOn(athlete, until).weight, ftp: athlete.ftp };
}

function dayOf(life: Life, date: string) {
  const { athlete, rules, now } = life;
  const workout = workoutOn(athlete, date);
  const isDone = workout !== null && instantOf(rules, date, workout.end) <= now;
  const nutrition = nutritionOn(life, date, workout);
  return {
    /** `YYYY-MM-DD` */
    date,
    recordings: isDone ? [recordingOn(life, date, workout)] : [],
    wellness: wellnessOn(athlete, date),
    /** Null as long as the day has no meal. */
    nutrition: nutrition.items.length === 0 ? null : nutrition,
  };
}

function recordingOn({ athlete, rules }: Life, date: string, workout: Workout) {
  const start = instantOf(rules, date, workout.start);
  const bytes = recordRide({
    athlete,
    date,
    workout,
    home: placeIn(rules.offsetAt(JANUARY) / 3_600_000),
    start: start / 1000,
    utcOffset: rules.offsetAt(start + (workout.end - workout.start) * 1000) / 1000,
  });
  const label = new Date(rules.wallAt(start)).toISOString().slice(0, 19).replace(/[T:]/g, '-');
  const noun = workout.sport === 'cycling' ? 'ride' : 'run';
  /** `YYYY-MM-DD-HH-MM-SS-ride.fit` in local time; unique for an athlete. */
  const fileName = `${label}-${noun}.fit`;
  return { fileName, bytes, name: workout.title };
}

/** Returns a day's nutrition in the service's fields (service interface, section 2.3), items by time. */
function nutritionOn({ athlete, rules, now }: Life, date: string, workout: Workout | null) {
  const items = mealsOn(athlete, date, workout).flatMap(({ second, food }) => {
    const instant = instantOf(rules, date, second);
    if (instant > now) return [];
    return [{ ...food, logged_at: isoTime(instant, rules.offsetAt(instant) / 60_000) }];
  });
  return { date, items, rawJson: marked(athlete) };
}

/** Returns the instant of a local time (ms since 1970). A time that the clocks skip moves forward. */
function instantOf(rules: ZoneRules, date: string, second: number): number {
  return rules.instantOf(Date.parse(date) + second * 1000).instant;
}
