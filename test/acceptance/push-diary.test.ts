import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLoggedInWorld, openTerminal, requestLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

const STRONG = 'Date,Workout Name,Exercise Name,Weight,Reps\n2026-11-20,Legs,Squat,120,5\n';
const SQUATS = '[{"date":"2026-11-20","exercise":"Squat","weight":120,"reps":5}]';
const DIARY = 'date,weightKg,steps,notes\n2026-11-19,72.4,8123,good\n';
const OWN = '{"id":"7","userId":"athlete-1","date":"2026-11-18","weight":72,"tsb":null}';

async function openDiaryWorld() {
  const world = await openLoggedInWorld({});
  world.write('all/strong.csv', STRONG);
  world.write('all/squats.json', SQUATS);
  world.write('all/own.json', OWN);
  const folder = dirname(world.write('all/diary.csv', DIARY));
  const held = () =>
    world.sandbox.control.state('athlete-1').athletes[0]?.wellness.map(({ date }) => date);
  return { world, folder, held };
}

describe('a folder with a log of lifted weights', () => {
  it('is imported without it, and the table names what to type', async () => {
    const { world, folder, held } = await openDiaryWorld();
    const { code, stdout } = await world.sync(['import', folder, '--yes']);
    expect(code).toBe(0);
    expect(held()).toEqual(['2026-11-18']);
    expect(stdout).toMatch(/Perhaps wellness: CSV .* 2 .*no: .*`sync push wellness FILE` sends it/);
    expect(stdout).toMatch(
      /Perhaps wellness: JSON .* 1 .*no: .*`sync push wellness FILE` sends it/,
    );
  });

  it.each([[[]], [['--strict']]])('is pushed without it, flags %j', async (flags) => {
    const { world, folder, held } = await openDiaryWorld();
    const { code, stdout } = await world.sync(['push', 'wellness', folder, ...flags]);
    expect(code).toBe(3);
    expect(held()).not.toContain('2026-11-20');
    expect(stdout).toContain('strong.csv is perhaps no wellness diary: it has the columns');
    expect(stdout).toContain('add --source table');
    expect(stdout).toMatch(
      /squats\.json.*perhaps not wellness, or not in the platform’s units\. If it is both, remove these members: "exercise", "reps"/s,
    );
    if (flags.length === 0) expect(held()).toEqual(['2026-11-18', '2026-11-19']);
  });

  it('is checked with the same answer as push', async () => {
    const { world, folder } = await openDiaryWorld();
    const strong = await world.sync(['sources', `${folder}/strong.csv`]);
    expect(strong.code).toBe(3);
    expect(strong.stderr).toContain('it has the columns "Workout Name", "Exercise Name", "Reps"');
    expect(strong.stderr).toContain('add --source table');
    const unknown = world.write('unknown.csv', 'Zeit,Puls\n2026-11-20,47\n');
    const { code, stderr } = await world.sync(['sources', unknown]);
    expect([code, stderr]).toEqual([
      3,
      /unknown program, with the columns "Zeit", "Puls".*records\.md/s,
    ]);
    const empty = world.write('empty.csv', 'date,weight (kg)\n');
    const none = await world.sync(['sources', empty]);
    expect([none.code, none.stderr]).toEqual([3, /empty\.csv has no row with a value to send\./]);
    const lines = await world.lines(['sources', `${folder}/diary.csv`]);
    expect(lines[0]).toMatchObject({ source: 'table', unread: ['notes'] });
    const all = await world.sync(['sources', folder]);
    expect(all.stderr).toContain(`\`sync import ${folder} --dry-run\` shows what is in it.`);
  });
});

