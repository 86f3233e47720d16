import { describe, expect, it } from 'vitest';
import {
  openLoggedInWorld,
  openTerminal,
  openWorld,
  requestCounts,
  terminals,
} from '../support/acceptance.ts';
import { openCountingProxy } from '../support/counting-proxy.ts';

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
      const world = await openWorld();
      const proxy = await openCountingProxy(world.sandbox.url, 100);
      const file = world.write('years.json', JSON.stringify(WELLNESS.slice(0, days)));
      const { access_token } = world.sandbox.control.mint();
      const { code } = await world.sync(['push', 'wellness', file, ...flags], {
        env: { SYNC_BASE_URL: proxy.url, SYNC_ACCESS_TOKEN: access_token },
      });
      expect(code).toBe(0);
      expect(proxy.most()).toBe(most);
      // One more request asked for the owner of the token.
      expect(proxy.total()).toBe(days + 1);
      expect(requestCounts(world.sandbox)).toEqual({ userinfo: 1, wellness: days });
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
