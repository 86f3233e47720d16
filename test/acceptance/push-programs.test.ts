import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foodsHeld } from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { ROOT } from '../support/documents.ts';
import { ndjson } from '../support/program.ts';
import { type World, type WorldOptions, openLoggedInWorld } from '../support/world.ts';

const DAY = '2026-01-12';
const TZ = ['--tz', 'Europe/Berlin'];
/** Its resting heart rate is 46. */
const OURA = readFileSync(join(ROOT, 'test/records/sources/samples/oura-sleep.json'));
const garmin = (bpm: number, date = DAY) =>
  JSON.stringify({
    allMetrics: {
      metricsMap: { WELLNESS_RESTING_HEART_RATE: [{ value: bpm, calendarDate: date }] },
    },
  });

const heldBy = (world: World) =>
  world.sandbox.control.state('athlete-1').athletes[0]?.wellness.find(({ date }) => date === DAY)
    ?.record;

/** Pushes files in one command; returns the notes about the day. */
async function push(world: World, kind: string, ...args: string[]) {
  const run = await world.sync(['push', kind, ...args, ...TZ, '--json']);
  const day = ndjson(run.stdout).find(({ date }) => date === DAY);
  const notes = (day?.['warnings'] ?? []) as { field?: string; message: string }[];
  return { code: run.code, outcome: day?.['outcome'], notes: notes.map(({ message }) => message) };
}

const KEPT =
  '51 of garmin-api, sent before, counts, and not 46 of oura. `sync config set prefer restingHr=oura` chooses oura';
const COUNTS =
  '51 of garmin-api counts, and not 46 of oura. `sync config set prefer restingHr=oura` chooses oura';
const REPLACES =
  '51 of garmin-api replaces 46 of oura. `sync config set prefer restingHr=oura` chooses oura';

