import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FaultRoute } from '../../src/sandbox/faults/spec.ts';
import type { PlatformName } from '../../src/sandbox/settings.ts';
import type { Random } from '../../src/seed/random.ts';
import { profileOf } from '../../src/seed/synthesize.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { gpx, ridePoints, tcx } from '../support/tracks.ts';
import { makeZip } from '../support/zip-maker.ts';
import { type Food, foodKey, foodsOn } from './cargo.ts';
import type { Round } from './kind.ts';
import { type Claim, NOTHING } from './reports.ts';
import type { Scene } from './scene.ts';

/** A sending command with its files. The cargo of the scene holds what it sends. */
export interface Job {
  readonly args: readonly string[];
  /** What a later run without faults is called, if it differs. */
  readonly again?: readonly string[];
  /** The endpoints that it may call; it always calls the first. */
  readonly routes: readonly [FaultRoute, ...FaultRoute[]];
  readonly claim: Claim;
  /** The job that it takes back: run again before this one. */
  readonly earlier?: Job;
}

/** Prepares a job: writes its files, and runs earlier commands that it needs. */
type Errand = (scene: Scene, random: Random) => Job | Promise<Job>;

const NUTRITION_ROUTES = ['nutrition', 'nutrition-list', 'nutrition-items'] as const;

