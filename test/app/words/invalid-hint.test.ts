import { describe, expect, it } from 'vitest';
import { invalidHint } from '../../../src/app/words/invalid-hint.ts';

describe('the command for a file that cannot be uploaded', () => {
  it.each([
    ['incomplete', 'rides/a.fit', '`sync repair rides/a.fit` saves what can be read.'],
    ['corrupt', 'my ride.fit', '`sync repair "my ride.fit"` saves what can be read.'],
    ['not-fit', 'wellness.json', '`sync push wellness wellness.json` sends it.'],
    ['not-fit', 'x/My-Nutrition.csv', '`sync push nutrition x/My-Nutrition.csv` sends it.'],
    ['not-fit', 'export.xml', '`sync import export.xml` shows what can be sent, and sends it.'],
  ] as const)('of a problem %s in %s is %s', (reason, path, expected) => {
    expect(String(invalidHint(path, reason))).toContain(expected);
  });

  it.each([
    ['incomplete', 'a.zip/b/ride.fit'],
    ['incomplete', 'rides.ZIP'],
    ['corrupt', 'ride.fit.gz'],
    ['not-fit', 'page.html'],
    ['not-fit', 'ride.fit'],
    ['not-an-activity', 'settings.fit'],
    ['unreadable', 'gone.fit'],
  ] as const)('of a problem %s in %s is none', (reason, path) => {
    expect(invalidHint(path, reason)).toBeUndefined();
  });
});
