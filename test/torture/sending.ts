import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlatformName } from '../../src/sandbox/settings.ts';
import type { Random } from '../../src/seed/random.ts';
import { type World, worldOf } from '../support/world.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { gpx, ridePoints, tcx } from '../support/tracks.ts';
import { makeZip } from '../support/zip-maker.ts';
import type { Round } from './kind.ts';
import type { Food, Sent } from './sent.ts';

/** A command that sends, and what the platform holds after it. */
export interface Sending {
  /** Without `--json`. */
  readonly args: readonly string[];
  readonly sent: Sent;
}

/** Writes the input of a command, and sends in this world what must be there before it. */
type Prepare = (world: World, random: Random) => Promise<Sending> | Sending;

/** The commands that send. Every other command sends nothing that could be lost or doubled. */
export const SENDING = {
  upload: (world, random) => {
    const recordings = makeRides(random, random.integer(5, 12));
    for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
    return { args: ['upload', 'card'], sent: { recordings } };
  },

  /** Each recording is copied into the spool, and sent from there. */
  'watch --once': (world, random) => {
    const recordings = makeRides(random, random.integer(3, 8));
    for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
    return { args: ['watch', '--once', 'card'], sent: { recordings } };
  },

  'upload tracks': async (world, random) => {
    const recordings = new Map<string, Uint8Array>();
    for (let index = random.integer(2, 4); index > 0; index--) {
      const start = Date.UTC(2026, 3, index, 7);
      const points = ridePoints(random.integer(300, 900), { hr: random.integer(90, 170) });
      const name = `track-${index}.${index % 2 === 0 ? 'gpx' : 'tcx'}`;
      const text = name.endsWith('gpx')
        ? gpx([{ segments: [points] }], { start })
        : tcx([{ sport: 'Biking', laps: [{ points }] }], { start });
      const file = world.write(join('tracks', name), text);
      const out = join(world.home.dir, `${name}.fit`);
      await mustSucceed(world, ['convert', file, '--out', out]);
      recordings.set(name, readFileSync(out));
    }
    return { args: ['upload', 'tracks'], sent: { recordings } };
  },

  'undo upload': async (world, random) => {
    const recordings = makeRides(random, 3);
    for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
    await mustSucceed(world, ['upload', 'card']);
    const [undone = ''] = recordings.keys();
    recordings.delete(undone);
    return { args: ['undo', 'upload', join('card', undone), '--yes'], sent: { recordings } };
  },

  'push wellness': (world, random) => {
    const wellness = makeWellness(random, random.integer(4, 12));
    const file = world.write('wellness.json', JSON.stringify(wellnessRecords(wellness)));
    return { args: ['push', 'wellness', file], sent: { wellness } };
  },

  'push nutrition': async (world, random) => {
    const days = random.integer(2, 6);
    const first = makeFoods(random, days);
    const file = world.write('food.json', JSON.stringify(nutritionRecords(first)));
    const args = ['push', 'nutrition', file];
    if (random.chance(0.5)) return { args, sent: { foods: first } };
    await mustSucceed(world, args);
    // The second version of the file changes, removes and adds items.
    const second = first.flatMap((food, index) => {
      if (index % 3 === 0) return [{ ...food, carbs: food.carbs + 7 }];
      return index % 3 === 1 && random.chance(0.5) ? [] : [food];
    });
    const added = makeFoods(random, days).map((food) => ({ ...food, name: `${food.name} again` }));
    const foods = [...second, ...added];
    world.write('food.json', JSON.stringify(nutritionRecords(foods)));
    return { args, sent: { foods } };
  },

  'undo nutrition': async (world, random) => {
    const foods = makeFoods(random, 2);
    const file = world.write('food.json', JSON.stringify(nutritionRecords(foods)));
    await mustSucceed(world, ['push', 'nutrition', file]);
    const [undone = '', kept = ''] = new Set(foods.map(({ date }) => date));
    const left = foods.filter(({ date }) => date === kept);
    return { args: ['undo', 'nutrition', undone], sent: { foods: left, emptyDays: [undone] } };
  },

  profile: (_world, random) => {
    const [weight, ftp] = [random.integer(500, 900) / 10, random.integer(150, 400)];
    return {
      args: ['profile', '--weight', String(weight), '--ftp', String(ftp)],
      sent: { profile: { weight, ftp } },
    };
  },

  import: (world, random) => {
    const recordings = makeRides(random, random.integer(3, 8));
    const wellness = makeWellness(random, 3);
    const foods = makeFoods(random, 2);
    const inner = [...recordings].map(([name, bytes]) => ({ name, bytes }));
    const file = world.write(
      'export.zip',
      makeZip([
        { name: 'DI_CONNECT/Part1.zip', bytes: makeZip(inner) },
        { name: 'DI_CONNECT/wellness.json', bytes: JSON.stringify(wellnessRecords(wellness)) },
        { name: 'DI_CONNECT/meals.json', bytes: JSON.stringify(nutritionRecords(foods)) },
      ]),
    );
    return { args: ['import', file, '--yes'], sent: { recordings, wellness, foods } };
  },
} as const satisfies Readonly<Record<string, Prepare>>;

