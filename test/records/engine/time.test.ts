import { describe, expect, it } from 'vitest';
import { readWhen } from '../../../src/records/engine/time.ts';

function dateIn(zone: string, stamp: string): unknown {
  const row = { source: 'days.csv:2', get: () => stamp };
  return readWhen(
    row,
    { from: 'timestamp', format: 'day' },
    { name: zone, from: 'profile' },
    'day',
  );
}

const JUNE_4 = { date: '2026-06-04', instant: undefined, text: '2026-06-04' };

describe('a calendar date', () => {
  it.each([
    '2026-06-04',
    '2026-06-04T00:00:00Z',
    '2026-06-04T12:00:00Z',
    '2026-06-04 00:00:00.000',
    '2026-06-04T00:00:00+02:00',
    '1780531200000',
  ])('is the same in all zones: %s', (stamp) => {
    for (const zone of ['America/Los_Angeles', 'Europe/Berlin', 'Pacific/Auckland']) {
      expect(dateIn(zone, stamp)).toEqual(JUNE_4);
    }
  });

  it.each(['yesterday', '04.06.2026', '2026-06-041'])('is not read from %s', (stamp) => {
    expect(dateIn('Europe/Berlin', stamp)).toEqual({
      problem: `timestamp is ${JSON.stringify(stamp)}, which is no calendar date`,
    });
  });
});
