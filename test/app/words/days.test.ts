import { describe, expect, it } from 'vitest';
import { pushSummaryJson, pushSummaryText } from '../../../src/app/words/days.ts';

const NONE = {
  total: 0,
  warnings: 0,
  unclear: 0,
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
    [{ total: 2, failed: 2, unclear: 2 }, 'nutrition: 2 unclear; look at the platform first.'],
    [
      { total: 3, failed: 3, unclear: 1 },
      'nutrition: 1 unclear; look at the platform first, 2 not sent.',
    ],
    [{ total: 2, pushed: 1, conflict: 1 }, 'nutrition: 1 sent, 1 to be corrected in the platform.'],
  ])('separates unclear days from days that the next run sends: %j', (counts, text) => {
    expect(pushSummaryText('nutrition', { ...NONE, ...counts })).toBe(text);
  });

  it('counts unclear days among the failed, if there are any', () => {
    const report = pushSummaryJson({ ...NONE, total: 3, failed: 3, unclear: 1 });
    expect(report).toMatchObject({ failed: 3, unclear: 1 });
    expect(pushSummaryJson(NONE)).not.toHaveProperty('unclear');
  });
});
