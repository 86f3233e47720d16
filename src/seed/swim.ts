import type { Athlete } from './athlete.ts';
import { Heart } from './body.ts';
import type { LapEnd } from './effort.ts';
import { Wander, type Random } from './random.ts';
import type { LengthTruth } from './recording.ts';
import type { SwimLeg } from './workout.ts';

/** Length of the pool (m). */
export const POOL = 25;
const POOL_CM = POOL * 100;

export interface Swim {
  readonly seconds: readonly SwimSecond[];
  readonly lengths: readonly LengthTruth[];
  readonly lapEnds: readonly LapEnd[];
}

interface SwimSecond {
  readonly heartRate: number;
  /** Strokes per minute. */
  readonly cadence: number;
  /** cm since the start. */
  readonly distance: number;
}

/**
 * Simulates a pool swim. Each length takes whole seconds at constant speed, so that lengths, laps and
 * distance agree.
 *
 * @param start seconds since 1970-01-01T00:00:00Z
 * @param threshold critical swim speed on that day, m/s
 */
export function swim(
  leg: SwimLeg,
  athlete: Athlete,
  threshold: number,
  start: number,
  random: Random,
): Swim {
  const heart = new Heart(athlete, random, 20);
  const pacing = new Wander(random, 0.6, 0.02);
  const strokesPerLength = random.between(17, 20);
  const seconds: SwimSecond[] = [];
  const lengths: LengthTruth[] = [];
  const lapEnds: LapEnd[] = [];
  let swum = 0;

  const swimLength = (pace: number) => {
    const took = Math.round(POOL / (threshold * pace * (1 + pacing.next())));
    const strokes = Math.round(strokesPerLength + (pace - 0.9) * 8 + random.normal() * 0.7);
    lengths.push({ start: start + seconds.length, seconds: took, active: true, strokes });
    for (let second = 1; second <= took; second++) {
      seconds.push({
        heartRate: heart.beat(pace * pace * 0.94, seconds.length),
        cadence: Math.round((strokes * 60) / took),
        distance: swum + Math.round((POOL_CM * second) / took),
      });
    }
    swum += POOL_CM;
  };
  const restAtWall = (rest: number) => {
    lengths.push({ start: start + seconds.length, seconds: rest, active: false, strokes: 0 });
    for (let second = 0; second < rest; second++) {
      seconds.push({ heartRate: heart.beat(0.3, seconds.length), cadence: 0, distance: swum });
    }
  };

  for (const set of leg.sets) {
    for (let repeat = 0; repeat < set.repeats; repeat++) {
      const first = lengths.length;
      for (let metres = 0; metres < set.metres; metres += POOL) swimLength(set.pace);
      lapEnds.push({
        end: seconds.length,
        intensity: set.kind,
        trigger: 'manual',
        firstLength: first,
      });
      if (set.rest === 0) continue;
      const wall = lengths.length;
      restAtWall(set.rest + random.integer(-3, 4));
      lapEnds.push({
        end: seconds.length,
        intensity: 'rest',
        trigger: 'manual',
        firstLength: wall,
      });
    }
  }
  return { seconds, lengths, lapEnds };
}