describe('two programs that contradict each other about a wellness day', () => {
  it.each([
    ['one command', [['oura', 'garmin']], COUNTS],
    ['one command, the other order', [['garmin', 'oura']], COUNTS],
    ['two commands', [['garmin'], ['oura'], ['garmin'], ['oura']], KEPT],
    ['two commands, the other order', [['oura'], ['garmin'], ['oura'], ['garmin']], REPLACES],
  ])('have the same result in %s, said once', async (_, commands, said) => {
    const world = await openLoggedInWorld();
    const files: Record<string, string> = {
      oura: world.write('oura.json', OURA),
      garmin: world.write('garmin.json', garmin(51)),
    };
    const notes: string[] = [];
    for (const names of commands) {
      const run = await push(world, 'wellness', ...names.map((name) => files[name] ?? ''));
      expect(run.code).toBe(0);
      notes.push(...run.notes);
    }
    expect(heldBy(world)).toMatchObject({ restingHr: 51, hrv: 68 });
    expect(notes).toEqual([said]);
  });

  it('yield to a newer file of the same program, in any order of the commands', async () => {
    const world = await openLoggedInWorld();
    const file = (bpm: number, written: number) => {
      const path = world.write('garmin.json', garmin(bpm));
      utimesSync(path, written, written);
      return path;
    };
    await push(world, 'wellness', file(51, 2_000));
    const older = [
      'an older file of garmin-api than the one sent before: not sent. --force sends it',
    ];
    expect((await push(world, 'wellness', file(49, 1_000))).notes).toEqual(older);
    expect(heldBy(world)).toEqual({ restingHr: 51 });
    for (const [bpm, written] of [
      [52, 2_000],
      [53, 3_000],
    ] as const) {
      expect((await push(world, 'wellness', file(bpm, written))).notes).toEqual([]);
      expect(heldBy(world)).toEqual({ restingHr: bpm });
    }
    await push(world, 'wellness', file(49, 1_000), '--force');
    expect(heldBy(world)).toEqual({ restingHr: 49 });
  });

  it('have a note if the later file of a program has a part of the day', async () => {
    const metrics = (hour: string, qty: number) => {
      const data = [{ date: `${DAY} ${hour}:00:00 +0100`, qty }];
      return JSON.stringify({ data: { metrics: [{ name: 'step_count', units: 'count', data }] } });
    };
    const less = [
      '2000 replaces 8000 of an earlier file of health-auto-export. If the later file holds a part of the day, export whole days',
    ];
    for (const apart of [false, true]) {
      const world = await openLoggedInWorld();
      const files = [
        world.write('morning.json', metrics('08', 8_000)),
        world.write('evening.json', metrics('20', 2_000)),
      ];
      const runs = apart ? files.map((file) => [file]) : [files];
      const notes: string[] = [];
      for (const run of runs) notes.push(...(await push(world, 'wellness', ...run)).notes);
      expect([notes, heldBy(world)]).toEqual([less, { steps: 2_000 }]);
    }
  });

  it('have the same result if they agreed before', async () => {
    const world = await openLoggedInWorld();
    const oura = world.write('oura.json', OURA);
    const own = world.write('own.json', JSON.stringify({ date: DAY, restingHr: 46 }));
    await push(world, 'wellness', own);
    await push(world, 'wellness', oura);
    const changed = OURA.toString().replace('46', '45');
    expect(await push(world, 'wellness', world.write('oura.json', changed))).toMatchObject({
      outcome: 'skipped',
      notes: [expect.stringContaining('46 of json, sent before, counts, and not 45 of oura.')],
    });
    expect(heldBy(world)).toMatchObject({ restingHr: 46, hrv: 68 });
  });

  it('have the same result if they agreed about the whole day before', async () => {
    const world = await openLoggedInWorld();
    const own = world.write('own.json', JSON.stringify({ date: DAY, restingHr: 51 }));
    await push(world, 'wellness', world.write('garmin.json', garmin(51)));
    await push(world, 'wellness', own);
    await push(world, 'wellness', world.write('garmin.json', garmin(52)));
    expect(heldBy(world)).toMatchObject({ restingHr: 51 });
  });

  it('yield to the setting `prefer`, which must name programs', async () => {
    const world = await openLoggedInWorld();
    const files = [world.write('g.json', garmin(51)), world.write('o.json', OURA)];
    await world.sync(['config', 'set', 'prefer', 'restingHr=oura']);
    await push(world, 'wellness', ...files);
    expect(heldBy(world)).toMatchObject({ restingHr: 46 });
    const { code, stderr } = await world.sync(['config', 'set', 'prefer', 'ourra']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('prefer: ourra names no program or no field.'),
    ]);
  });

  it('follow the setting when it changes, in a push of an unchanged file', async () => {
    const world = await openLoggedInWorld();
    await push(world, 'wellness', world.write('g.json', garmin(51)));
    const oura = world.write('o.json', OURA);
    expect(await push(world, 'wellness', oura)).toMatchObject({ notes: [KEPT] });
    await world.sync(['config', 'set', 'prefer', 'restingHr=oura']);
    expect(await push(world, 'wellness', oura)).toMatchObject({ outcome: 'pushed' });
    expect(heldBy(world)).toMatchObject({ restingHr: 46 });
    expect(await push(world, 'wellness', oura)).toMatchObject({ outcome: 'skipped' });
  });

  it('do not flip a day back that another computer changed', async () => {
    const world = await openLoggedInWorld();
    const file = (steps: number) =>
      world.write('day.json', JSON.stringify({ date: DAY, restingHr: 51, steps }));
    await push(world, 'wellness', file(8_000));
    const { access_token: token } = world.sandbox.control.mint();
    await fetch(`${world.sandbox.url}/api/wellness`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ date: DAY, restingHr: 46 }),
    });
    const there =
      'the platform holds 46, and 51 was sent before: another computer, the athlete or an unconfirmed push changed it. It stays; --force sends it again';
    expect(await push(world, 'wellness', file(9_000))).toMatchObject({ notes: [there] });
    expect(await push(world, 'wellness', file(9_500))).toMatchObject({ notes: [] });
    expect(heldBy(world)).toEqual({ restingHr: 46, steps: 9_500 });
    await push(world, 'wellness', file(9_500), '--force');
    expect(heldBy(world)).toEqual({ restingHr: 51, steps: 9_500 });
  });
});

