import { beforeEach, describe, expect, it } from 'vitest';
import { type World, openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import type { Finished } from '../support/program.ts';
import { type Cargo, type Food, emptyCargo, foodKey, foodsOn } from './cargo.ts';
import { judgeCargo, judgeOutput, judgeRecordings } from './judge.ts';
import type { Failure, Round } from './kind.ts';
import { type Claim, judgeReport } from './reports.ts';
import type { Scene } from './scene.ts';

const DAY = '2026-02-15';
const OATS: Food = { name: 'Oats', logged_at: `${DAY}T08:00:00+01:00`, calories: 300 };
const RIDE = makeRecording({ seed: 1, sizeBytes: 1_500 });

/** What the judge found, as `failure: what`. */
let found: string[];
let world: World;
let cargo: Cargo;
const round = {
  number: 1,
  count: () => undefined,
  note: () => undefined,
  failed: (failure: Failure, what: string) => void found.push(`${failure}: ${what}`),
} as unknown as Round;

beforeEach(async () => {
  found = [];
  cargo = emptyCargo();
  world = await openLoggedInWorld();
});

const judge = () => judgeCargo(round, world.sandbox, cargo);
const enter = (food: Food) =>
  world.sandbox.control.addFood({ date: DAY, meal: 'lunch', item: { ...food } });
const push = async (record: object) => {
  const path = world.write('day.json', JSON.stringify(record));
  return await world.sync(['push', 'wellness', path, '--json']);
};

describe('the judge of what the platform holds', () => {
  it('finds nothing if it holds everything that was sent', async () => {
    cargo.recordings.set('ride.fit', RIDE);
    cargo.wellness.set(DAY, { restingHr: 50 });
    foodsOn(cargo, DAY).set(foodKey(OATS), OATS);
    cargo.profile = { ftp: 251 };
    enter(OATS);
    await world.sync(['upload', world.write('ride.fit', RIDE)]);
    await push({ date: DAY, restingHr: 50 });
    await world.sync(['profile', '--ftp', '251']);
    judge();
    expect(found).toEqual([]);
  });

  it('finds each loss', () => {
    cargo.recordings.set('ride.fit', RIDE);
    cargo.wellness.set(DAY, { restingHr: 50 });
    foodsOn(cargo, DAY).set(foodKey(OATS), OATS);
    cargo.profile = { weight: 80, ftp: 251 };
    judge();
    expect(found).toEqual([
      'lost: ride.fit',
      `lost: wellness of ${DAY}`,
      `lost: ${foodKey(OATS)}`,
      expect.stringContaining('lost: weight'),
      expect.stringContaining('lost: FTP'),
    ]);
  });

  it('finds a recording with other bytes', () => {
    const platform = {
      control: {
        state: world.sandbox.control.state.bind(world.sandbox.control),
        recordingBytes: () => RIDE.slice(1),
      },
    };
    judgeRecordings(round, platform, new Map([['ride.fit', RIDE]]));
    expect(found).toEqual(['lost: ride.fit']);
  });

  it('finds another value of a wellness day and of a food', async () => {
    cargo.wellness.set(DAY, { restingHr: 50 });
    await push({ date: DAY, restingHr: 51 });
    foodsOn(cargo, DAY).set(foodKey(OATS), OATS);
    enter({ ...OATS, calories: 301 });
    judge();
    expect(found).toEqual([
      `lost: wellness of ${DAY}: restingHr is 51`,
      `lost: ${foodKey(OATS)}: 301 kcal, not 300`,
    ]);
  });

  it('finds a food that is there twice', () => {
    foodsOn(cargo, DAY).set(foodKey(OATS), OATS);
    enter(OATS);
    enter(OATS);
    judge();
    expect(found).toEqual([`duplicated: ${foodKey(OATS)}: 2 times`]);
  });

  it('finds a recording that was never sent', async () => {
    enter(OATS);
    await push({ date: DAY, restingHr: 50 });
    await world.sync(['upload', world.write('ride.fit', RIDE)]);
    judge();
    expect(found).toEqual([
      expect.stringMatching(/^wrong report: the platform holds \w+, never sent$/),
      `wrong report: wellness of ${DAY}, never sent`,
      `wrong report: ${DAY} holds ${foodKey(OATS)}, which has to be gone`,
    ]);
  });
});

describe('the judge of a report', () => {
  const CLAIM: Claim = { recordings: new Map(), wellness: new Map(), foods: new Map() };
  const report = (code: number, lines: readonly object[], claim: Partial<Claim> = {}) => {
    const stdout = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const scene = { round, world, cargo } as unknown as Scene;
    judgeReport(scene, 'sync', { code, stdout, stderr: '' }, { ...CLAIM, ...claim });
    return found;
  };

  it('finds nothing wrong with a true report', async () => {
    const { code, stdout } = await push({ date: DAY, restingHr: 50 });
    const lines = stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
    const wellness = new Map([[DAY, { restingHr: 50 }]]);
    expect(report(code ?? -1, lines, { wellness })).toEqual([]);
  });

  it.each<[string, number, object, Partial<Claim>]>([
    ['a recording', 0, { type: 'upload', outcome: 'uploaded', sha256: '00' }, {}],
    [
      'a day of wellness',
      0,
      { type: 'wellness', date: DAY, outcome: 'pushed' },
      { wellness: new Map([[DAY, { restingHr: 50 }]]) },
    ],
    [
      'a food',
      0,
      { type: 'nutrition', date: DAY, outcome: 'skipped', reason: 'unchanged' },
      { foods: new Map([[DAY, { held: [OATS], gone: [] }]]) },
    ],
    ['a profile', 0, { type: 'profile' }, { profile: { weight: 80, ftp: 251 } }],
    ['all, by exit 0', 0, {}, { recordings: new Map([['ride.fit', RIDE]]) }],
  ])('finds a false claim of delivery (%s)', (_what, code, line, claim) => {
    expect(report(code, [line], claim)).toContainEqual(expect.stringMatching(/^wrong report: /));
  });

  it('finds a food that a report calls removed and that is there', () => {
    enter(OATS);
    const line = { type: 'nutrition', date: DAY, outcome: 'pushed' };
    const foods = new Map([[DAY, { held: [], gone: [foodKey(OATS)] }]]);
    expect(report(0, [line], { foods })).toEqual([expect.stringContaining('is still there')]);
  });

  it.each<[number, object]>([
    [0, { outcome: 'failed', code: 'NETWORK', message: 'm', hint: 'h' }],
    [6, { outcome: 'failed', code: 'NETWORK', message: 'm', hint: 'h' }],
    [5, { outcome: 'rejected', message: 'm' }],
    [0, { outcome: 'invalid' }],
    [5, { outcome: 'uploaded', type: 'wellness' }],
    [4, { type: 'error', code: 'SERVICE_UNAVAILABLE', message: 'm', hint: 'h' }],
    [1, { type: 'error', code: 'INTERNAL', message: 'm', hint: 'h' }],
    [5, { outcome: 'failed', code: 'NETWORK', message: 'm' }],
    [5, { outcome: 'failed', code: 'NETWORK', message: '', hint: 'h' }],
    [0, { type: 'summary', uploaded: 1 }],
  ])('finds exit code %i, or a line without its words, wrong for %j', (code, line) => {
    expect(report(code, [line])).toContainEqual(expect.stringMatching(/^wrong report: /));
  });
});

describe('the judge of an output', () => {
  const CALM: Finished = { code: 0, stdout: 'Sent.\n', stderr: '' };

  it.each<[string, Partial<Finished>]>([
    ['a stack', { stderr: 'TypeError: x\n    at run (/src/run.ts:1:2)' }],
    ['a fault of the program', { stderr: 'Error: fault of sync itself' }],
    ['an escape', { stdout: '\u001b[31m' }],
    ['a C1 character', { stdout: '\u009b31m' }],
    ['a direction mark', { stdout: 'a\u202eb' }],
    ['a token', { stdout: 'sbx_at_abcdef' }],
    ['a secret', { stderr: 'the secret' }],
    ['silence', { code: 5, stdout: '' }],
  ])('finds %s', (_what, output) => {
    judgeOutput(round, 'sync', { ...CALM, ...output }, ['secret']);
    expect(found).toEqual([expect.stringMatching(/^wrong report: /)]);
  });

  it('finds nothing wrong with an ordinary one', () => {
    judgeOutput(round, 'sync', CALM, ['secret']);
    expect(found).toEqual([]);
  });
});
