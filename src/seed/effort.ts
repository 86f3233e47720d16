import type { Random } from './random.ts';
import type { Intensity, LapTrigger } from './recording.ts';
import type { Segment, SegmentKind } from './workout.ts';

/** One second of the plan. */
interface Second {
  /** Seconds of timer time before this one. */
  readonly elapsed: number;
  /** Share of the threshold. */
  readonly share: number;
  readonly kind: SegmentKind;
}

/** Yields the plan second by second, in one reused object. */
export function* secondsOf(segments: readonly Segment[]): Generator<Second, void> {
  const now: { -readonly [Key in keyof Second]: Second[Key] } = {
    elapsed: 0,
    share: 0,
    kind: 'active',
  };
  for (const { seconds, from, to, kind } of segments) {
    now.kind = kind;
    for (let second = 0; second < seconds; second++) {
      now.share = from + ((to - from) * second) / seconds;
      yield now;
      now.elapsed++;
    }
  }
}

export function durationOf(segments: readonly Segment[]): number {
  let seconds = 0;
  for (const segment of segments) seconds += segment.seconds;
  return seconds;
}

/** A break with the timer stopped, after a number of seconds of timer time. */
export interface Break {
  readonly after: number;
  readonly seconds: number;
}

/** The end of a lap. */
export interface LapEnd {
  /** Number of records before the end. */
  readonly end: number;
  readonly intensity: Intensity;
  readonly trigger: LapTrigger;
  /** Index of the lap's first length; 0 on land. */
  readonly firstLength: number;
}

/** Draws the breaks of a workout: long ones usually have a stop at a cafe or a fountain. */
export function breaksOf(random: Random, duration: number): Break[] {
  if (duration < 9000) return [];
  const seconds = random.integer(240, 780);
  return random.chance(0.75)
    ? [{ after: Math.round(duration * random.between(0.45, 0.65)), seconds }]
    : [];
}

/** Red lights and crossings, with the timer running. */
export class Crossings {
  readonly #random: Random;
  #next: number;
  #left = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#next = random.integer(240, 900);
  }

  /** Whether to stand still this second; never during an interval. */
  closed(second: Second): boolean {
    if (second.kind === 'interval') this.#left = 0;
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    if (second.elapsed < this.#next || second.kind === 'interval') return false;
    this.#next = second.elapsed + this.#random.integer(500, 2400);
    this.#left = this.#random.integer(18, 55);
    return true;
  }
}
