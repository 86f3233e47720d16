import { ftpOn, weightOn, type Athlete } from './athlete.ts';
import type { Calendar } from './calendar.ts';
import { encodeActivity } from './fit-activity.ts';
import { HISTORY, LoadHistory } from './load.ts';
import { nutritionOf, type SyntheticNutrition } from './nutrition.ts';
import { planDay, type LivedDay, type TrainingPlan } from './plan.ts';
import { perform, type RecordingTruth } from './recording.ts';
import type { Home } from './route.ts';
import { wellnessOf, type SyntheticWellness } from './wellness.ts';
import type { Training } from './workouts.ts';

/** The athlete, calendar and home that all recordings share. */
export interface DaySetting {
  readonly athlete: Athlete;
  readonly calendar: Calendar;
  readonly home: Home;
}

/** A day that is not messy. */
export type CompleteDay = Readonly<ReturnType<typeof dayOf>>;

/** A day; a messy one may lack records. */
export interface SyntheticDay extends Omit<CompleteDay, 'wellness' | 'nutrition'> {
  readonly wellness: SyntheticWellness | null;
  readonly nutrition: SyntheticNutrition | null;
}

export interface SyntheticRecording {
  /** `YYYY-MM-DD-HH-MM-SS-ride.fit` in local time; unique for an athlete. */
  readonly fileName: string;
  /** The whole FIT file, unless broken. */
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The encoded contents. */
  readonly truth: RecordingTruth;
  /** What is wrong with the recording of a messy account. */
  readonly fault?: SeedFault;
}

/**
 * `copy`: the bytes of another recording of the day under a second name. `second-device`: the same
 * activity as another recording of the day, from a device that was started up to a minute later.
 * `broken`: cut off, as by an empty battery.
 */
export type SeedFault = 'copy' | 'second-device' | 'broken';

/** The plan and the place of each day, if they differ from the athlete's usual ones. */
export interface Variation {
  /** @param index days before the next race */
  plan(index: number): TrainingPlan;
  settingOn(daysBefore: number): DaySetting;
}

/** Makes complete days up to the last one, oldest first. */
export function* daysOf(
  setting: DaySetting,
  days: number,
  variation: Variation = {
    plan: (index) => planDay(setting.athlete, index),
    settingOn: () => setting,
  },
): Generator<CompleteDay, void> {
  const last = setting.athlete.character.raceIn;
  const history = new LoadHistory();
  for (let index = last + days - 1 + HISTORY; index >= last + days; index--) {
    history.push(variation.plan(index).stress);
  }
  for (let index = last + days - 1; index >= last; index--) {
    const plan = variation.plan(index);
    yield dayOf(variation.settingOn(index - last), plan, history);
    history.push(plan.stress);
  }
}

function dayOf(setting: DaySetting, plan: TrainingPlan, history: LoadHistory) {
  const { athlete, calendar } = setting;
  const { index, phase, stress, ill } = plan;
  const daysBefore = index - athlete.character.raceIn;
  const date = calendar.date(daysBefore);
  const load = history.morning();
  const recording = plan.workout && recordingOf(setting, daysBefore, plan.workout);
  const lived: LivedDay = {
    athlete,
    calendar,
    date,
    daysBefore,
    load,
    yesterday: history.daysAgo(1),
    plan,
    recorded: recording && recording.truth,
  };
  const recordings: readonly SyntheticRecording[] = recording ? [recording] : [];
  return {
    /** `YYYY-MM-DD` */
    date,
    recordings,
    wellness: wellnessOf(lived),
    nutrition: nutritionOf(lived),
    /** The morning's fitness and fatigue, and the day's planned training stress. */
    plan: { ...load, phase, stress, ill },
  };
}

export function recordingOf(
  setting: DaySetting,
  daysBefore: number,
  workout: Training,
): SyntheticRecording {
  const { athlete, calendar, home } = setting;
  const index = daysBefore + athlete.character.raceIn;
  const { instant: start, label } = calendar.moment(
    daysBefore,
    Math.round(workout.startMinute * 60),
  );
  const performance = perform(workout, { athlete, index, home, start });
  const truth: RecordingTruth = { ...performance, offset: calendar.at(performance.end).offset };
  const owner = { ...athlete, weight: weightOn(athlete, index), ftp: ftpOn(athlete, index) };
  const noun = workout.sport === 'cycling' ? 'ride' : 'run';
  let bytes: Uint8Array | undefined;
  return {
    fileName: `${label}-${noun}.fit`,
    name: workout.title,
    truth,
    // Encoding takes most of the time, and not every caller needs it.
    get bytes() {
      return (bytes ??= encodeActivity(truth, owner));
    },
  };
}
