import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EXCHANGES } from '../../../src/sandbox/http/request-log.ts';
import type { Random } from '../../../src/seed/random.ts';
import { type World, expireAccess } from '../../support/acceptance.ts';
import type { Finished } from '../../support/program.ts';
import { complete } from '../completion.ts';
import { newRecordings, prepare } from '../errands.ts';
import { judgeCargo, judgeOutput } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import { type Scene, logIn, openScene } from '../scene.ts';
import { untilKept } from '../waits.ts';

/** Files of the state folder and the configuration that a crash may leave damaged. */
const FILES = [
  'state/ledger.db',
  'state/ledger.db-wal',
  'state/logins/login-default.json',
  'config/config.json',
  'state/ledger.db',
  'state/platform-zones.json',
] as const;

/** Returns the bytes of a file after it was damaged; undefined: it is gone. */
type Harm = (bytes: Buffer, random: Random, older: Buffer) => Buffer | undefined;
type Damage = readonly [name: string, harm: Harm];
const DAMAGES: readonly [Damage, ...Damage[]] = [
  ['emptied', () => Buffer.alloc(0)],
  ['shortened', (bytes, random) => bytes.subarray(0, random.integer(1, bytes.length - 1))],
  ['zeroed', (bytes, random) => overwrite(bytes, random, () => 0)],
  ['garbled', (bytes, random) => overwrite(bytes, random, () => random.integer(0, 255))],
  ['older', (_bytes, _random, older) => older],
  ['gone', () => undefined],
];

const READING = [
  ['status', '--json'],
  ['explain', '2026-02-02'],
  ['config', 'list'],
  ['doctor', '--json'],
] as const;

torture({
  name: 'damage',
  title: 'damaged files, and what the hints say',
  rounds: { short: 7, full: 49 },
  run: async (round) => {
    const { random } = round;
    const file = round.turn([...FILES, undefined]);
    if (file === undefined) {
      await loseLedgerOfStash(round);
      return;
    }
    const scene = await openScene(round, { readsNutrition: true });
    const { world } = scene;
    // Without the ledger, an earlier version of an item cannot be told from an edit in the platform.
    const errand = random.pick(['import', 'import', 'folder', 'wellness'] as const);
    const snapshot = join(world.home.dir, 'snapshot');
    const job = await prepare(errand, scene, random);
    keepCopies(world, snapshot);
    // A refresh writes the login.
    expireAccess(world);
    await runAndKill(world, job.args, random.integer(2, 6));

    const damage = random.pick(DAMAGES);
    const hasChanged = applyDamage(join(world.home.dir, file), snapshot, damage, random);
    round.note(`${errand}: ${file} ${damage[0]}`);
    round.count(hasChanged ? 'damaged files' : 'files that were not there');
    for (const args of READING) judge(round, args, file, await world.sync(args));
    const run = await world.sync(job.args);
    judge(round, job.args, file, run);
    if (run.code !== 0) await followHint(scene, run);
    await complete(scene, [job]);
  },
});

/** A watcher is killed that holds the only copies of recordings; then its ledger is damaged. */
async function loseLedgerOfStash(round: Round): Promise<void> {
  const { random } = round;
  const scene = await openScene(round);
  const { world } = scene;
  const recordings = newRecordings(scene, random, random.integer(4, 8));
  const snapshot = join(world.home.dir, 'snapshot');
  const ledger = join(world.home.dir, 'state', 'ledger.db');
  const damage = random.pick(DAMAGES);
  const [isUnderWatcher, losesLog] = [random.chance(0.5), random.chance(0.5)];
  const harm = () => {
    const hasChanged = applyDamage(ledger, snapshot, damage, random);
    if (hasChanged && losesLog) rmSync(`${ledger}-wal`, { force: true });
    round.count(hasChanged ? 'damaged ledgers under a stash' : 'files that were not there');
  };
  mkdirSync(join(world.home.dir, 'card'));
  world.sandbox.control.addFaults('upload-fit:503*inf');
  const watcher = world.start(['watch', 'card', '--json']);
  const [first, ...others] = recordings;
  if (first === undefined) throw new Error('no recording');
  world.write(join('card', first[0]), first[1]);
  await untilKept(watcher, 1);
  keepCopies(world, snapshot);
  for (const [name, bytes] of others) world.write(join('card', name), bytes);
  await untilKept(watcher, recordings.size);
  rmSync(join(world.home.dir, 'card'), { recursive: true });
  if (isUnderWatcher) harm();
  watcher.child.kill('SIGKILL');
  round.note(`stash: ${damage[0]}${isUnderWatcher ? ' under the watcher' : ''}`);
  await watcher.finished;
  if (!isUnderWatcher) harm();
  world.sandbox.control.clearFaults();

  mkdirSync(join(world.home.dir, 'card'));
  const args = ['watch', 'card', '--once', '--json'];
  const run = await world.program(args);
  judge(round, args, 'state/ledger.db', run);
  if (run.code !== 0) {
    await followHint(scene, run);
    judge(round, args, 'state/ledger.db', await world.program(args));
  }
  judgeCargo(round, world.sandbox, scene.cargo);
  const stash = readdirSync(join(world.home.dir, 'state', 'outbox'));
  if (stash.length > 0) round.failed('wrong report', `left in the stash: ${stash.join()}`);
}