type SendingName = keyof typeof SENDING;
type Case = readonly [SendingName, PlatformName];

/** Each sending command, on each platform that differs for it. */
const CASES: readonly [Case, ...Case[]] = [
  ['push nutrition', 'coach-watts'],
  ['upload', 'interface'],
  ['push nutrition', 'interface'],
  ['import', 'coach-watts'],
  ['push wellness', 'interface'],
  ['undo nutrition', 'coach-watts'],
  ['undo upload', 'coach-watts'],
  ['profile', 'coach-watts'],
  ['watch --once', 'coach-watts'],
  ['import', 'interface'],
  ['push wellness', 'coach-watts'],
  ['upload', 'coach-watts'],
  ['upload tracks', 'coach-watts'],
];

/** Returns the command of a round. All have their turn. */
export function drawCase(round: Round): Case {
  const found = round.turn(CASES);
  round.note(found.join(' on '));
  return found;
}

/** The same home and platform, with commands that run in this process: quick, and undisturbed. */
export function undisturbed({ sandbox, home }: World): World {
  return worldOf(sandbox, home);
}

async function mustSucceed(world: World, args: readonly string[]): Promise<void> {
  const { code, stderr } = await world.program(args);
  if (code !== 0) throw new Error(`sync ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
}

/** Makes recordings of different sizes and days, by file name. */
export function makeRides(random: Random, count: number): Map<string, Uint8Array> {
  return new Map(
    Array.from({ length: count }, (_, index) => [
      `ride-${index}.fit`,
      makeRecording({
        seed: random.uint32(),
        sizeBytes: random.integer(1_000, random.pick([3_000, 30_000, 200_000])),
        startTime: new Date(Date.UTC(2026, 0, 5 + index, 7)),
      }),
    ]),
  );
}

/** Returns the date of a day in February and March 2026. */
function dateAt(index: number): string {
  return new Date(Date.UTC(2026, 1, 2 + index)).toISOString().slice(0, 10);
}

type Wellness = ReadonlyMap<string, Readonly<Record<string, number>>>;

function makeWellness(random: Random, days: number): Wellness {
  return new Map(
    Array.from({ length: days }, (_, index) => [
      dateAt(index),
      { hrv: random.integer(30, 120), restingHr: random.integer(38, 70) },
    ]),
  );
}

function wellnessRecords(wellness: Wellness): unknown {
  return [...wellness].map(([date, fields]) => ({ date, ...fields }));
}

/** Makes one to four foods a day, with names that occur once. */
export function makeFoods(random: Random, days: number): Food[] {
  return Array.from({ length: days }, (_, index) =>
    Array.from({ length: random.integer(1, 4) }, (_item, meal) => ({
      date: dateAt(index),
      name: `Food ${index}-${meal}`,
      carbs: random.integer(5, 120),
    })),
  ).flat();
}

export function nutritionRecords(foods: readonly Food[]): unknown {
  return [...new Set(foods.map(({ date }) => date))].map((date) => ({
    date,
    items: foods
      .filter((food) => food.date === date)
      .map(({ name, carbs }, index) => ({
        logged_at: `${date}T${String(8 + index).padStart(2, '0')}:15:00+01:00`,
        name,
        carbs,
      })),
  }));
}
