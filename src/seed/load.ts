/**
 * Fitness, fatigue and form (the impulse-response model as training platforms use it): averages of
 * daily training stress whose weights fade with 42 and 7 days.
 *
 * The window is finite, so that a day's values depend on the {@link HISTORY} days before it and on
 * nothing else: they are the same however long a history was asked for.
 */
export interface Load {
  /** Chronic training load, fitness. */
  readonly ctl: number;
  /** Acute training load, fatigue. */
  readonly atl: number;
  /** Training stress balance, form: `ctl - atl`. */
  readonly tsb: number;
}

/** Days. */
export const HISTORY = 210;

export class LoadHistory {
  /** The newest first. */
  readonly #stress: number[] = [];

  /** A day is over. */
  push(stress: number): void {
    this.#stress.unshift(stress);
    if (this.#stress.length > HISTORY) this.#stress.pop();
  }

  /** The stress of a day, 1 being the last that is over. */
  daysAgo(days: number): number {
    return this.#stress[days - 1] ?? 0;
  }

  /** How one wakes up on the morning after the last day pushed. */
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
