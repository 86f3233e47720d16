import { clamp, rounded } from './arithmetic.ts';
import { detraining, ftpOn, weightOn, type Athlete } from './athlete.ts';
import type { LivedDay } from './plan.ts';
import { stream } from './random.ts';
import { isRaceDay } from './season.ts';

/**
 * A wellness record in the service's fields (service interface, section 2.2), with integers for the
 * fields that require them.
 */
export type SyntheticWellness = Readonly<ReturnType<typeof wellnessOf>>;

/** Returns the day's record: the morning after the recent training load, and the day's activity. */
export function wellnessOf(day: LivedDay) {
  const { athlete, load, yesterday, recorded } = day;
  const { index, ill } = day.plan;
  const isRace = isRaceDay(index);
  const body = bodyOf(day);
  const night = nightOf(day);
  const strain = strainOf(load);
  const rating = (share: number, tag: string) =>
    clamp(Math.round(3 + 2.5 * share + stream(athlete.seed, tag, index).normal() * 1.1), 1, 10);
  const readiness =
    64 - 17 * strain + (body.hrv - athlete.hrv) * 0.9 + (night.score - 76) * 0.35 - (ill ? 20 : 0);
  const weight = weightOn(athlete, index);
  const walked = stepsOf(day);
  const run = recorded?.sport === 'running' ? recorded.totals.cycles * 2 : 0;
  const resting = Math.round(weight * 22.6 + 30);
  const active = (recorded?.totals.calories ?? 0) + Math.round(walked * 0.036);
  return {
    date: day.date,
    hrv: body.hrv,
    restingHr: body.restingHr,
    avgSleepingHr: body.restingHr + 4 + Math.round(clamp(strain, 0, 1.5) * 2),
    sleepSecs: night.asleep,
    sleepDeepSecs: night.deep,
    sleepRemSecs: night.rem,
    sleepLightSecs: night.light,
    sleepAwakeSecs: night.awake,
    sleepHours: rounded(night.asleep / 3600, 2),
    sleepScore: night.score,
    readiness: clamp(Math.round(readiness), 1, 99),
    weight: body.weight,
    bodyFat: rounded(11.5 + 3 * detraining(index) + noise(athlete, 'fat', index) * 0.25, 1),
    vo2max: rounded((athlete.vo2max * ftpOn(athlete, index)) / athlete.ftp, 1),
    respiration: rounded(
      14.1 + (ill ? 1.4 : 0) + strain * 0.25 + noise(athlete, 'breath', index) * 0.3,
      1,
    ),
    spO2: clamp(Math.round(96.8 - (ill ? 1 : 0) + noise(athlete, 'oxygen', index) * 0.8), 92, 99),
    fatigue: rating(strain * 0.9 + yesterday / 260 + (ill ? 1.2 : 0), 'fatigue'),
    soreness: rating(yesterday / 170 + strain * 0.4, 'soreness'),
    mood: rating(1.6 - strain * 0.5 - (ill ? 1 : 0), 'mood'),
    motivation: rating(1.7 - strain * 0.6 - (ill ? 1.3 : 0) + (isRace ? 0.8 : 0), 'motivation'),
    steps: walked + run,
    exerciseMinutes: Math.round((recorded?.totals.timer ?? 0) / 60),
    restingCaloriesBurned: resting,
    activeCaloriesBurned: active,
    totalCaloriesBurned: resting + active,
    ...(ill ? { comments: 'A cold: no training.' } : isRace ? { comments: 'Race day.' } : {}),
    rawJson: { synthetic: true, generator: 'athlete-sync seed', seed: athlete.seed },
  };
}

/** Returns fatigue relative to fitness: 0 is balanced, 1 a hard week. */
function strainOf(load: LivedDay['load']): number {
  return clamp((load.atl - load.ctl) / 28, -1.1, 1.8);
}

function bodyOf({ athlete, load, yesterday, plan: { index, ill } }: LivedDay) {
  const strain = strainOf(load);
  const fatigue = (load.atl - 65) / 40;
  const tired = clamp(yesterday / 100, 0, 2.5);
  const hrv =
    athlete.hrv * (1 - 0.065 * strain - 0.05 * fatigue - 0.018 * tired - (ill ? 0.16 : 0)) +
    noise(athlete, 'hrv', index) * athlete.hrv * 0.045;
  const restingHr =
    athlete.restingHr +
    3 * detraining(index) +
    1.9 * strain +
    1.7 * fatigue +
    0.5 * tired +
    (ill ? 7 : 0) +
    noise(athlete, 'restingHr', index) * 1.1;
  // A long day leaves the body dry and its glycogen stores empty; both come back within a day.
  const water = noise(athlete, 'water', index) * 0.32 - 0.25 * tired;
  return {
    hrv: rounded(Math.max(hrv, 18), 1),
    restingHr: clamp(Math.round(restingHr), 34, 90),
    weight: rounded(weightOn(athlete, index) + 0.15 + water, 1),
  };
}

function nightOf({ athlete, load, yesterday, plan: { index, ill, workout } }: LivedDay) {
  const random = stream(athlete.seed, 'night', index);
  const early = workout !== null && workout.startMinute < 7 * 60 ? 0.55 : 0;
  const hours =
    athlete.sleepHours + 0.22 * strainOf(load) + (ill ? 0.9 : 0) - early + random.normal() * 0.5;
  const asleep = Math.round(clamp(hours, 4.6, 10.4) * 60) * 60;
  const deep = shareOf(asleep, 0.17 + clamp(yesterday, 0, 200) * 0.0002 + random.normal() * 0.02);
  const rem = shareOf(asleep, 0.22 + random.normal() * 0.025);
  const awake = random.integer(8, 42) * 60 + (ill ? 1500 : 0);
  const score =
    72 + (asleep / 3600 - 7.4) * 9 + (deep / asleep - 0.18) * 120 - (awake / 60 - 24) * 0.3;
  return {
    asleep,
    deep,
    rem,
    light: asleep - deep - rem,
    awake,
    score: clamp(Math.round(score), 15, 99),
  };
}

/** Returns a share of a night (s), in whole minutes. */
function shareOf(seconds: number, share: number): number {
  return Math.round((seconds * share) / 60) * 60;
}

function stepsOf({ athlete, plan: { index, ill } }: LivedDay): number {
  const random = stream(athlete.seed, 'steps', index);
  return Math.round(ill ? random.between(1200, 3200) : random.between(4300, 9200));
}

/**
 * Returns noise that is correlated over three days, with deviation 1. It carries no state, so any day
 * can be the first.
 */
function noise(athlete: Athlete, tag: string, index: number): number {
  const at = (day: number) => stream(athlete.seed, tag, day).normal();
  return at(index) * 0.8 + at(index + 1) * 0.5 + at(index + 2) * 0.33;
}
