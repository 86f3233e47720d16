import type { Clock } from '../../src/time.ts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Lets so many ms pass, and all that waits for them happen. */
  advance(ms: number): Promise<void>;
  /** All of it passes at once, as for a machine that slept. */
  jump(ms: number): void;
}

export function manualClock(start = Date.now()): ManualClock {
  let now = start;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const wakeDue = () => {
    for (const sleeper of [...sleepers]) {
      if (sleeper.at > now) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const settle = async () => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      }),
    jump(ms) {
      now += ms;
      wakeDue();
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settle();
        const next = Math.min(...[...sleepers].map(({ at }) => at));
        if (next > end) break;
        now = Math.max(now, next);
        wakeDue();
      }
      now = end;
      await settle();
    },
  };
}
