import type { Context } from '../../src/base/context.ts';
import { systemClock } from '../../src/system/this-process.ts';

/**
 * Returns a context of the real clock, a signal that is never aborted, a random number that is
 * always 0.5, and lines and warnings that are dropped; `overrides` replaces any of them.
 */
export function testContext(overrides: Partial<Context> = {}): Context {
  return {
    clock: systemClock,
    signal: new AbortController().signal,
    random: () => 0.5,
    trace: () => undefined,
    warn: () => undefined,
    ...overrides,
  };
}
