import type { Random } from './random.ts';
import type { Segment, SegmentKind } from './workout.ts';

/** What the plan asks for in one second. */
interface Second {
  /** Seconds of timer time before this one. */
  readonly elapsed: number;
  /** Share of the threshold. */
  readonly share: number;
  readonly kind: SegmentKind;
}

/** The plan, a second at a time: one object that changes from second to second. */
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

/** A break with the timer stopped, after so many seconds of timer time. */
export interface Break {
  readonly after: number;
  readonly seconds: number;
}

/** Long days out have a stop at a cafe or a fountain. */
export function breaksOf(random: Random, duration: number): Break[] {
  if (duration < 9000) return [];
  const seconds = random.integer(240, 780);
  return random.chance(0.75)
    ? [{ after: Math.round(duration * random.between(0.45, 0.65)), seconds }]
    : [];
}

/** Red lights and crossings on the road: when to stop and for how long. */
export class Crossings {
  readonly #random: Random;
  #next: number;
  #left = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#next = random.integer(240, 900);
  }

  /** Must one stand still this second? Nobody stops in the middle of an effort. */
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
