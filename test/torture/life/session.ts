import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, stream } from '../../../src/seed/random.ts';
import { scratchDir } from '../../support/scratch-dir.ts';
import { type World, openLoggedInWorld } from '../../support/world.ts';
import { judgeOutput, judgeRecordings } from '../judge.ts';
import type { Round } from '../kind.ts';
import { Keeper } from './keeper.ts';
import { MOUNTS, MOVES, Mover } from './mover.ts';
import { troubleService } from './service.ts';
import { Shelf } from './shelf.ts';
import { type Made, Writer } from './writers.ts';

/** What disturbs a session besides the life of its folders. */
type Trouble = 'service' | 'watchers' | 'folders';
type Troubles = readonly Trouble[];

/** Time in which nothing more arrives, although recordings are left; and again after a restart (ms). */
const LAST_MS = 15_000;
const LATEST_MS = 120_000;
/** An idle machine starts the two watchers of a session in less, beside those of the others (ms). */
const START_MS = 10_000;

/** Runs several sessions side by side: they wait most of the time. */
export async function runSessions(round: Round, all: readonly Troubles[]): Promise<void> {
  const seeds = all.map(() => round.random.uint32());
  await Promise.all(
    all.map(async (troubles, i) => {
      const random = stream(seeds[i] ?? 0, 'life', i);
      await runSession(
        {
          ...round,
          random,
          failed: (failure, what) => round.failed(failure, `session ${i}: ${what}`),
          note: (text) => round.note(`session ${i}: ${text}`),
        },
        troubles,
      );
    }),
  );
}

async function runSession(round: Round, troubles: Troubles): Promise<void> {
  const around = scratchDir();
  const world = await openLoggedInWorld({ sandbox: { data: join(around, 'platform') } });
  await live(round, world, around, troubles);
}

async function live(round: Round, world: World, around: string, troubles: Troubles): Promise<void> {
  const { random } = round;
  const labelled = (label: string): Random => stream(random.uint32(), label);
  const began = performance.now();
  const note = (text: string) => round.note(`${Math.round(performance.now() - began)} ms ${text}`);
  const outside = join(around, 'outside');
  mkdirSync(outside);
  const made: Made = { recordings: new Map(), files: new Map(), covering: new Map() };
  const shelf = (name: string) => new Shelf(join(around, name), made.files);
  const shelves = [shelf('Garmin'), shelf('Zwift')] as const;
  for (const { dir } of shelves) mkdirSync(dir);
  const keepers = shelves.map((each) => {
    const flags = random.pick([[], [], ['--poll', '2'], ['--new-only']]);
    return new Keeper(world, each, flags, round);
  });
  for (const keeper of keepers) await keeper.start();
  // On a busy machine, all of the recordings would take longer than a round may.
  const share = Math.min(1, START_MS / (performance.now() - began));
  const some = (count: number) => Math.ceil(count * share);
  note(`${some(100)} % of the recordings`);

  let isOver = false;
  const until = () => isOver;
  const writer = (id: string) => new Writer(labelled(id), id, [...shelves], outside, made, note);
  const movers = shelves.map((each, i) => {
    const aside = join(around, `aside-${i}`);
    mkdirSync(aside);
    return new Mover(labelled(`mover ${i}`), each, aside, note);
  });
  const writing = Promise.all([
    writer('a').write(some(10)),
    writer('b').write(some(10)),
    writer('c').writePatiently(2),
    writer('d').writePatiently(2),
    writer('e').writePatiently(2),
    writer('f').writeOthers(some(15)),
    sleep(random.integer(1_000, 20_000)).then(() =>
      writer('g').writeMany(some(random.pick([50, 200]))),
    ),
  ]).finally(() => (isOver = true));
  await Promise.all([
    writing,
    ...keepers.map((keeper, i) =>
      keeper.disturb(labelled(`keeper ${i}`), troubles.includes('watchers'), until),
    ),
    waitForBatches(keepers, shelves, until),
    ...(troubles.includes('service')
      ? [troubleService(labelled('service'), world, round, until)]
      : []),
    ...(troubles.includes('folders')
      ? movers.map((mover, i) => mover.move(i === 0 ? MOUNTS : MOVES, until))
      : []),
  ]);
  for (const mover of movers) mover.restore();
  world.sandbox.control.clearFaults();
  await judgeLife(round, world, shelves, keepers, made, troubles);
}

async function waitForBatches(
  keepers: readonly Keeper[],
  shelves: readonly Shelf[],
  until: () => boolean,
): Promise<void> {
  const named = () => new Set(keepers.flatMap((keeper) => [...keeper.named()]));
  while (!until()) {
    for (const shelf of shelves) shelf.waitForBatch(named);
    await sleep(1_000);
  }
}

