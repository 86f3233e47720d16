import { expect, it } from 'vitest';
import { isInstant } from '../../../src/api/workout-pages.ts';

it('takes no long text for a time, and answers within the time limit', () => {
  // Quadratic time would be minutes.
  expect(isInstant('T'.repeat(300_000))).toBe(false);
  expect(isInstant('2026-02-15T06:10:00.123456789+00:00')).toBe(true);
});
