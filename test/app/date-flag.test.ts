import { expect, it } from 'vitest';
import { dateFlag } from '../../src/app/date-flag.ts';
import { SyncError } from '../../src/base/errors.ts';

/** Half past midnight of 1 March in Berlin, and still February in New York. */
const NOW = Date.UTC(2026, 1, 28, 23, 30);

it.each([
  ['2025-12-31', 'UTC', '2025-12-31'],
  ['today', 'Europe/Berlin', '2026-03-01'],
  ['today', 'America/New_York', '2026-02-28'],
  ['yesterday', 'Europe/Berlin', '2026-02-28'],
  ['7d', 'Europe/Berlin', '2026-02-22'],
  ['0d', 'UTC', '2026-02-28'],
])('reads the date %s in %s as %s', async (text, zone, date) => {
  expect(await dateFlag('--since', text, () => zone, NOW)).toBe(date);
});

it.each(['', '2026-02-30', '26-02-01', '7', 'd', '-7d', '1.5d', '999999d', 'Today', '7d '])(
  'refuses "%s" as a date, without reading the zone',
  async (text) => {
    const zone = () => {
      throw new Error('asked for the zone');
    };
    await expect(dateFlag('--since', text, zone, NOW)).rejects.toThrow(SyncError);
  },
);
