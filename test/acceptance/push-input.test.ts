import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type World, openLoggedInWorld, openWorld, requestLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

const days = (world: World) =>
  Object.fromEntries(
    (world.sandbox.control.state('athlete-1').athletes[0]?.wellness ?? []).map(
      ({ date, record }) => [date, record],
    ),
  );

const TWO = [
  { date: '2026-02-14', hrv: 64 },
  { date: '2026-02-15', hrv: 66 },
];
const HELD = { '2026-02-14': { hrv: 64 }, '2026-02-15': { hrv: 66 } };

/** A table with the columns of two programs. */
const TWO_PROGRAMS = 'Date,Weight,Last Updated,Body Fat %\n2026-02-15,,,18\n';

describe('the input of sync push', () => {
  it('accepts a single object on stdin', async () => {
    const world = await openLoggedInWorld();
    const lines = await world.lines(['push', 'wellness', '-'], { input: JSON.stringify(TWO[0]) });
    expect(lines[0]).toMatchObject({ source: 'stdin', outcome: 'pushed' });
    expect(days(world)).toEqual({ '2026-02-14': { hrv: 64 } });
    const twice = await world.sync(['push', 'wellness', '-', '-'], { input: '{}' });
    expect([twice.code, twice.stderr]).toEqual([2, /stdin \(-\) can be read once/]);
  });

  it('sends the other files if one cannot be read', async () => {
    const world = await openLoggedInWorld();
    const good = world.write('good.json', JSON.stringify(TWO));
    const broken = world.write('broken.json', '[{"date": "2026-02-16", "hrv": 70},\n {"date": ');
    mkdirSync(join(world.home.dir, 'folder'));
    const folder = join(world.home.dir, 'folder');
    const missing = join(world.home.dir, 'missing.json');
    const circle = join(world.home.dir, 'circle.json');
    symlinkSync(circle, circle);
    const files = [broken, good, missing, circle, folder];
    const { code, stdout, stderr } = await world.sync(['push', 'wellness', ...files, '--json']);
    expect(code).toBe(3);
    expect(days(world)).toEqual(HELD);
    const lines = ndjson(stdout);
    expect(
      lines.filter(({ outcome }) => outcome === 'invalid').map(({ source }) => source),
    ).toEqual([broken, missing, circle, folder]);
    expect(lines.slice(0, 4).map(({ reason }) => reason)).toEqual(Array(4).fill('unreadable'));
    expect(lines.at(-1)).toMatchObject({ total: 6, pushed: 2, invalid: 4 });
    expect(JSON.stringify(lines)).toContain(`${broken}:2:11: the JSON ends`);
    expect(JSON.stringify(lines)).toContain('There is no such file');
    expect(stderr).toBe('');
  });

  it('is 3 for a named file without a record, and 0 for such a pipe or a file in a folder', async () => {
    const world = await openLoggedInWorld();
    mkdirSync(join(world.home.dir, 'folder'));
    const file = world.write('folder/empty.csv', 'date,weight (kg)\n');
    world.write('folder/day.json', JSON.stringify(TWO));
    const empty = await world.sync(['push', 'wellness', file]);
    expect([empty.code, empty.stdout]).toEqual([3, /has no row with a value to send\. Export it /]);
    expect(empty.stdout).toContain(file);
    expect((await world.sync(['push', 'wellness', join(world.home.dir, 'folder')])).code).toBe(0);
    expect((await world.sync(['push', 'wellness', '-'], { input: '[]' })).code).toBe(0);
  });

  it.each([
    ['<!DOCTYPE html><html>', '', 3, 'in is a web page (HTML).'],
    ['<?xml version="1.0"?><a/>', '', 3, 'in is XML from an unknown program.'],
    ['date,mood\n2026-02-15,"7\n', '', 3, 'a quoted cell has no end'],
    ['{"meal": 1}', '--source oura', 3, 'in is no file of this source: Oura'],
    [TWO_PROGRAMS, '', 2, 'programs: myfitnesspal, lose-it.\n  Name the right one: --source myf'],
    [TWO_PROGRAMS, '--source MyFitnessPal', 0, '2026-02-15: sent'],
    ['', '--source garmin', 2, "There is no source 'garmin'."],
    ['', '--unit mood=/10,hrv=ms', 2, 'per --unit.\n  Write --unit mood=/10 --unit hrv=ms'],
  ])('is read by the one program that it is of: %j %s', async (text, flags, exit, said) => {
    const world = await openLoggedInWorld();
    world.write('in', text);
    const args = ['push', 'wellness', 'in', ...flags.split(' ').filter(Boolean)];
    const { code, stdout, stderr } = await world.sync(args);
    expect([code, stdout + stderr]).toEqual([exit, expect.stringContaining(said)]);
  });

  it('names the wrong field, its value and the allowed ones, and sends the other records', async () => {
    const world = await openLoggedInWorld();
    const file = world.write(
      'days.json',
      JSON.stringify([
        { date: '2026-02-30', hrv: 60 },
        { date: '2026-02-14', restingHr: 300 },
        { date: '2026-02-15', sleepHours: 25, weight: 500 },
        { hrv: 60 },
        'text',
        { date: '2026-02-16', hrv: 71 },
      ]),
    );
    const lines = await world.lines(['push', 'wellness', file], { code: 3 });
    expect(Object.keys(days(world))).toEqual(['2026-02-16']);
    const invalid = lines.filter(({ outcome }) => outcome === 'invalid');
    expect(invalid.map(({ source, field }) => [source, field])).toEqual([
      [`${file}#/0`, 'date'],
      [`${file}#/1`, 'restingHr'],
      [`${file}#/2`, 'sleepHours'],
      [`${file}#/3`, 'date'],
      [`${file}#/4`, undefined],
    ]);
    const problem = (index: number) => String(invalid[index]?.['problem']);
    expect(problem(0)).toContain('2026-02-30');
    expect(problem(1)).toMatch(/300.*20.*220 bpm/);
    expect(invalid[2]?.['problems']).toHaveLength(2);
  });

  it('rounds a value with a warning, and refuses it with --strict', async () => {
    const world = await openLoggedInWorld();
    const input = JSON.stringify({ date: '2026-02-15', restingHr: 47.6 });
    const strict = await world.sync(['push', 'wellness', '-', '--strict', '--json'], { input });
    expect(strict.code).toBe(3);
    expect(requestLines(world.sandbox)).toEqual([]);
    const lines = await world.lines(['push', 'wellness', '-'], { input });
    expect(lines[0]?.['warnings']).toMatchObject([{ field: 'restingHr' }]);
    expect(days(world)).toEqual({ '2026-02-15': { restingHr: 48 } });
  });
});

