import type { Clock } from '../base/time.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    // Loaded on demand: most commands do not wait.
    const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