it('sync undo wellness sends the values before again, and names those that the platform cannot forget', async () => {
  const world = await openLoggedInWorld();
  const file = (value: object) => world.write('day.json', JSON.stringify({ date: DAY, ...value }));
  const undo = () => world.sync(['undo', 'wellness', DAY]);
  expect((await undo()).stdout).toBe(`${DAY}: nothing of that day was sent from here.\n`);
  expect((await world.sync(['explain', DAY])).stdout).not.toContain('confirmed');
  await push(world, 'wellness', file({ restingHr: 46 }));
  expect(await undo()).toMatchObject({
    code: 6,
    stdout: `${DAY}: not undone. The platform cannot forget a value, and nothing was sent before these: restingHr 46. \`sync push wellness FILE\` replaces them.\n`,
  });
  expect((await world.sync(['explain', DAY])).stdout).toContain(
    'Wellness   The platform confirmed it.',
  );
  const changed = file({ restingHr: 51, hrv: 60 });
  await push(world, 'wellness', changed);
  world.sandbox.control.addFaults('wellness:422*1');
  const refused = await undo();
  expect([refused.code, refused.stdout]).toEqual([6, expect.not.stringContaining('sent again')]);
  expect(await undo()).toMatchObject({
    code: 0,
    stdout: `${DAY}: undone\n  note: restingHr: 46, sent before, is sent again in place of 51\n  note: the platform cannot forget a value, and keeps hrv 60\n`,
  });
  expect(heldBy(world)).toEqual({ restingHr: 46, hrv: 60 });
  // It stays away until --force.
  expect(await push(world, 'wellness', changed)).toMatchObject({ outcome: 'skipped' });
  const more = file({ restingHr: 51, hrv: 61 });
  expect(await push(world, 'wellness', more)).toMatchObject({
    outcome: 'pushed',
    notes: ['taken back by an undo, so not sent (--force sends it again)'],
  });
  expect(heldBy(world)).toMatchObject({ restingHr: 46, hrv: 61 });
  await push(world, 'wellness', changed, '--force');
  expect(heldBy(world)).toMatchObject({ restingHr: 51 });
});

it('sync undo wellness says that an unanswered push may have arrived', async () => {
  const world = await openLoggedInWorld();
  const day = world.write('day.json', JSON.stringify({ date: DAY, restingHr: 46 }));
  world.sandbox.control.addFaults('wellness:504(after)*inf');
  expect(await world.sync(['push', 'wellness', day], { clock: hastyClock })).toMatchObject({
    code: 5,
  });
  expect(await world.sync(['undo', 'wellness', DAY])).toMatchObject({
    code: 6,
    stdout: `${DAY}: not undone. The platform has not confirmed the last push of ${DAY}, and may have its values. Run \`sync push wellness FILE\` with the same file, and then this again.\n`,
  });
});

it('sync undo wellness twice says that the day was undone before, and sends nothing', async () => {
  const world = await openLoggedInWorld();
  const undo = () => world.sync(['undo', 'wellness', DAY]);
  for (const restingHr of [46, 51]) {
    await push(
      world,
      'wellness',
      world.write('day.json', JSON.stringify({ date: DAY, restingHr })),
    );
  }
  expect(await undo()).toMatchObject({ code: 0 });
  expect(await undo()).toMatchObject({ code: 0, stdout: `${DAY}: undone before.\n` });
  expect(world.sandbox.control.requests({ route: 'wellness' })).toHaveLength(3);
  expect((await world.sync(['explain', DAY])).stdout).toContain('Wellness   You undid it.');
});

const HEADER =
  'Day,Time,Group,Food Name,Amount,Energy (kcal),Carbs (g),Fat (g),Protein (g),Category\n';
