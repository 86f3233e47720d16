import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ndjson } from '../../support/program.ts';
import { makeZip } from '../../support/zip-maker.ts';
import { type Job, newRecordings, prepare, uploadOf } from '../errands.ts';
import { judgeCargo } from '../judge.ts';
import { torture } from '../kind.ts';
import { type Race, type Racer, judgeOwners, race, readers } from '../racers.ts';
import { NOTHING } from '../reports.ts';
import { type Scene, openScene } from '../scene.ts';
import { untilHeld } from '../waits.ts';

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
    const scene = await openScene(round, { platform: 'coach-watts', readsNutrition: true });
    const { sandbox } = scene.world;
    // Other processes come while a request is in flight.
    sandbox.control.addFaults('any:delay=15ms*inf');
    round.note(runRace.name);
    await runRace(scene);
    judgeOwners(round, scene.world);
    judgeCargo(round, sandbox, scene.cargo);
  },
});

/** Each process uploads some of four folders, which share recordings. */
async function overlappingUploads(scene: Scene): Promise<void> {
  const { random } = scene.round;
  const all = [...newRecordings(scene, random, 12)];
  const folders = ['a', 'b', 'c', 'd'].map((folder) => {
    const some = folder === 'd' ? all : all.filter(() => random.chance(0.5));
    mkdirSync(join(scene.world.home.dir, folder));
    for (const [name, bytes] of some) scene.world.write(join(folder, name), bytes);
    return uploadOf(folder, new Map(some));
  });
  const uploads = Array.from({ length: 17 }, (): Racer => {
    const named = folders.filter(() => random.chance(0.5));
    return together(named.length === 0 ? folders : named);
  });
  await race(scene, [...uploads, together(folders), ...readers(random, 2)]);
}

/** One process that uploads several folders. */
function together(uploads: readonly Job[]): Racer {
  const recordings = new Map(uploads.flatMap(({ claim }) => [...claim.recordings]));
  const folders = uploads.flatMap(({ args: [, folder = ''] }) => [folder]);
  return { args: ['upload', '--json', ...folders], claim: { ...NOTHING, recordings } };
}

/** Each process uploads files that the watcher finds at the same time. */
async function uploadsAndWatcher(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const recordings = newRecordings(scene, random, 10);
  mkdirSync(join(world.home.dir, 'card'));
  const watcher = world.start(['watch', 'card', '--json']);
  await watcher.waitFor(/"event":"ready"/);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  const upload = uploadOf('card', recordings);
  await race(scene, [...Array.from({ length: 10 }, () => upload), ...readers(random, 2)]);
  watcher.child.kill('SIGTERM');
  const { code, stdout } = await watcher.finished;
  if (code !== 0) round.failed('wrong report', `watch: ${String(code)} ${stdout}`);
}

/** Twelve processes add foods to the same days; two of them push the same file. */
async function appendingPushes(scene: Scene): Promise<void> {
  const { random } = scene.round;
  const first = await prepare('nutrition', scene, random);
  const pushes: Racer[] = [first, first];
  while (pushes.length < 13) pushes.push(await prepare('nutrition', scene, random));
  await race(scene, [...pushes, ...readers(random, 6)]);
}

/** An export holds the same recordings and days that other processes upload and push. */
async function importAndPush(scene: Scene): Promise<void> {
  const { random } = scene.round;
  const upload = await prepare('folder', scene, random);
  const wellness = await prepare('wellness', scene, random);
  const push = await prepare('nutrition', scene, random);
  const [, , days = ''] = wellness.args;
  const [, , meals = ''] = push.args;
  const input = readFileSync(days, 'utf8');
  const zip = scene.world.write(
    'export.zip',
    makeZip([
      { name: 'wellness.json', bytes: input },
      { name: 'meals.json', bytes: readFileSync(meals) },
      ...[...upload.claim.recordings].map(([name, bytes]) => ({ name, bytes })),
    ]),
  );
  const claim = {
    recordings: upload.claim.recordings,
    wellness: wellness.claim.wellness,
    foods: push.claim.foods,
  };
  const sending: Racer[] = [
    { args: ['import', zip, '--yes', '--json'], claim },
    { args: ['push', 'wellness', '-', '--json'], input, claim: wellness.claim },
    upload,
    push,
  ];
  await race(scene, [...sending, ...sending, ...sending, ...readers(random, 4)]);
}

/** Six daemons for one folder: one runs, the others say that it does. */
async function daemons(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const recordings = newRecordings(scene, round.random, 8);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  const daemon: Racer = { args: ['watch', 'card', '--daemon', '--json'], codes: [0, 2] };
  const others = readers(round.random, 4);
  try {
    const runs = await race(scene, [...Array.from({ length: 6 }, () => daemon), ...others]);
    const started = runs.filter(({ stdout }) => stdout.includes('"daemon-started"'));
    const busy = runs.filter(({ stdout }) => stdout.includes('"BUSY"'));
    if (started.length !== 1 || busy.length !== 5) {
      round.failed('wrong report', `${started.length} daemons started, ${busy.length} were busy`);
    }
    await untilHeld(world, recordings.size);
  } finally {
    const { stdout } = await world.sync(['daemon', 'stop', '--json']);
    const stopped = ndjson(stdout).filter(({ outcome }) => outcome === 'stopped');
    if (stopped.length !== 1) round.failed('wrong report', `daemon stop: ${stdout}`);
  }
}