/** Every command that sends. */
const ERRANDS = {
  upload: (scene, random) => {
    const [[name, bytes] = ['', new Uint8Array()]] = newRecordings(scene, random, 1);
    const path = scene.world.write(name, bytes);
    const claim = { ...NOTHING, recordings: new Map([[name, bytes]]) };
    return { args: ['upload', path, '--json'], routes: ['upload-fit'], claim };
  },

  folder: (scene, random) => {
    const { dir, recordings } = newFolder(scene, random);
    return uploadOf(dir, recordings);
  },

  tracks: async (scene, random) => {
    const dir = join(scene.world.home.dir, `tracks-${scene.serial()}`);
    const recordings = new Map<string, Uint8Array>();
    for (let index = random.integer(2, 4); index > 0; index--) {
      const start = Date.UTC(2026, 3, scene.serial(), 7);
      const points = ridePoints(random.integer(300, 900), { hr: random.integer(90, 170) });
      const isGpx = index % 2 === 0;
      const text = isGpx
        ? gpx([{ segments: [points] }], { start })
        : tcx([{ sport: 'Biking', laps: [{ points }] }], { start });
      const name = `track-${scene.serial()}`;
      const track = join(dir, `${name}.${isGpx ? 'gpx' : 'tcx'}`);
      mkdirSync(dir, { recursive: true });
      writeFileSync(track, text);
      const fit = join(scene.world.home.dir, `${name}.fit`);
      await scene.run(['convert', track, '--out', fit]);
      recordings.set(name, readFileSync(fit));
    }
    for (const [name, bytes] of recordings) scene.cargo.recordings.set(name, bytes);
    return uploadOf(dir, recordings);
  },

  'undo upload': async (scene, random) => {
    const { dir, recordings } = newFolder(scene, random);
    await sent(scene, uploadOf(dir, recordings));
    const [undone = ''] = recordings.keys();
    recordings.delete(undone);
    scene.cargo.recordings.delete(undone);
    const [path = ''] = readdirSync(dir).filter((name) => name.startsWith(undone));
    return {
      args: ['undo', 'upload', join(dir, path), '--yes', '--json'],
      routes: ['workout-removal', 'workouts'],
      claim: { ...NOTHING, recordings },
    };
  },

  watch: (scene, random) => {
    const { dir, recordings } = newFolder(scene, random);
    return {
      args: ['watch', '--once', dir, '--json'],
      // The watcher waits before it sends again what the service refused.
      again: ['upload', dir, '--json'],
      routes: ['upload-fit'],
      claim: { ...NOTHING, recordings },
    };
  },

  wellness: (scene, random) => {
    const { path, wellness } = newWellness(scene, random);
    const args = ['push', 'wellness', path, '--json'];
    return { args, routes: ['wellness'], claim: { ...NOTHING, wellness } };
  },

  nutrition: (scene, random) => pushOf(scene, random, []),
  'nutrition --replace-day': (scene, random) => pushOf(scene, random, ['--replace-day']),
  'nutrition --add': (scene, random) => pushOf(scene, random, ['--add']),

  /** Pushes a file again that lacks an item, has another and changed a third one. */
  'nutrition changed': async (scene, random) => {
    const first = pushOf(scene, random, []);
    await sent(scene, first);
    const path = first.args[2] ?? '';
    const foods = new Map<string, { held: Food[]; gone: string[] }>();
    for (const [date, { held }] of first.claim.foods) {
      const [dropped, changed, ...kept] = held;
      if (dropped === undefined || changed === undefined) continue;
      const day = foodsOn(scene.cargo, date);
      const other = { ...changed, calories: changed.calories + 7 };
      const now = [other, ...kept, newFood(scene, random, date)];
      day.delete(foodKey(dropped));
      for (const food of now) day.set(foodKey(food), food);
      foods.set(date, { held: now, gone: [foodKey(dropped)] });
    }
    writeFileSync(path, daysOf(foods));
    return { ...first, claim: { ...NOTHING, foods } };
  },

  undo: async (scene, random) => {
    const first = pushOf(scene, random, []);
    await sent(scene, first);
    const [date = ''] = first.claim.foods.keys();
    const foods = new Map([[date, { held: [], gone: takeSent(scene, date) }]]);
    const args = ['undo', 'nutrition', date, '--json'];
    return { args, routes: NUTRITION_ROUTES, claim: { ...NOTHING, foods }, earlier: first };
  },

  profile: (scene, random) => {
    const profile = { weight: random.integer(500, 900) / 10, ftp: random.integer(150, 350) };
    scene.cargo.profile = profile;
    const args = ['profile', '--weight', String(profile.weight), '--ftp', String(profile.ftp)];
    return {
      args: [...args, '--json'],
      routes: ['profile-update', 'profile'],
      claim: { ...NOTHING, profile },
    };
  },

  import: (scene, random) => {
    const recordings = newRecordings(scene, random, 2);
    const wellness = newWellness(scene, random);
    const foods = newFoods(scene, random);
    for (const [date, { held }] of foods) {
      for (const food of held) foodsOn(scene.cargo, date).set(foodKey(food), food);
    }
    const [first = new Uint8Array(), ...rest] = recordings.values();
    const inner = makeZip(rest.map((bytes, index) => ({ name: `${index}.fit`, bytes })));
    const bytes = makeZip([
      { name: 'rides/first.fit.gz', bytes: gzipSync(first) },
      { name: 'rides/part.zip', bytes: inner },
      { name: 'wellness.json', bytes: wellness.text },
      { name: 'meals.json', bytes: daysOf(foods) },
      { name: 'track.gpx', bytes: '<gpx/>' },
    ]);
    return {
      args: ['import', scene.world.write(`export-${scene.serial()}.zip`, bytes), '--yes', '--json'],
      routes: ['upload-fit', 'wellness', ...NUTRITION_ROUTES],
      claim: { recordings, wellness: wellness.wellness, foods },
    };
  },

  seed: async (scene) => {
    const seed = 1 + (scene.round.number % 99);
    const until = '2026-02-15';
    const which = ['--days', '2', '--seed', String(seed), '--until', until];
    if (scene.platform === 'coach-watts') scene.cargo.profile = profileOf({ seed, until });
    const dir = join(scene.world.home.dir, `season-${scene.serial()}`);
    await scene.run(['seed', ...which, '--out', dir]);
    return {
      args: ['seed', ...which, '--json'],
      routes: ['upload-fit', 'wellness', ...NUTRITION_ROUTES, 'profile-update', 'profile'],
      claim: seasonIn(scene, dir),
    };
  },
} as const satisfies Readonly<Record<string, Errand>>;