const servings = (...foods: string[]) =>
  `${HEADER}${foods.map((food) => `${DAY},${food},1.00 g,100,20,1,2,X\n`).join('')}`;
const RICE = '12:30 PM,Lunch,Rice';
const OATS = '08:00 AM,Breakfast,Oats';
const MFP = `Date,Meal,Calories,Fat (g),Carbohydrates (g),Protein (g),Sodium (mg)\n${DAY},Lunch,500,10,80,20,1\n`;

describe('foods of one day', () => {
  const held = (world: World) =>
    foodsHeld(world.sandbox, DAY)
      .map(({ name }) => name)
      .sort();
  /** Writes a file of that age (s). */
  const write = (world: World, name: string, text: string, age: number) => {
    const path = world.write(name, text);
    const at = Date.now() / 1_000 - age;
    utimesSync(path, at, at);
    return path;
  };

  it.each([
    ['in one command', false],
    ['in two commands', true],
  ])('follow the newer download of an export, in any order, %s', async (_, apart) => {
    for (const turned of [false, true]) {
      const world = await openLoggedInWorld();
      const files = [
        write(world, 'servings.csv', servings(RICE, OATS), 100),
        write(world, 'servings (1).csv', servings('12:45 PM,Lunch,Rice'), 50),
      ];
      if (turned) files.reverse();
      if (apart) for (const file of files) await push(world, 'nutrition', file);
      else await push(world, 'nutrition', ...files);
      const [food, ...more] = foodsHeld(world.sandbox, DAY);
      expect([food?.['name'], food?.['logged_at'], more]).toEqual([
        'Rice',
        `${DAY}T12:45:00+01:00`,
        [],
      ]);
    }
  });

  it('stay there if a newer download is cut off', async () => {
    const world = await openLoggedInWorld();
    const whole = servings(OATS, RICE, '07:00 PM,Dinner,Pasta');
    await push(world, 'nutrition', world.write('servings.csv', whole));
    const cut = whole.slice(0, whole.indexOf('Rice') + 10);
    const { code, notes } = await push(world, 'nutrition', world.write('servings.csv', cut));
    expect([code, notes, held(world)]).toEqual([3, [], ['Oats', 'Pasta', 'Rice']]);
  });

  it.each([[false], [true]])('are those of one program (in two commands: %s)', async (apart) => {
    for (const turned of [false, true]) {
      const world = await openLoggedInWorld();
      const files = [
        world.write('servings.csv', servings(RICE, OATS)),
        world.write('mfp.csv', MFP),
      ];
      if (turned) files.reverse();
      const runs = apart
        ? [
            await push(world, 'nutrition', files[0] ?? ''),
            await push(world, 'nutrition', files[1] ?? ''),
          ]
        : [await push(world, 'nutrition', ...files)];
      expect(held(world)).toEqual(['Oats', 'Rice']);
      expect(runs.flatMap(({ notes }) => notes)).toContain(
        'cronometer and myfitnesspal have foods of this day: those of cronometer count. `sync config set prefer myfitnesspal` chooses myfitnesspal',
      );
    }
  });

  it('follow the setting when it changes, in a push of an unchanged file', async () => {
    const world = await openLoggedInWorld();
    await push(world, 'nutrition', world.write('servings.csv', servings(RICE, OATS)));
    const other = world.write('mfp.csv', MFP);
    await push(world, 'nutrition', other);
    expect(held(world)).toEqual(['Oats', 'Rice']);
    await world.sync(['config', 'set', 'prefer', 'myfitnesspal']);
    await push(world, 'nutrition', other);
    expect(held(world)).toEqual(['Lunch']);
  });
});

