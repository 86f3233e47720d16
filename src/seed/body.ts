import { clamp, interpolate } from './arithmetic.ts';
import type { Athlete } from './athlete.ts';
import { type Random, Wander } from './random.ts';

/** Steady-state share of the heart rate reserve by effort. */
const HEART_CURVE: readonly (readonly [x: number, y: number])[] = [
  [0, 0.2],
  [0.5, 0.48],
  [0.75, 0.69],
  [1, 0.875],
  [1.15, 0.95],
  [1.4, 0.99],
];

/** Heart rate: follows effort with a lag, slower down than up, and drifts over hours. */
export class Heart {
  readonly #athlete: Athlete;
  readonly #noise: Wander;
  readonly #drift: number;
  #level: number;
  #effort = 0;

  /** @param heat degrees Celsius; warmth increases the drift */
  constructor(athlete: Athlete, random: Random, heat: number) {
    this.#athlete = athlete;
    this.#noise = new Wander(random, 0.97, 1.1);
    this.#drift = random.between(0.006, 0.012) + Math.max(0, heat - 18) * 0.0006;
    this.#level = 0.22 + random.between(0, 0.08);
  }

  /**
   * @param effort share of the threshold, this second
   * @param elapsed seconds since the start
   * @returns bpm
   */
  beat(effort: number, elapsed: number): number {
    // The heart responds to the effort averaged over the last seconds.
    this.#effort += (effort - this.#effort) / 8;
    const hours = clamp((elapsed - 900) / 3600, 0, 5);
    const asked = interpolate(HEART_CURVE, this.#effort) * (1 + this.#drift * hours * 3);
    this.#level += (asked - this.#level) / (asked > this.#level ? 26 : 42);
    const { restingHr, maxHr } = this.#athlete;
    const rate = restingHr + (maxHr - restingHr) * this.#level + this.#noise.next();
    return clamp(Math.round(rate), restingHr, maxHr);
  }

  /** Lets the heart rate fall during a stop. */
  settle(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.#effort -= this.#effort / 8;
      this.#level += (0.26 - this.#level) / 60;
    }
  }
}

/**
 * The remaining W': power above threshold spends it, power below restores it, faster at lower power.
 * With little W' left, or after much total work, the athlete cannot hold the planned effort.
 */
export class Stamina {
  readonly #threshold: number;
  readonly #reserve: number;
  #left: number;
  #work = 0;

  /**
   * @param threshold W
   * @param reserve J
   */
  constructor(threshold: number, reserve: number) {
    this.#threshold = threshold;
    this.#reserve = reserve;
    this.#left = reserve;
  }

  /** Returns the share of a planned effort that the athlete can still hold. */
  share(): number {
    const left = this.#left / this.#reserve;
    const spent = left < 0.35 ? 0.22 * (0.35 - left) : 0;
    const worn = clamp((this.#work - 1_600_000) / 1_000_000, 0, 3) * 0.025;
    return 1 - spent - worn;
  }

  /** Spends one second at a power (W). */
  spend(power: number): void {
    this.#work += power;
    const over = power - this.#threshold;
    this.#left -= over > 0 ? over : (over * (this.#reserve - this.#left)) / this.#reserve;
    this.#left = clamp(this.#left, 0, this.#reserve);
  }
}
