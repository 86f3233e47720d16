/**
 * Fitness, fatigue and form in the impulse-response model of training platforms: exponentially
 * weighted averages of daily training stress over 42 and 7 days.
 *
 * A day's values depend only on the {@link HISTORY} days before it, so they are the same for any
 * length of history.
 */
export interface Load {
  /** Chronic training load, fitness. */
  readonly ctl: number;
  /** Acute training load, fatigue. */
  readonly atl: number;
  /** Training stress balance, form: `ctl - atl`. */
  readonly tsb: number;
}

/** Days of training stress that the averages include. */
export const HISTORY = 210;

export class LoadHistory {
  /** Newest first. */
  readonly #stress: number[] = [];

  push(stress: number): void {
    this.#stress.unshift(stress);
    if (this.#stress.length > HISTORY) this.#stress.pop();
  }

  /** Returns the stress of an earlier day; 1 is the last finished day. */
  daysAgo(days: number): number {
    return this.#stress[days - 1] ?? 0;
  }

  morning(): Load {
    const ctl = this.#average(42);
    const atl = this.#average(7);
    return { ctl, atl, tsb: ctl - atl };
  }

  #average(days: number): number {
    const keep = 1 - 1 / days;
    let weight = 1;
    let weights = 0;
    let total = 0;
    for (const stress of this.#stress) {
      total += stress * weight;
      weights += weight;
      weight *= keep;
    }
    return weights === 0 ? 0 : total / weights;
  }
}
