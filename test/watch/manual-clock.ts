import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/base/time.ts';
import { NEVER_MS } from '../support/until.ts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Advances the clock by `ms` and wakes the sleepers that are due. */
  advance(ms: number): Promise<void>;
  /** Advances the clock by `stepMs` (default: a second) at a time, until the condition holds. */
  advanceUntil(condition: () => boolean, stepMs?: number): Promise<void>;
  /** Sets the wall clock ahead or back by `ms` without waking sleepers, as after a suspend. */
  jump(ms: number): void;
}

export function manualClock(start = Date.now()): ManualClock {
  let elapsed = 0;
  let ahead = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const wakeDue = () => {
    for (const sleeper of [...sleepers]) {
      if (sleeper.at > elapsed) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const settle = async () => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const clock: ManualClock = {
    now: () => start + elapsed + ahead,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const sleeper = { at: elapsed + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort);
      }),
    jump(ms) {
      ahead += ms;
    },
    async advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        await settle();
        const next = Math.min(...[...sleepers].map(({ at }) => at));
        if (next > end) break;
        elapsed = Math.max(elapsed, next);
        wakeDue();
      }
      elapsed = end;
      await settle();
    },
    async advanceUntil(condition, stepMs = 1_000) {
      const end = Date.now() + NEVER_MS;
      while (!condition()) {
        if (Date.now() > end) throw new Error(`still not: ${String(condition)}`);
        await clock.advance(stepMs);
        // An answer of the service takes real time.
        await sleep(5);
      }
    },
  };
  return clock;
}