export type ErrandName = keyof typeof ERRANDS;
const NAMES = Object.keys(ERRANDS) as [ErrandName, ...ErrandName[]];
/** A failed undo of an upload has neither code nor hint: faults of the service are for the others. */
export const ERRAND_NAMES = NAMES.filter((name) => name !== 'undo upload') as typeof NAMES;

/** What takes the place of errands that a platform of the interface does not offer. */
const ON_INTERFACE: Partial<Record<ErrandName, ErrandName>> = {
  profile: 'wellness',
  'nutrition --add': 'nutrition',
  'undo upload': 'folder',
};

/** Errands that are killed, on each platform that differs for them. */
const DISTURBED: readonly [Disturbed, ...Disturbed[]] = [
  ['nutrition changed', 'coach-watts'],
  ['folder', 'interface'],
  ['nutrition', 'interface'],
  ['import', 'coach-watts'],
  ['wellness', 'interface'],
  ['undo', 'coach-watts'],
  ['undo upload', 'coach-watts'],
  ['profile', 'coach-watts'],
  ['watch', 'coach-watts'],
  ['import', 'interface'],
  ['wellness', 'coach-watts'],
  ['folder', 'coach-watts'],
  ['tracks', 'coach-watts'],
];
type Disturbed = readonly [ErrandName, PlatformName];

/** Returns the errand of a round, and its platform. All have their turn. */
export function drawErrand(round: Round): Disturbed {
  const found = round.turn(DISTURBED);
  round.note(found.join(' on '));
  return found;
}

export async function prepare(name: ErrandName, scene: Scene, random: Random): Promise<Job> {
  const offered = scene.platform === 'interface' ? (ON_INTERFACE[name] ?? name) : name;
  return await ERRANDS[offered](scene, random);
}

/** Returns the upload of a folder. */
export function uploadOf(dir: string, recordings: Claim['recordings']): Job {
  const claim = { ...NOTHING, recordings };
  return { args: ['upload', dir, '--json'], routes: ['upload-fit'], claim };
}

/** Returns an endpoint of a job, mostly one that it surely calls. */
export function usualRoute({ routes }: Job, random: Random): FaultRoute {
  return random.chance(0.6) ? routes[0] : random.pick(routes);
}

/** Runs a job that nothing disturbs. */
async function sent({ round, run }: Scene, { args }: Job): Promise<void> {
  const { code } = await run(args);
  if (code !== 0) round.failed('wrong report', `${args.join(' ')} ended with ${String(code)}`);
}

/** Makes recordings that the platform has to hold, by file name. */
export function newRecordings(
  { cargo, serial }: Scene,
  random: Random,
  count: number,
): Map<string, Uint8Array> {
  const recordings = new Map<string, Uint8Array>();
  for (let index = 0; index < count; index++) {
    const bytes = makeRecording({
      seed: random.uint32(),
      sizeBytes: random.integer(1_200, random.pick([3_000, 9_000, 9_000, 100_000])),
      startTime: new Date(Date.UTC(2026, 0, 1) + random.integer(0, 40 * 86_400) * 1000),
    });
    recordings.set(`ride-${serial()}.fit`, bytes);
  }
  for (const [name, bytes] of recordings) cargo.recordings.set(name, bytes);
  return recordings;
}

/** Writes a folder of recordings: as files, packed, and in an archive. */
function newFolder(scene: Scene, random: Random) {
  const recordings = newRecordings(scene, random, random.integer(2, 7));
  const name = `card-${scene.serial()}`;
  for (const [ride, bytes] of recordings) {
    if (random.chance(0.7)) scene.world.write(`${name}/${ride}`, bytes);
    else scene.world.write(`${name}/${ride}.gz`, gzipSync(bytes));
  }
  return { dir: join(scene.world.home.dir, name), recordings };
}

