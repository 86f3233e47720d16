import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../src/seed/random.ts';
import { type World, openLoggedInWorld } from '../../support/acceptance.ts';
import { ndjson } from '../../support/program.ts';
import { makeZip } from '../../support/zip-maker.ts';
import { type Round, torture } from '../kind.ts';
import { type Race, type Racer, judgeOwners, race, readers } from '../racers.ts';
import { type Food, type Sent, judgePlatform } from '../sent.ts';
import { makeFoods, makeRides, nutritionRecords, undisturbed } from '../sending.ts';
import { untilHeld } from '../until-done.ts';

const RACES: readonly [Race, ...Race[]] = [
  appendingPushes,
  overlappingUploads,
  importAndPush,
  uploadsAndWatcher,
  daemons,
];

/** The seed decides what each process sends, and their order; the system decides who comes first. */
torture({
  name: 'race',
  title: '20 processes that send the same at once',
  rounds: { short: 3, full: 20 },
  run: async (round) => {
    const runRace = round.turn(RACES);
    const world = await openLoggedInWorld();
    // Other processes come while a request is in flight.
    world.sandbox.control.addFaults('any:delay=15ms*inf');
    round.note(runRace.name);
    await runRace(round, world);
    judgeOwners(round, world);
  },
});

/** Each process uploads some of four folders, which share recordings. */
async function overlappingUploads(round: Round, world: World): Promise<void> {
  const { random } = round;
  const all = makeRides(random, 12);
  const folders = ['a', 'b', 'c', 'd'].map((folder) => {
    const recordings = new Map([...all].filter(() => random.chance(0.5)));
    mkdirSync(join(world.home.dir, folder));
    for (const [name, bytes] of recordings) world.write(join(folder, name), bytes);
    return { folder, recordings };
  });
  const uploads = Array.from({ length: 17 }, (): Racer => {
    const named = folders.filter(() => random.chance(0.5));
    const chosen = named.length === 0 ? folders : named;
    const args = ['upload', '--json', ...chosen.map(({ folder }) => folder)];
    return { args, sent: { recordings: together(chosen) } };
  });
  const everything: Racer = {
    args: ['upload', '--json', ...folders.map(({ folder }) => folder)],
    sent: { recordings: together(folders) },
  };
  await race(round, world, [...uploads, everything, ...readers(random, 2)]);
  judgePlatform(round, world.sandbox, { recordings: together(folders) });
}

function together(
  folders: readonly { readonly recordings: ReadonlyMap<string, Uint8Array> }[],
): Map<string, Uint8Array> {
  return new Map(folders.flatMap(({ recordings }) => [...recordings]));
}

/** Each process uploads files that the watcher finds at the same time. */
async function uploadsAndWatcher(round: Round, world: World): Promise<void> {
  const { random } = round;
  const recordings = makeRides(random, 10);
  mkdirSync(join(world.home.dir, 'card'));
  const watcher = world.start(['watch', 'card', '--json']);
  await watcher.waitFor(/"event":"ready"/);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  const upload = { args: ['upload', 'card', '--json'], sent: { recordings } };
  await race(round, world, [...Array.from({ length: 10 }, () => upload), ...readers(random, 2)]);
  watcher.child.kill('SIGTERM');
  const { code, stdout } = await watcher.finished;
  if (code !== 0) round.failed('wrong report', `watch: ${String(code)} ${stdout}`);
  judgePlatform(round, world.sandbox, { recordings });
}

/** Twelve processes add foods to the same days; two of them push the same file. */
async function appendingPushes(round: Round, world: World): Promise<void> {
  const { random } = round;
  const pushes = Array.from({ length: 12 }, (_, index) => pushOf(world, random, index));
  const [first] = pushes;
  if (first === undefined) throw new Error('no push');
  await race(round, world, [...pushes, first, ...readers(random, 6)]);
  judgePlatform(round, world.sandbox, { foods: foodsOf(pushes) });
}

function pushOf(world: World, random: Random, index: number): Racer {
  const foods = makeFoods(random, random.integer(1, 3)).map((food) => ({
    ...food,
    name: `${food.name} of ${index}`,
  }));
  const file = world.write(`food-${index}.json`, JSON.stringify(nutritionRecords(foods)));
  return { args: ['push', 'nutrition', file, '--json'], sent: { foods } };
}

function foodsOf(racers: readonly Racer[]): Food[] {
  return racers.flatMap(({ sent }) => sent?.foods ?? []);
}

/** An export holds the same recordings and days that other processes upload and push. */
async function importAndPush(round: Round, world: World): Promise<void> {
  const { random } = round;
  const recordings = makeRides(random, 6);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  const wellness = new Map([['2026-02-02', { hrv: random.integer(40, 90) }]]);
  const records = JSON.stringify([{ date: '2026-02-02', ...wellness.get('2026-02-02') }]);
  const push = pushOf(world, random, 0);
  const foods = foodsOf([push]);
  const zip = world.write(
    'export.zip',
    makeZip([
      { name: 'wellness.json', bytes: records },
      { name: 'meals.json', bytes: JSON.stringify(nutritionRecords(foods)) },
      ...[...recordings].map(([name, bytes]) => ({ name, bytes })),
    ]),
  );
  const sent: Sent = { recordings, wellness, foods };
  const sending: Racer[] = [
    { args: ['import', zip, '--yes', '--json'], sent },
    { args: ['upload', 'card', '--json'], sent: { recordings } },
    { args: ['push', 'wellness', '-', '--json'], input: records, sent: { wellness } },
    push,
  ];
  await race(round, world, [...sending, ...sending, ...sending, ...readers(random, 4)]);
  judgePlatform(round, world.sandbox, sent);
}

/** Six daemons for one folder: one runs, the others say that it does. */
async function daemons(round: Round, world: World): Promise<void> {
  const recordings = makeRides(round.random, 8);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  const daemon: Racer = { args: ['watch', 'card', '--daemon', '--json'], codes: [0, 2] };
  const others = readers(round.random, 4);
  const quick = undisturbed(world);
  try {
    const runs = await race(round, world, [...Array.from({ length: 6 }, () => daemon), ...others]);
    const started = runs.filter(({ stdout }) => stdout.includes('"daemon-started"'));
    const busy = runs.filter(({ stdout }) => stdout.includes('"BUSY"'));
    if (started.length !== 1 || busy.length !== 5) {
      round.failed('wrong report', `${started.length} daemons started, ${busy.length} were busy`);
    }
    await untilHeld(world, recordings.size);
  } finally {
    const { stdout } = await quick.sync(['daemon', 'stop', '--json']);
    const stopped = ndjson(stdout).filter(({ outcome }) => outcome === 'stopped');
    if (stopped.length !== 1) round.failed('wrong report', `daemon stop: ${stdout}`);
  }
  judgePlatform(round, world.sandbox, { recordings });
}
