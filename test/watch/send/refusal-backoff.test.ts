import { expect, it } from 'vitest';
import { isSettled, isGivenUp } from '../../../src/watch/send/refusal-backoff.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 1, 15);

it.each([
  ['a moment ago', 1, 0, true],
  ['a day ago', 1, -DAY, false],
  ['a day ago, for the second time', 2, -DAY, true],
  ['an hour from now, by a clock that was set back since', 1, 3_600_000, true],
  ['a year from now, by a clock that was wrong', 1, 365 * DAY, false],
])('isSettled for one refused %s (refusals: %s, age: %s ms): %s', (_, refusals, ms, rests) => {
  const upload = { state: 'rejected', attempts: 1, refusals, changedAt: NOW + ms } as const;
  expect(isSettled(upload, NOW)).toBe(rests);
});

it.each([
  ['rejected', 5, false],
  ['rejected', 6, true],
  ['pending', 6, false],
  ['confirmed', 6, false],
] as const)('isGivenUp for a recording that is %s after %s refusals: %s', (state, refusals, is) => {
  expect(isGivenUp({ state, attempts: 6, refusals, changedAt: NOW })).toBe(is);
});
