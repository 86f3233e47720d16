import { describe, expect, it } from 'vitest';
import {
  type World,
  foodsHeld,
  openLoggedInWorld,
  requestLines,
  sendingLines,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

/** Interface 2.2, and all that service-behaviour says of deployed services beyond it. */
const EVERY_WELLNESS_FIELD = {
  hrv: 68.4,
  restingHr: 47,
  sleepSecs: 27_120,
  weight: 72.35,
  vo2max: 56.2,
  rawJson: { device: 'watch', nested: { list: [1, 2.5, null, 'ü'] } },
  avgSleepingHr: 51,
  sleepScore: 84,
  sleepQuality: 63,
  sleepDeepSecs: 5_400,
  sleepRemSecs: 6_000,
  sleepLightSecs: 14_220,
  sleepAwakeSecs: 1_500,
  readiness: 77,
  recoveryScore: 81,
  steps: 12_345,
  exerciseMinutes: 95,
  floors: 14,
  systolic: 118,
  diastolic: 76,
  stress: 8,
  mood: 64,
  motivation: 75,
  fatigue: 22,
  soreness: 13,
  hrvSdnn: 71.9,
  sleepHours: 7.53,
  bodyFat: 11.8,
  abdomen: 81.5,
  bloodGlucose: 5.1,
  skinTemp: 33.7,
  respiration: 13.4,
  spO2: 97.5,
  restingCaloriesBurned: 1_720,
  activeCaloriesBurned: 890,
  totalCaloriesBurned: 2_610,
  distanceMeters: 18_250.4,
  lactate: 1.3,
  hydrationVolume: 2_400,
  ctl: 68.2,
  atl: 74.9,
  injury: 'left calf, tight',
  menstrualPhase: 'follicular',
  comments: 'Slept well. “Quoted”, emoji 🚴, and\na second line',
};

/** Interface 2.3, and the totals that a day may state. */
const EVERY_NUTRITION_FIELD = {
  calories: 95,
  carbs: 84.25,
  protein: 0.125,
  fat: 0.25,
  waterMl: 2_750,
  rawJson: { app: 'diary', version: 3 },
  items: [
    {
      name: 'Gel, “Süß & sauer”',
      logged_at: '2026-02-15T10:30:00+01:00',
      calories: 92.5,
      carbs: 23.1,
      protein: 0.1,
      fat: 0.2,
      fiber: 0.3,
      sugar: 11.4,
      quantity: '1 x 32 g',
      meal: 'SNACK',
      absorptionType: 'RAPID',
    },
    {
      name: 'Oats',
      logged_at: '2026-02-15T07:05:30.250+01:00',
      carbs: 61,
      meal: 'BREAKFAST',
      absorptionType: 'DENSE',
    },
  ],
};

const heldBy = (world: World) => world.sandbox.control.state('athlete-1').athletes[0];

/** The record of one date at the sandbox; there must be no other. */
function onlyRecord(world: World, kind: 'wellness' | 'nutrition') {
  const all = heldBy(world)?.[kind] ?? [];
  expect(all).toHaveLength(1);
  return all[0];
}

const pushed = { attempts: 1, warnings: [], zoneUsed: false };
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

describe('sync push', () => {
  it('sends every wellness field unchanged', async () => {
    const world = await openLoggedInWorld();
    const record = { date: '2026-02-15', ...EVERY_WELLNESS_FIELD };
    const file = world.write('morning.json', JSON.stringify(record));
    const { code, stdout } = await world.sync(['push', 'wellness', file, '--json']);
    expect(code).toBe(0);
    expect(ndjson(stdout)).toEqual([
      {
        type: 'wellness',
        date: '2026-02-15',
        outcome: 'pushed',
        source: file,
        sources: [file],
        ...pushed,
      },
      { ...summary, total: 1, pushed: 1 },
    ]);
    expect(onlyRecord(world, 'wellness')).toMatchObject({
      date: '2026-02-15',
      record: EVERY_WELLNESS_FIELD,
      receivedCount: 1,
    });
    expect(onlyRecord(world, 'wellness')?.record).toEqual(EVERY_WELLNESS_FIELD);
    expect(world.sandbox.control.requests().map(({ body }) => body)).toEqual([record]);
  });

  it('sends every nutrition field unchanged', async () => {
    const world = await openLoggedInWorld();
    const record = { date: '2026-02-15', ...EVERY_NUTRITION_FIELD };
    const file = world.write('food.json', JSON.stringify(record));
    const { code, stdout } = await world.sync(['push', 'nutrition', file, '--json']);
    expect(code).toBe(0);
    // The offsets that go out are the zone's own.
    const used = { ...pushed, zoneUsed: (ndjson(stdout)[0] ?? {})['zoneUsed'] };
    expect(ndjson(stdout)[0]).toEqual({
      type: 'nutrition',
      date: '2026-02-15',
      outcome: 'pushed',
      source: file,
      sources: [file],
      ...used,
      attempts: 1,
    });
    const { items, ...fields } = EVERY_NUTRITION_FIELD;
    expect(onlyRecord(world, 'nutrition')?.record).toMatchObject(fields);
    const held = foodsHeld(world.sandbox, '2026-02-15');
    expect(held).toHaveLength(items.length);
    for (const item of items) expect(held).toContainEqual(expect.objectContaining(item));
    expect(bodiesWithItems(world)).toEqual([record]);
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

  it('sends no unknown fields, and names them', async () => {
    const world = await openLoggedInWorld();
    const record = { date: '2026-02-15', hrv: 70, coldShowerSecs: 90, tags: ['altitude'] };
    const input = JSON.stringify(record);
    const run = await world.sync(['push', 'wellness', '-'], { input });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(
      'note: stdin: not sent, since the platform does not know it: "coldShowerSecs", "tags"',
    );
    const bodies = world.sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);
    expect(bodies).toEqual([{ date: '2026-02-15', hrv: 70 }]);

    const item = { logged_at: '2026-02-15T10:30:00+01:00', carbs: 20 };
    const day = { date: '2026-02-15', items: [{ ...item, caffeineMg: 80 }], alcoholG: 0 };
    await world.sync(['push', 'nutrition', '-'], { input: JSON.stringify(day) });
    expect(bodiesWithItems(world)).toEqual([{ date: '2026-02-15', items: [item] }]);
  });

  it('refuses a record of unknown fields only, and with --strict a record with any', async () => {
    const world = await openLoggedInWorld();
    const record = { date: '2026-02-15', restHr: 48 };
    const alone = await world.sync(['push', 'wellness', '-'], { input: JSON.stringify(record) });
    expect(alone.code).toBe(3);
    expect(alone.stdout).toContain('restHr: not a field of the platform; did you mean restingHr?');
    const input = JSON.stringify({ ...record, hrv: 66 });
    const strict = await world.sync(['push', 'wellness', '-', '--strict'], { input });
    expect(strict.code).toBe(3);
    const food = JSON.stringify({ date: '2026-02-15', ...EVERY_NUTRITION_FIELD });
    const swapped = await world.sync(['push', 'wellness', '-'], { input: food });
    expect(swapped.code).toBe(3);
    expect(swapped.stdout).toContain('is this a nutrition file?');
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it('refuses a day far in the future', async () => {
    const world = await openLoggedInWorld();
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const input = JSON.stringify({ date: day, hrv: 66 });
    const run = await world.sync(['push', 'wellness', '-'], { input });
    expect(run.code).toBe(3);
    expect(run.stdout).toMatch(/date: .* days ahead of today/);
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it.each(['wellness', 'nutrition'] as const)(
    'keeps one record of a %s day, and sends it again only after a change',
    async (kind) => {
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
    },
  );

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

      const plain = await world.sync(['push', kind, file, '--json', '--jobs', '1']);
      expect(plain.code).toBe(0);
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
