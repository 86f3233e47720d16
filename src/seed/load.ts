/** Days of training stress that the averages include. */
export const HISTORY = 210;

/**
 * Fitness and fatigue in the impulse-response model of training platforms: exponentially weighted averages
 * of daily training stress over 42 and 7 days.
 *
 * A day's values depend only on the {@link HISTORY} days before it, so they are the same for any
 * length of history.
 */
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

  /** Returns fitness (chronic training load, `ctl`) and fatigue (acute training load, `atl`). */
  morning() {
    return { ctl: this.#average(42), atl: this.#average(7) };
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