describe('sync sources of JSON records in the platform’s form', () => {
  const twoDays = '[{"date":"2026-11-17","weight":72,"shoe":1},{"date":"2026-11-18","hrv":61}]';

  it('shows their days and the first one, and what is left out', async () => {
    const { world } = await openDiaryWorld();
    const run = await world.sync(['sources', world.write('own.json', twoDays)]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(
      /own\.json: JSON records: wellness, 2 days \(2026-11-17 to 2026-11-18\)\n.*"weight": 72\n/s,
    );
    expect(run.stderr).toMatch(/^note: .*own\.json#\/0: not sent, .* does not know it: "shoe"\n$/);
    const food = '{"items":[{"logged_at":"2026-11-18T08:00:00+01:00","carbs":54}]}\n';
    const [line] = await world.lines(['sources', world.write('food.ndjson', `${food}${food}`)]);
    expect(line).toMatchObject({ type: 'export', source: 'json', kind: 'nutrition', days: 1 });
    expect(requestLines(world.sandbox).filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('exits with 3 if a value or a record of them cannot be sent', async () => {
    const { world } = await openDiaryWorld();
    const faulty = twoDays.replace('61', '"abc"').replace('72', '"xyz","hrv":55');
    const run = await world.sync(['sources', world.write('faulty.json', faulty)]);
    expect([run.code, run.stdout]).toEqual([3, /wellness, 1 day \(2026-11-17\)/]);
    expect(run.stderr).toMatch(
      /faulty\.json#\/0: weight: is "xyz".*faulty\.json#\/1: hrv: is "abc"/s,
    );
    const none = await world.sync(['sources', world.write('none.json', '{"a":{"b":1}}')]);
    expect([none.code, none.stderr]).toEqual([3, /none\.json is JSON of an unknown program/]);
  });
});

describe('a weight without a unit', () => {
  it('is refused in a script, and asked once for such tables on a terminal', async () => {
    const { world } = await openDiaryWorld();
    const args = ['push', 'wellness', world.write('pounds.csv', 'Date,Weight\n2026-11-20,139.6\n')];
    for (const flags of [[], ['--dry-run'], ['--strict']]) {
      expect(await world.sync([...args, ...flags])).toMatchObject({
        code: 3,
        stdout: /does not state its unit\..*--unit weight=kg or --unit weight=lb/,
      });
    }
    const named = await world.sync([...args, '--unit', 'lb', '--dry-run', '--json']);
    expect(ndjson(named.stdout)).toContainEqual(
      expect.objectContaining({
        request: expect.objectContaining({
          body: { date: '2026-11-20', weight: 63.3215 },
        }) as object,
      }),
    );
    const wrong = await world.sync([...args, '--unit', 'oz']);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('The units of weight: kg, lb, st, kgs, lbs.');
    expect((await openTerminal(world, [...args, '--strict']).finished).code).toBe(3);
    const terminal = openTerminal(world, args);
    await terminal.waitFor(/in which unit is weight/);
    terminal.type('lb\n');
    expect((await terminal.finished).code).toBe(0);
    world.write('pounds.csv', 'Date,Weight\n2026-11-21,139.2\n');
    expect((await world.sync(args)).code).toBe(0);
    const sent = world.sandbox.control.state('athlete-1').athletes[0]?.wellness;
    expect(sent).toMatchObject([{ record: { weight: 63.3215 } }, { record: { weight: 63.1401 } }]);
  });

  it('of the platform’s own form is kg, with a note if it is far from the profile’s', async () => {
    const { world } = await openDiaryWorld();
    await world.sync(['profile', '--weight', '63.3']);
    const kg = world.write('kg.csv', 'Date,Weight (kg)\n2026-11-20,139.6\n');
    const { code, stdout, stderr } = await world.sync(['push', 'wellness', kg]);
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).toContain('is 139.6 kg, and the weight before was 63.3 kg');
  });
});

it('a record with a bad value is sent without it, and counted once', async () => {
  const { world } = await openDiaryWorld();
  const bad = world.write('bad.json', '[{"date":"2026-11-20","restingHr":"abc","hrv":71}]');
  const { code, stdout } = await world.sync(['push', 'wellness', bad]);
  expect(code).toBe(3);
  expect(stdout).toMatch(/2026-11-20: sent without restingHr\n {2}note: .*restingHr: is "abc"/);
  expect(stdout).toContain('wellness: 1 sent. 1 note above.');
  expect(world.sandbox.control.state('athlete-1').athletes[0]?.wellness).toMatchObject([
    { date: '2026-11-20', record: { hrv: 71 } },
  ]);
});
