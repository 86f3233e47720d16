import { describe, expect, it } from 'vitest';
import {
  KINDS,
  type World,
  foodsHeld,
  openLoggedInWorld,
  play,
  requestLines,
  sendingLines,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

const heldBy = (world: World) => world.sandbox.control.state('athlete-1').athletes[0];

/** The record of one date at the sandbox; there must be no other. */
function onlyRecord(world: World, kind: 'wellness' | 'nutrition') {
  const all = heldBy(world)?.[kind] ?? [];
  expect(all).toHaveLength(1);
  return all[0];
}
const summary = {
  type: 'summary',
  warnings: 0,
  pushed: 0,
  skipped: 0,
  invalid: 0,
  rejected: 0,
  conflict: 0,
  failed: 0,
};

const bodiesOf = (world: World, route: 'wellness' | 'nutrition') =>
  world.sandbox.control.requests({ route }).map(({ body }) => body);

/** Nutrition requests with items: a request without items only asks for the day. */
const bodiesWithItems = (world: World) =>
  bodiesOf(world, 'nutrition').filter((body) => (body as { items: unknown[] }).items.length > 0);

describe.each(KINDS)('sync push on %s', (platform) => {
  play(platform);

  it('sends each field of a day as it was written', async () => {
    const world = await openLoggedInWorld();
    const rawJson = { device: 'watch', nested: { list: [1, 2.5, null, 'ü'] } };
    const comments = 'Slept well. “Quoted”, emoji 🚴, and\na second line';
    const numbers = {
      hrv: 68.4,
      vo2max: 56.2,
      sleepSecs: 27_120,
      distanceMeters: 18_250.4,
      mood: 6,
    };
    const wellness = { date: '2026-02-15', ...numbers, comments, injury: 'left calf', rawJson };
    const item = {
      name: 'Gel, “Süß & sauer”',
      logged_at: '2026-02-15T10:30:00+01:00',
      meal: 'SNACK',
      calories: 92.5,
      carbs: 23.1,
      fat: 0.2,
      quantity: '1 x 32 g',
      absorptionType: 'RAPID',
    };
    const nutrition = { date: '2026-02-15', calories: 95, waterMl: 2_750, rawJson, items: [item] };
    for (const [kind, day] of Object.entries({ wellness, nutrition })) {
      expect((await world.sync(['push', kind, '-'], { input: JSON.stringify(day) })).code).toBe(0);
    }
    expect(bodiesOf(world, 'wellness')).toEqual([wellness]);
    expect(onlyRecord(world, 'wellness')?.record).toEqual({ ...wellness, date: undefined });
    expect(bodiesWithItems(world)).toEqual([nutrition]);
    expect(foodsHeld(world.sandbox, '2026-02-15')).toEqual([expect.objectContaining(item)]);
  });

  it('prints the cause of several days that were not sent once', async () => {
    const world = await openLoggedInWorld({ sandbox: { faults: ['wellness:422*inf'] } });
    const input = '{"date":"2026-02-14","hrv":70}\n{"date":"2026-02-15","hrv":71}\n';
    const { code, stdout } = await world.sync(['push', 'wellness', '-'], { input });
    expect(code).toBe(6);
    expect(stdout.split('\n')).toEqual([
      '2 days were refused by the platform: A scripted fault of the sandbox',
      '  2026-02-14',
      '  2026-02-15',
      'wellness: 2 refused.',
      '',
    ]);
  });

  it('refuses a day far in the future', async () => {
    const world = await openLoggedInWorld();
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const input = JSON.stringify({ date: day, hrv: 66 });
    const run = await world.sync(['push', 'wellness', '-'], { input });
    expect([run.code, run.stdout]).toEqual([3, /date: .* days ahead of today/]);
    expect(sendingLines(world.sandbox)).toEqual([]);
  });

  // How the interface takes a nutrition day: push-nutrition.test.ts.
  it.each(
    platform === 'interface' ? (['wellness'] as const) : (['wellness', 'nutrition'] as const),
  )('keeps one record of a %s day, and sends it again only after a change', async (kind) => {
    const world = await openLoggedInWorld();
    const day = (value: number) =>
      JSON.stringify(
        kind === 'wellness'
          ? { date: '2026-02-15', hrv: value, restingHr: 48 }
          : {
              date: '2026-02-15',
              items: [{ logged_at: '2026-02-15T12:00:00+01:00', name: 'Rice', carbs: value }],
            },
      );
    const file = world.write('day.json', day(60));
    const run = () => world.sync(['push', kind, file, '--json']);
    const first = await run();
    world.sandbox.control.clearRequests();
    const second = await run();
    // The first run after that has a look if another computer has dropped something.
    expect(sendingLines(world.sandbox)).toEqual([]);
    expect((await run()).stdout).toBe(second.stdout);
    // The same data in another file, in another order, is the same day.
    const copy = world.write('copy.json', JSON.stringify([JSON.parse(day(60))], null, 2));
    const third = await world.sync(['push', kind, copy, '--json']);
    expect(sendingLines(world.sandbox)).toEqual([]);
    world.write('day.json', day(61));
    const fourth = await run();
    const changed =
      kind === 'wellness' ? ['wellness 200'] : ['nutrition 200', 'nutrition-items 200'];
    expect(sendingLines(world.sandbox)).toEqual(changed);
    const forced = await world.sync(['push', kind, file, '--force', '--json']);
    const again = kind === 'wellness' ? ['wellness 200'] : [];
    expect(sendingLines(world.sandbox)).toEqual([...changed, ...again]);

    const ends = [first, second, third, fourth, forced].map(({ code, stdout }) => {
      const { outcome, reason } = ndjson(stdout)[0] ?? {};
      return [code, outcome, reason];
    });
    expect(ends).toEqual([
      [0, 'pushed', undefined],
      [0, 'skipped', 'unchanged'],
      [0, 'skipped', 'unchanged'],
      [0, 'pushed', undefined],
      // The platform shows the day, which is right.
      kind === 'wellness' ? [0, 'pushed', undefined] : [0, 'skipped', 'unchanged'],
    ]);
    expect(ndjson(second.stdout).at(-1)).toEqual({ ...summary, total: 1, skipped: 1 });
    if (kind === 'wellness') {
      expect(onlyRecord(world, kind)).toMatchObject({ receivedCount: 3, record: { hrv: 61 } });
    } else {
      expect(foodsHeld(world.sandbox, '2026-02-15')).toMatchObject([{ name: 'Rice', carbs: 61 }]);
    }
  });

  it('shows the exact requests with --dry-run', async () => {
    const world = await openLoggedInWorld();
    const wellness = world.write(
      'wellness.ndjson',
      [
        { date: '2026-02-14T23:30:00Z', resting_hr: '47.6', hrv: 66, note: 'é' },
        { date: '2026-02-15', sleepHours: 7.5, weight: 72.5 },
        { date: '2026-02-16', weight: null, hrv: 71 },
      ]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    const nutrition = world.write(
      'nutrition.json',
      JSON.stringify({
        items: [
          { logged_at: '2026-02-15T23:45:00Z', name: 'Gel', carbs: 22, absorptionType: 'rapid' },
          { logged_at: '2026-02-15T08:00', name: 'Toast', carbs: 30 },
        ],
      }),
    );
    for (const [kind, file] of [
      ['wellness', wellness],
      ['nutrition', nutrition],
    ] as const) {
      world.sandbox.control.clearRequests();
      const dry = await world.sync(['push', kind, file, '--dry-run', '--json', '--jobs', '1']);
      const shown = await world.sync(['push', kind, file, '--dry-run', '--verbose']);
      const brief = await world.sync(['push', kind, file, '--dry-run']);
      expect(brief.stdout).toMatch(
        kind === 'wellness' ? /^[-\d]+: would be sent.*: \w+ [\d."]+/m : /: \d items?$/m,
      );
      expect(brief.stdout).not.toContain('POST');
      expect([dry.code, shown.code]).toEqual([0, 0]);
      expect(requestLines(world.sandbox)).toEqual([]);
      const announced = ndjson(dry.stdout).slice(0, -1);
      const total = announced.length;
      expect(announced.map(({ outcome }) => outcome)).toEqual(Array(total).fill('would-push'));
      expect(ndjson(dry.stdout).at(-1)).toMatchObject({ total, 'would-push': total, pushed: 0 });

      expect((await world.sync(['push', kind, file, '--json', '--jobs', '1'])).code).toBe(0);
      const url = `${world.sandbox.url}/api/${kind}`;
      const sent = kind === 'wellness' ? bodiesOf(world, kind) : bodiesWithItems(world);
      expect(sent).not.toEqual([]);
      expect(announced.map(({ request }) => request)).toEqual(
        sent.map((body) => ({ method: 'POST', url, body })),
      );
      // What people are shown holds the same bodies.
      for (const body of sent) {
        expect(shown.stdout.replaceAll('\n  ', '\n')).toContain(JSON.stringify(body, null, 2));
      }
      const again = await world.sync(['push', kind, file, '--dry-run', '--json']);
      expect(ndjson(again.stdout).map(({ outcome }) => outcome)).toEqual([
        ...Array<string>(total).fill('skipped'),
        undefined,
      ]);
    }
  });
});
