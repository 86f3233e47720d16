import { describe, expect, it } from 'vitest';
import { pushSummaryText } from '../../../src/app/words/days.ts';

const NONE = {
  total: 0,
  warnings: 0,
  pushed: 0,
  skipped: 0,
  invalid: 0,
  rejected: 0,
  conflict: 0,
  failed: 0,
  'would-push': 0,
};

describe('the summary of a push', () => {
  it.each([
    [{ total: 3, pushed: 1, failed: 2 }, 'nutrition: 1 sent, 2 not sent.'],
    [{ total: 2, pushed: 1, conflict: 1 }, 'nutrition: 1 sent, 1 to be corrected in the platform.'],
  ])('names each outcome that there is: %j', (counts, text) => {
    expect(pushSummaryText('nutrition', { ...NONE, ...counts })).toBe(text);
  });
});