/** Only a process that ended at once leaves a write-ahead log behind. */
async function runAndKill(world: World, args: readonly string[], answers: number): Promise<void> {
  const running = world.start(args);
  let seen = 0;
  const onExchange = () => {
    if (++seen === answers) setTimeout(() => running.child.kill('SIGKILL'), 20);
  };
  subscribe(EXCHANGES, onExchange);
  await running.finished;
  unsubscribe(EXCHANGES, onExchange);
}

function overwrite(bytes: Buffer, random: Random, value: () => number): Buffer {
  const copy = Buffer.from(bytes);
  const from = random.chance(0.5) ? 0 : random.integer(0, Math.max(0, copy.length - 1));
  const to = Math.min(copy.length, from + random.pick([16, 512, 4_096, 100_000]));
  for (let at = from; at < to; at++) copy[at] = value();
  return copy;
}

function keepCopies({ home }: World, folder: string): void {
  mkdirSync(folder);
  for (const file of FILES) {
    const path = join(home.dir, file);
    if (existsSync(path)) copyFileSync(path, join(folder, basename(file)));
  }
}

/** Returns whether there was such a file. */
function applyDamage(path: string, snapshot: string, [, harm]: Damage, random: Random): boolean {
  if (!existsSync(path)) return false;
  const bytes = readFileSync(path);
  if (bytes.length < 2) return false;
  const copy = join(snapshot, basename(path));
  const damaged = harm(bytes, random, existsSync(copy) ? readFileSync(copy) : bytes);
  if (damaged === undefined) rmSync(path);
  else writeFileSync(path, damaged);
  return true;
}

/** A run works, or it names the file or its remedy. */
function judge(round: Round, args: readonly string[], file: string, run: Finished): void {
  const command = args.join(' ');
  round.note(`${command}: ${String(run.code)}\n${run.stdout}${run.stderr}`);
  judgeOutput(round, command, run);
  if (run.code === 0) return;
  const text = run.stdout + run.stderr;
  const name = basename(file).replace(/-wal$/, '');
  const isNamed = text.includes(name) || text.includes('sync login');
  if (!isNamed) round.failed('wrong report', `${command}: neither the file nor a remedy: ${text}`);
}

/** Does what the message says: moves the named ledger away, logs in, removes the configuration. */
async function followHint(scene: Scene, run: Finished): Promise<void> {
  const { round, world } = scene;
  const text = run.stdout + run.stderr;
  const { dir } = world.home;
  if (/move the file away/i.test(text)) {
    const ledger = join(dir, 'state', 'ledger.db');
    for (const name of readdirSync(dirname(ledger))) {
      if (!name.startsWith('ledger.db')) continue;
      renameSync(join(dirname(ledger), name), join(dir, `aside-${name}`));
    }
  } else if (text.includes('config.json')) {
    rmSync(join(dir, 'config', 'config.json'));
    // The profile's settings were there.
    await logIn(scene);
  } else if (text.includes('sync login')) {
    await logIn(scene);
  } else {
    round.failed('wrong report', `no hint: ${text}`);
  }
  round.count('hints that were followed');
}