async function judgeLife(
  round: Round,
  world: World,
  shelves: readonly Shelf[],
  keepers: readonly Keeper[],
  made: Made,
  troubles: Troubles,
): Promise<void> {
  for (const each of shelves) each.look();
  const due = new Set(shelves.flatMap((each) => [...each.due()]));
  const stash = join(world.home.dir, 'state', 'outbox');
  // The answer to an upload may be lost: then the platform has it, and the watcher sends it again.
  const missing = () => {
    const held = new Set(world.hashes());
    const isThere = (hash = '') => held.has(hash) || held.has(made.covering.get(hash) ?? '');
    return [...due].filter((hash) => !isThere(hash));
  };
  const left = () => missing().length + namesIn(stash).length;
  const isLate = !(await arrive(left, LAST_MS));
  if (isLate) {
    // A request that hangs, or a change that shows with a rescan only: the next start begins anew.
    round.note(`late: ${missing().join()}; stashed: ${namesIn(stash).join()}`);
    round.count('last restarts', keepers.length);
    for (const keeper of keepers) await keeper.stop();
    for (const keeper of keepers) await keeper.start();
    await arrive(left, LATEST_MS);
  }
  for (const keeper of keepers) await keeper.stop();

  const lines = (await Promise.all(keepers.map((keeper) => keeper.lines()))).flat();
  for (const keeper of keepers) round.note(keeper.log());
  const held = new Set(world.hashes());
  // The restart breaks off requests that the platform takes all the same.
  judgeClaims(
    round,
    lines,
    held,
    made,
    isLate || troubles.includes('service') || troubles.includes('watchers'),
  );
  const before = world.requests();
  const upload = world.start(['upload', ...shelves.map(({ dir }) => dir)]);
  const finished = await upload.finished;
  // Its words about files that cannot be sent are its results.
  judgeOutput(round, 'upload', { ...finished, stderr: finished.stdout + finished.stderr });
  round.note(`upload: ${finished.stdout}${finished.stderr}`);
  if (world.requests() > before) round.failed('duplicated', 'the watchers left something to send');
  for (const hash of held) if (made.recordings.has(hash)) due.add(hash);
  const { recordings, covering } = made;
  const covered = judgeCovered(round, world, covering);
  for (const hash of covered) due.delete(hash);
  const wanted = [...due].map((hash) => [hash, recordings.get(hash) ?? new Uint8Array()] as const);
  judgeRecordings(round, world.sandbox, new Map(wanted));
  round.count('recordings', due.size);
  round.count('covered', covered.length);
  round.count('gone before due', recordings.size - due.size - covered.length);
  const stashed = namesIn(stash);
  if (!troubles.includes('watchers') && stashed.length > 0) {
    round.failed('wrong report', `left in the stash: ${stashed.join()}`);
  }
}

/** What the watchers say arrived has arrived: once each. @param mayRepeat after a fault, a kill or a stop */
function judgeClaims(
  round: Round,
  lines: readonly Record<string, unknown>[],
  held: ReadonlySet<string>,
  { recordings, covering }: Made,
  mayRepeat: boolean,
): void {
  const uploaded = new Set<unknown>();
  for (const { type, outcome, sha256: hash, path, event, message } of lines) {
    // The disk is in order, and there is one account.
    if (event === 'not-copied' || event === 'kept-for-others')
      round.failed('wrong report', `${event}: ${String(message)}`);
    if (type !== 'upload') continue;
    if (outcome === 'covered' && !held.has(covering.get(String(hash)) ?? '')) {
      round.failed('wrong report', `${JSON.stringify(path)} ${String(hash)}: nothing covers it`);
    }
    if (outcome !== 'uploaded' && outcome !== 'duplicate') continue;
    const what = `${JSON.stringify(path)} ${String(hash)}`;
    if (!held.has(String(hash))) round.failed('wrong report', `${what}: said, not held`);
    if (!recordings.has(String(hash)))
      round.failed('wrong report', `${what}: was never a recording`);
    const isAgain = uploaded.has(hash) || outcome === 'duplicate';
    if (isAgain && !mayRepeat) round.failed('duplicated', what);
    if (outcome === 'uploaded') uploaded.add(hash);
  }
}

/**
 * A conversion must not arrive after the device's recording of its ride.
 *
 * @returns those that did not arrive, since that recording did
 */
function judgeCovered(round: Round, world: World, covering: Made['covering']): string[] {
  const held = world.recordings().map(({ sha256: hash }) => hash);
  return [...covering].flatMap(([hash, device]) => {
    const [at, before] = [held.indexOf(hash), held.indexOf(device)];
    if (before === -1) return [];
    if (at > before) round.failed('duplicated', `${hash} came after ${device}, which covers it`);
    return at === -1 ? [hash] : [];
  });
}

/** Waits until nothing is left. @returns false if that number is the same for this time (ms) */
async function arrive(left: () => number, quietMs: number): Promise<boolean> {
  let [before, since] = [left(), performance.now()];
  while (before > 0) {
    await sleep(200);
    const now = left();
    if (now !== before) [before, since] = [now, performance.now()];
    else if (performance.now() - since > quietMs) return false;
  }
  return true;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
