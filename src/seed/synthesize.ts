import { SyncError } from '../base/errors.ts';
import { rounded } from './arithmetic.ts';
import { athleteOf, ftpOn, weightOn, type Athlete } from './athlete.ts';
import { Calendar } from './calendar.ts';
import { encodeActivity } from './fit-activity.ts';
import { HISTORY, LoadHistory, type Load } from './load.ts';
import { nutritionOf, type FuelledWorkout, type SyntheticNutrition } from './nutrition.ts';
import { planDay, type DayPlan } from './plan.ts';
import type { RecordingTruth, SessionTruth } from './recording.ts';
import { homeIn, type Home } from './route.ts';
import { isRaceDay } from './season.ts';
import { performSession } from './session.ts';
import { wellnessOf, type SyntheticWellness } from './wellness.ts';
import type { Workout } from './workout.ts';

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
   * Adds what real accounts have: recordings with a {@link Fault}, a ride through the repeated hour of
   * a clock change, travel to another zone, days without data.
   */
  readonly messy?: boolean;
}

export interface SyntheticDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly recordings: readonly SyntheticRecording[];
  /** Null on a messy day without it. */
  readonly wellness: SyntheticWellness | null;
  /** Null on a messy day without it. */
  readonly nutrition: SyntheticNutrition | null;
  /** The morning's fitness and fatigue, and the day's planned training stress. */
  readonly plan: Load & Pick<DayPlan, 'phase' | 'stress' | 'ill'>;
}

/** A day that is not messy. */
export interface CompleteDay extends SyntheticDay {
  readonly wellness: SyntheticWellness;
  readonly nutrition: SyntheticNutrition;
}

export interface SyntheticRecording {
  /** `YYYY-MM-DD-HH-MM-SS-ride.fit` in local time; unique for an athlete. */
  readonly fileName: string;
  /** The whole FIT file. */
  readonly bytes: Uint8Array;
  /** The activity's display name. */
  readonly name: string;
  /** The encoded contents. */
  readonly truth: RecordingTruth;
  /** Why the service does not keep the recording, if this is intended. */
  readonly fault?: Fault;
}

/**
 * `copy`: the bytes of another recording of the day under a second name. `second-device`: the same
 * activity as another recording of the day, from a device that was started up to a minute later.
 * `broken`: cut off, as by an empty battery.
 */
export type Fault = 'copy' | 'second-device' | 'broken';

/** Largest number of days: ten years and some days. */
const MOST_DAYS = 3660;

/**
 * Synthesizes an athlete's days up to and including `until`, oldest first. Each day is made on demand
 * and not kept.
 *
 * The result depends only on the options: not on the clock, the locale, the machine's time zone or
 * `Math.random`. Days count back from the last one. So more `days` prepend days without changing the
 * others, and another `until` moves the same days to other dates, except for the zone's offsets.
 *
 * @throws SyncError `USAGE` immediately, for invalid options
 */
export function synthesize(options: SynthesizeOptions): Iterable<SyntheticDay> {
  const { days } = options;
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw new SyncError('USAGE', `The number of days must be 1 to ${MOST_DAYS}, not ${days}.`);
  }
  const setting = settingOf(options);
  return { [Symbol.iterator]: () => daysOf(setting, days) };
}

/** The athlete's settings at a training platform. */
export interface SyntheticProfile {
  /** kg */
  readonly weight: number;
  /** Functional threshold power (W). */
  readonly ftp: number;
}

/**
 * Returns the athlete's settings on the last day, as the recordings of that day have them. The weight
 * of its wellness record differs by the day's fluctuation, which is below 1 kg.
 *
 * @throws SyncError `USAGE` for an invalid seed, date or zone
 */
export function profileOf(
  options: Pick<SynthesizeOptions, 'seed' | 'until' | 'zone'>,
): SyntheticProfile {
  const { athlete } = settingOf(options);
  const { raceIn } = athlete.character;
  return { weight: rounded(weightOn(athlete, raceIn), 1), ftp: ftpOn(athlete, raceIn) };
}