function newWellness({ cargo, world, serial }: Scene, random: Random) {
  const wellness = new Map<string, Record<string, number>>();
  for (let index = random.integer(1, 4); index > 0; index--) {
    const date = `2026-02-${String(random.integer(1, 9)).padStart(2, '0')}`;
    wellness.set(date, { restingHr: random.integer(38, 60), weight: random.integer(65, 78) });
  }
  for (const [date, fields] of wellness) cargo.wellness.set(date, fields);
  const text = JSON.stringify([...wellness].map(([date, fields]) => ({ date, ...fields })));
  return { path: world.write(`wellness-${serial()}.json`, text), wellness, text };
}

function pushOf(scene: Scene, random: Random, flags: readonly string[]): Job {
  const foods = newFoods(scene, random);
  for (const [date, { held, gone }] of foods) {
    if (flags.includes('--replace-day')) gone.push(...takeSent(scene, date));
    for (const food of held) foodsOn(scene.cargo, date).set(foodKey(food), food);
  }
  const path = scene.world.write(`meals-${scene.serial()}.json`, daysOf(foods));
  return {
    args: ['push', 'nutrition', path, ...flags, '--json'],
    routes: NUTRITION_ROUTES,
    claim: { ...NOTHING, foods },
  };
}

/** Takes what `sync` sent out of a day of the cargo; the athlete's own foods stay. @returns the keys */
function takeSent({ cargo }: Scene, date: string): string[] {
  const day = foodsOn(cargo, date);
  const keys = [...day.keys()].filter((key) => !key.startsWith(OWN));
  for (const key of keys) day.delete(key);
  return keys;
}

/** Makes foods of one or two days. */
function newFoods(scene: Scene, random: Random): Map<string, { held: Food[]; gone: string[] }> {
  const foods = new Map<string, { held: Food[]; gone: string[] }>();
  for (let index = random.integer(1, 2); index > 0; index--) {
    const date = `2026-02-1${random.integer(0, 3)}`;
    const held = Array.from({ length: random.integer(3, 4) }, () => newFood(scene, random, date));
    foods.set(date, { held, gone: [] });
  }
  return foods;
}

/** First word of the foods that the athlete enters. */
export const OWN = 'own';

export function newFood({ serial }: Scene, random: Random, date: string, kind = 'food'): Food {
  return {
    name: `${kind} ${serial()}`,
    logged_at: `${date}T${String(random.integer(7, 20)).padStart(2, '0')}:${random.integer(10, 59)}:00+01:00`,
    calories: random.integer(50, 900),
  };
}

function daysOf(foods: Claim['foods']): string {
  return JSON.stringify([...foods].map(([date, { held }]) => ({ date, items: held })));
}

/** Adds the files that `seed --out` wrote to the cargo: the same that `seed` sends. */
function seasonIn({ cargo }: Scene, dir: string): Claim {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const recordings = new Map(
    files
      .filter((name) => name.endsWith('.fit'))
      .map((name) => [join(dir, name), new Uint8Array(readFileSync(join(dir, name)))]),
  );
  const read = (name: string) =>
    JSON.parse(readFileSync(join(dir, name), 'utf8')) as Record<string, unknown>[];
  const wellness = new Map(
    read('wellness.json').map(({ date, ...fields }) => [String(date), kept(fields)]),
  );
  const foods = new Map(
    read('nutrition.json').map(({ date, items }) => [
      String(date),
      { held: items as Food[], gone: [] },
    ]),
  );
  for (const [name, bytes] of recordings) cargo.recordings.set(name, bytes);
  for (const [date, fields] of wellness) cargo.wellness.set(date, fields);
  for (const [date, { held }] of foods) {
    for (const food of held) {
      // `sync` leaves out what the athlete removed, also if a season is sent again.
      if (!cargo.removed.has(foodKey(food))) foodsOn(cargo, date).set(foodKey(food), food);
    }
  }
  return { recordings, wellness, foods };
}

/** The fields that every platform stores as they are. */
function kept({ restingHr, weight }: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    Object.entries({ restingHr, weight }).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  );
}
