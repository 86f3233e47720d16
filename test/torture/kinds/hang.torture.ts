import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FuseMount, mountFuse, whyNoFuse } from '../../support/fuse.ts';
import { isAlive } from '../../support/processes.ts';
import { type Running, ndjson } from '../../support/program.ts';
import { NEVER_MS } from '../../support/until.ts';
import { complete } from '../completion.ts';
import { newRecordings, uploadOf } from '../errands.ts';
import { judgeCargo, judgeRecordings } from '../judge.ts';
import { torture } from '../kind.ts';
import { NOTHING, judgeProcess } from '../reports.ts';
import { type Scene, openScene } from '../scene.ts';
import { untilHeld, untilSending } from '../waits.ts';

const ROUNDS = [watcher, upload, beside, daemon] as const;

/** The seed decides when the file system hangs, and for how long. */
torture({
  name: 'hang',
  title: 'a folder on a file system that hangs',
  rounds: { short: 4, full: 16 },
  missing: whyNoFuse,
  run: async (round) => {
    const scene = await openScene(round, { platform: 'coach-watts', program: true });
    const { dir } = scene.world.home;
    const source = join(dir, 'source');
    mkdirSync(source);
    const mount = await mountFuse(source, join(dir, 'card'));
    const recordings = newRecordings(scene, round.random, 8);
    await round.turn(ROUNDS)(scene, mount, recordings);
    mount.answer();
    for (const [name, bytes] of recordings) writeFileSync(join(source, name), bytes);
    await complete(scene, [uploadOf('card', recordings)]);
  },
});

type Recordings = ReadonlyMap<string, Uint8Array>;

/** Files arrive before and during the hang. The watcher goes on, or ends when it is told to. */
async function watcher(scene: Scene, mount: FuseMount, recordings: Recordings) {
  const { round, world } = scene;
  const { random } = round;
  const running = world.start(['watch', 'card', '--json', '--poll', '1']);
  await running.waitFor(/"event":"ready"/);
  for (const [name, bytes] of recordings) {
    writeFileSync(join(world.home.dir, 'source', name), bytes);
    if (!random.chance(0.4)) continue;
    mount.hang();
    round.count('hangs');
    await sleep(random.between(0, 4_000));
    await readsInTime(scene);
    if (random.chance(0.3)) {
      await endsInTime(scene, running);
      return;
    }
    mount.answer();
  }
  await untilHeld(world, recordings.size);
  judgeCargo(round, world.sandbox, scene.cargo);
  await endsInTime(scene, running);
  judgeProcess(scene, ['watch', '--json'], await running.finished, { ...NOTHING, recordings });
}

/**
 * The folder hangs at any moment, or while a request is in flight. Then the
 * next file is read, which blocks the main thread: only the watchdog can end the process.
 */
async function upload(scene: Scene, mount: FuseMount, recordings: Recordings) {
  const { round, world } = scene;
  const { random } = round;
  for (const [name, bytes] of recordings)
    writeFileSync(join(world.home.dir, 'source', name), bytes);
  world.sandbox.control.addFaults('upload-fit:delay=100ms*inf');
  const args = ['upload', 'card', '--json', '--jobs', '1'];
  const running = world.start(args);
  const isSending = random.chance(0.7);
  const moment = isSending ? untilSending(world, 0) : sleep(random.between(0, 900));
  await Promise.race([moment, running.finished]);
  mount.hang();
  round.count('hangs');
  await sleep(random.between(0, 2_000));
  await readsInTime(scene);
  if (isSending || random.chance(0.5)) await endsInTime(scene, running);
  mount.answer();
  judgeProcess(scene, args, await running.finished, { ...NOTHING, recordings });
  world.sandbox.control.clearFaults();
}

/** One of three folders hangs: the others are served, and the status names it until it answers. */
async function beside(scene: Scene, mount: FuseMount, recordings: Recordings) {
  const { round, world } = scene;
  const { random } = round;
  const other = join(world.home.dir, 'other');
  for (const name of [other, join(world.home.dir, 'local')]) mkdirSync(name);
  await mountFuse(other, join(world.home.dir, 'beside'));
  const isLate = random.chance(0.5);
  if (!isLate) mount.hang();
  const running = world.start(['watch', 'card', 'beside', 'local', '--json', '--poll', '1']);
  await running.waitFor(/"event":"ready"/);
  if (isLate) mount.hang();
  round.count('hangs');
  const sent = [...recordings].map(([name, bytes]) => {
    const folder = random.pick(['source', 'other', 'local'] as const);
    writeFileSync(join(world.home.dir, folder, name), bytes);
    return { folder, name, bytes };
  });
  const reached = sent.filter(({ folder }) => folder !== 'source');
  await untilHeld(world, reached.length);
  const served = new Map(reached.map(({ name, bytes }) => [name, bytes]));
  judgeRecordings(round, world.sandbox, served);
  if (random.chance(0.5)) await running.waitFor(/"state":"silent"/);
  mount.answer();
  await untilHeld(world, recordings.size);
  judgeCargo(round, world.sandbox, scene.cargo);
  await endsInTime(scene, running);
}

/** `daemon stop` reports only what is true of the process. */
async function daemon(scene: Scene, mount: FuseMount, recordings: Recordings) {
  const { round, world } = scene;
  const { random } = round;
  for (const [name, bytes] of recordings)
    writeFileSync(join(world.home.dir, 'source', name), bytes);
  const { stdout } = await world.program(['watch', 'card', '--daemon', '--json', '--poll', '1']);
  const pid = Number(ndjson(stdout).find(({ type }) => type === 'daemon-started')?.['pid']);
  await sleep(random.between(0, 1_000));
  mount.hang();
  round.count('hangs');
  await sleep(random.between(0, 6_000));
  await readsInTime(scene);
  const stop = await world.program(['daemon', 'stop', '--json']);
  round.note(`daemon stop: ${String(stop.code)} ${stop.stdout}`);
  const [outcome] = ndjson(stop.stdout);
  const isStopped = outcome?.['outcome'] === 'stopped';
  if (isStopped === isAlive(pid)) round.failed('wrong report', `process ${pid}: ${stop.stdout}`);
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/** Commands that do not need the folder answer while it hangs: with 5 once the daemon says that it is silent. */
async function readsInTime({ round, world }: Scene): Promise<void> {
  for (const { args, codes } of [
    { args: ['status', '--json'], codes: [0] },
    { args: ['daemon', 'status', '--json'], codes: [0, 5] },
  ]) {
    const running = world.start(args);
    const run = await Promise.race([running.finished, sleep(NEVER_MS)]);
    if (run === undefined) round.failed('hang', `sync ${args.join(' ')}`);
    else if (!codes.includes(run.code ?? -1)) {
      round.failed('wrong report', `${args.join(' ')}: ${run.stdout}`);
    }
  }
}

async function endsInTime({ round }: Scene, running: Running): Promise<void> {
  running.child.kill('SIGTERM');
  const ended = await Promise.race([running.finished, sleep(NEVER_MS)]);
  if (ended === undefined) round.failed('hang', 'the process after SIGTERM');
}
