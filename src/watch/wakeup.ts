import type { Clock } from '../base/time.ts';

/** No timer is set for longer, in ms: the loop looks around and waits again. */
const LONGEST_MS = 3_600_000;

/** What a loop sleeps on: until somebody rings, or its time has come. */
export class Wakeup {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Heard also by one that only goes to sleep afterwards. */
  notify(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when somebody rings, or after `ms` (undefined: then not), or now and then for no reason. */
  async wait(ms: number | undefined): Promise<void> {
    if (!this.#rung) {
      const cancel = new AbortController();
      const rung = new Promise<void>((resolve) => (this.#wake = resolve));
      const asleep = this.#clock.sleep(Math.min(ms ?? LONGEST_MS, LONGEST_MS), cancel.signal);
      try {
        await Promise.race([rung, asleep]);
      } finally {
        this.#wake = undefined;
        asleep.catch(() => undefined);
        cancel.abort();
      }
    }
    this.#rung = false;
  }
}
