import { ftpOn, weightOn, type Athlete } from './athlete.ts';
import type { Calendar } from './calendar.ts';
import { encodeActivity } from './fit-activity.ts';
import { HISTORY, LoadHistory, type Load } from './load.ts';
import { nutritionOf, type FuelledWorkout, type SyntheticNutrition } from './nutrition.ts';
import { planDay, type DayPlan } from './plan.ts';
import type { RecordingTruth, SessionTruth } from './recording.ts';
import type { Home } from './route.ts';
import { isRaceDay } from './season.ts';
import { performSession } from './session.ts';
import { wellnessOf, type SyntheticWellness } from './wellness.ts';
import type { Workout } from './workout.ts';

/** The athlete, calendar and home that all recordings share. */
export interface Setting {
  readonly athlete: Athlete;
  readonly calendar: Calendar;
  readonly home: Home;
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
  /** The whole FIT file, unless broken. */
  readonly bytes: Uint8Array;
  /** The activity's display name. */
  readonly name: string;
  /** The encoded contents. */
  readonly truth: RecordingTruth;
  /** What is wrong with the recording of a messy account. */
  readonly fault?: Fault;
}

/**
 * `copy`: the bytes of another recording of the day under a second name. `second-device`: the same
 * activity as another recording of the day, from a device that was started up to a minute later.
 * `broken`: cut off, as by an empty battery.
 */
export type Fault = 'copy' | 'second-device' | 'broken';

/** The plan and the place of each day, if they differ from the athlete's usual ones. */
export interface Variation {
  /** @param index days before the next race */
  plan(index: number): DayPlan;
  settingOn(daysBefore: number): Setting;
}

/** Makes complete days up to the last one, oldest first. */
export function* daysOf(
  setting: Setting,
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
