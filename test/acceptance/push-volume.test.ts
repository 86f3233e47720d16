import { describe, expect, it } from 'vitest';
import {
  openLoggedInWorld,
  openTerminal,
  requestCounts,
  terminals,
} from '../support/acceptance.ts';
import { until } from '../support/until.ts';

function datesFrom(first: string, count: number): string[] {
  const start = Date.parse(first);
  return Array.from({ length: count }, (_, index) =>
    new Date(start + index * 86_400_000).toISOString().slice(0, 10),
  );
}

const DATES = datesFrom('2023-01-01', 400);

const WELLNESS = DATES.map((date, index) => ({
  date,
  hrv: 60 + (index % 20),
  restingHr: 45 + (index % 7),
  sleepSecs: 25_000 + index,
  rawJson: { night: 'x'.repeat(500) },
}));

describe('sync push of 400 days in one file', () => {
  it.each([
    ['the usual number', [], 4, 40],
    ['--jobs 7', ['--jobs', '7'], 7, 40],
    ['--jobs 1', ['--jobs', '1'], 1, 5],
  ])(
    'sends days in parallel, with %s of requests at once as the limit',
    async (_name, flags, most, days) => {
      const world = await openLoggedInWorld();
      world.sandbox.control.addFaults('wellness:delay=100ms*inf');
      const file = world.write('years.json', JSON.stringify(WELLNESS.slice(0, days)));
      let isOver = false;
      const run = world.sync(['push', 'wellness', file, ...flags]).finally(() => (isOver = true));
      let together = 0;
      await until(() => {
        const requests = world.sandbox.control.requests({ route: 'wellness' });
        const open = requests.filter(({ durationMs }) => durationMs === null);
        together = Math.max(together, open.length);
        return isOver;
      });
      expect([(await run).code, together]).toEqual([0, most]);
      expect(requestCounts(world.sandbox)).toEqual({ wellness: days });
    },
  );

  it.skipIf(!terminals.present)(`shows its progress${terminals.note}`, async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('wellness:delay=10ms*inf');
    const file = world.write('years.json', JSON.stringify(WELLNESS.slice(0, 300)));
    const terminal = openTerminal(world, ['push', 'wellness', file]);
    const [, early] = await terminal.waitFor(/(\d+) of 300\b/);
    const [, late] = await terminal.waitFor(/([12]\d\d) of 300\b/);
    expect(Number(early)).toBeLessThan(Number(late));
    await terminal.waitFor(/wellness: 300 sent\./);
    expect((await terminal.finished).code).toBe(0);
    // Without a terminal no such line is drawn.
    const few = world.write('days.json', JSON.stringify(WELLNESS.slice(0, 20)));
    const plain = await world.sync(['push', 'wellness', few, '--force']);
    expect(plain.stdout + plain.stderr).not.toContain(' of 20');
  });
});