/** The athlete, calendar and home that all recordings share. */
export interface Setting {
  readonly athlete: Athlete;
  readonly calendar: Calendar;
  readonly home: Home;
}

/** @throws SyncError `USAGE` for an invalid seed, date or zone */
export function settingOf(options: Pick<SynthesizeOptions, 'seed' | 'until' | 'zone'>): Setting {
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

/** Makes complete days up to the last one, oldest first. */
export function* daysOf(setting: Setting, days: number): Generator<CompleteDay, void> {
  const { athlete } = setting;
  const last = athlete.character.raceIn;
  const history = new LoadHistory();
  for (let index = last + days - 1 + HISTORY; index >= last + days; index--) {
    history.push(planDay(athlete, index).stress);
  }
  for (let index = last + days - 1; index >= last; index--) {
    const plan = planDay(athlete, index);
    yield dayOf(setting, plan, history);
    history.push(plan.stress);
  }
}

function dayOf(setting: Setting, plan: DayPlan, history: LoadHistory): CompleteDay {
  const { athlete, calendar } = setting;
  const { index, phase, stress, ill } = plan;
  const daysBefore = index - athlete.character.raceIn;
  const date = calendar.date(daysBefore);
  const load = history.morning();
  const recordings = plan.workouts.map((workout, number) =>
    recordingOf(setting, daysBefore, number, workout),
  );
  const sessions = recordings.flatMap(({ truth }) => truth.sessions);
  const starts = plan.workouts.map((workout) => workout.startMinute);
  return {
    date,
    recordings,
    wellness: wellnessOf({
      athlete,
      index,
      date,
      load,
      yesterday: history.daysAgo(1),
      ill,
      race: isRaceDay(index),
      firstStart: starts.length === 0 ? null : Math.min(...starts),
      trained: trainedIn(sessions),
    }),
    nutrition: nutritionOf({
      athlete,
      index,
      date,
      calendar,
      daysBefore,
      workouts: recordings.map(({ truth }) => fuelled(truth)),
      loading: phase === 'race' && (index % 7 === 1 || index % 7 === 2),
    }),
    plan: { ...load, phase, stress, ill },
  };
}

/** Records a workout. `number` distinguishes the workouts of a day. */
export function recordingOf(
  setting: Setting,
  daysBefore: number,
  number: number,
  workout: Workout,
): SyntheticRecording {
  const { athlete, calendar, home } = setting;
  const index = daysBefore + athlete.character.raceIn;
  const begin = calendar.moment(daysBefore, Math.round(workout.startMinute * 60));
  let start = begin.instant;
  const sessions = workout.legs.map((leg, place): SessionTruth => {
    const name = `${number}.${place}`;
    const { startMinute } = workout;
    const session = performSession(leg, { athlete, index, name, home, start, startMinute });
    start = session.totals.end;
    return session;
  });
  const truth: RecordingTruth = {
    start: begin.instant,
    end: start,
    offset: calendar.at(start).offset,
    device: athlete.character.device,
    serial: athlete.serial,
    sessions,
  };
  const bytes = encodeActivity(truth, {
    age: athlete.age,
    weight: weightOn(athlete, index),
    restingHr: athlete.restingHr,
    maxHr: athlete.maxHr,
    ftp: ftpOn(athlete, index),
  });
  return { fileName: `${begin.label}-${workout.label}.fit`, bytes, name: workout.title, truth };
}

function fuelled({ start, end, sessions }: RecordingTruth): FuelledWorkout {
  let calories = 0;
  for (const { totals } of sessions) calories += totals.calories;
  return { start, end, calories, swimming: sessions[0]?.sport === 'swimming' };
}

function trainedIn(sessions: readonly SessionTruth[]) {
  const trained = { seconds: 0, calories: 0, steps: 0 };
  for (const { sport, totals } of sessions) {
    trained.seconds += totals.timer;
    trained.calories += totals.calories;
    if (sport === 'running' || sport === 'transition') trained.steps += totals.cycles * 2;
  }
  return trained;
}
