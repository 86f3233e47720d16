import { expect, it } from 'vitest';
import { isInstant } from '../../../src/api/workout-pages.ts';
import { localTime } from '../../../src/app/workout-list.ts';

it('takes no long text for a time, and returns it unchanged within the time limit', () => {
  // Quadratic time would be minutes.
  const text = 'T'.repeat(300_000);
  expect(isInstant(text)).toBe(false);
  expect(localTime(text, 'Europe/Berlin')).toBe(text);
  expect(localTime('2026-02-15T06:10:00.123456789+00:00', 'Europe/Berlin')).toBe(
    '2026-02-15 07:10',
  );
});