describe('totals of one day', () => {
  const summary = (kcal: number) =>
    `Date,Energy (kcal),Carbs (g),Fat (g),Protein (g),Completed\n${DAY},${kcal},310,70,120,true\n`;
  const icu = `date,kcalConsumed,carbohydrates,ctlLoad\n${DAY},1234,111,1\n`;
  const own = JSON.stringify({ date: DAY, calories: 2000 });

  const [downloaded, before] = [summary(2300), summary(800)];
  type Row = [string, WorldOptions, files: Record<string, string>, total: number];
  it.each<Row>([
    ['two downloads', {}, { 'new.csv': downloaded, 'old.csv': before }, 2300],
    [
      'two downloads',
      { platform: 'interface' },
      { 'new.csv': downloaded, 'old.csv': before },
      2300,
    ],
    ['two programs', {}, { 'icu.csv': icu, 'sums.csv': downloaded }, 1234],
    ['an export and own records', {}, { 'own.json': own, 'sums.csv': downloaded }, 2000],
    ['all', {}, { 'own.json': own, 'icu.csv': icu, 'sums.csv': before }, 2000],
  ])('of %s are those of one, in any order of files and commands: %o', async (...row) => {
    const [, options, files, total] = row;
    for (const turned of [false, true]) {
      for (const apart of [false, true]) {
        const world = await openLoggedInWorld(options);
        const paths = Object.entries(files).map(([name, text], age) => {
          const path = world.write(name, text);
          const at = Date.now() / 1_000 - age;
          utimesSync(path, at, at);
          return path;
        });
        if (turned) paths.reverse();
        for (const args of apart ? paths.map((path) => [path]) : [paths]) {
          const planned = await push(world, 'nutrition', ...args, '--dry-run');
          const { outcome } = await push(world, 'nutrition', ...args);
          expect(planned.outcome === 'would-push').toBe(outcome === 'pushed');
        }
        const [athlete] = world.sandbox.control.state('athlete-1').athletes;
        expect(athlete?.nutrition[0]?.record['calories']).toBe(total);
      }
    }
  });
});

it('the output of many days is one line, with equal notes and refusals once, by date', async () => {
  const world = await openLoggedInWorld();
  const row = (day: number) => new Date(Date.UTC(2025, 0, day)).toISOString().slice(0, 10);
  const days = Array.from({ length: 60 }, (_, at) => ({
    date: at % 5 === 4 ? 'soon' : row(60 - at),
    weight: 160 + (at % 7),
  }));
  const file = world.write('days.json', JSON.stringify(days));
  const { code, stdout } = await world.sync(['push', 'wellness', file]);
  expect(code).toBe(3);
  expect(stdout.trimEnd().split('\n')).toEqual([
    `48 days of wellness sent, ${row(2)} to ${row(60)}`,
    /^note: .*days.json#\/0: weight: is 160 kg: pounds\?.* \(48 times in this input\)$/,
    /^.*days.json#\/4: not sent: date: .*\(and 11 more, which --json lists\)$/,
    'wellness: 48 sent, 12 invalid. 1 note above.',
  ]);
});

it('the only new day of a long file has its own line', async () => {
  const world = await openLoggedInWorld();
  const send = async (count: number) => {
    const days = Array.from({ length: count }, (_, at) => ({
      date: `2025-03-${10 + at}`,
      hrv: 50,
    }));
    return await world.sync(['push', 'wellness', world.write('d.json', JSON.stringify(days))]);
  };
  await send(12);
  expect((await send(13)).stdout).toBe('2025-03-22: sent\nwellness: 1 sent, 12 unchanged.\n');
});

it('each of 10 days and of 10 unusable records has a line, and 11 of them are counted', async () => {
  const world = await openLoggedInWorld();
  const linesOf = async (count: number) => {
    const dates = Array.from({ length: count }, (_, at) => `2025-03-${10 + at}`);
    const records = [...dates, ...dates.map(() => 'soon')].map((date) => ({
      date,
      hrv: 50 + count,
    }));
    const file = world.write('days.json', JSON.stringify(records));
    return (await world.sync(['push', 'wellness', file])).stdout.trimEnd().split('\n').length;
  };
  // The last line is the sum.
  expect([await linesOf(10), await linesOf(11)]).toEqual([10 + 10 + 1, 1 + 1 + 1]);
});