describe('the exit code of sync push', () => {
  const input = JSON.stringify(TWO);

  it('is 4 without a login: nothing is sent, and the hint says what to type', async () => {
    const world = await openWorld();
    const lines = await world.lines(['push', 'wellness', '-'], { code: 4, input });
    expect(lines[0]).toMatchObject({ outcome: 'failed', code: 'AUTH_REQUIRED' });
    expect(String(lines[0]?.['hint'])).toContain('sync login');
    // The text gives the reason once, with the affected days.
    const text = await world.sync(['push', 'wellness', '-'], { input });
    expect(text.stdout.match(/Not logged in/g)).toHaveLength(1);
    expect(text.stdout).toMatch(/^2 days were not sent: [^]*\n {2}2026-02-14\n {2}2026-02-15\n/);
    expect(requestLines(world.sandbox)).toEqual([]);
    // The ledger claims nothing.
    const [day] = await world.lines(['explain', '2026-02-15']);
    expect(day?.['records']).toMatchObject([{ state: 'unknown' }, { state: 'unknown' }]);
  });

  it('is 4 if the login lacks the scope, which is named', async () => {
    const world = await openLoggedInWorld({ login: { scopes: ['workout:write'] } });
    const { code, stdout } = await world.sync(['push', 'wellness', '-'], { input });
    expect([code, stdout]).toEqual([4, /health:write/]);
  });

  it('is 6 for a permanent refusal and for 200 with success: false, in the words of the platform', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('wellness:422', 'wellness:success-false');
    const lines = await world.lines(['push', 'wellness', '-', '--jobs', '1'], { code: 6, input });
    expect(lines[0]).toMatchObject({ outcome: 'rejected', status: 422, attempts: 1 });
    expect(lines[1]).toMatchObject({ outcome: 'rejected' });
    expect(days(world)).toEqual({});
    // The ledger does not record the refused day as sent.
    expect((await world.sync(['push', 'wellness', '-'], { input })).code).toBe(0);
    expect(days(world)).toEqual(HELD);
  });

  it('is 2 for a wrong command line', async () => {
    const world = await openLoggedInWorld();
    const runs = await Promise.all([
      world.sync(['push', 'wellness']),
      world.sync(['push', 'wellness', '-', '--jobs', '0'], { input }),
      world.sync(['push', 'wellness', '-', '--tz', 'Mars/Olympus'], { input }),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(runs[2].stderr).toContain('Mars/Olympus');
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});
