import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXCHANGES } from '../../../src/sandbox/http/request-log.ts';
import type { RequestRecord } from '../../../src/sandbox/types.ts';
import type { Random } from '../../../src/seed/random.ts';
import { type World, expireAccess } from '../../support/acceptance.ts';
import { ndjson } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { type FakeClock, makeFakeClock, whyNoFakeClock } from '../../support/fake-clock.ts';
import { complete, perform } from '../completion.ts';
import { type Job, newRecordings, prepare, uploadOf } from '../errands.ts';
import { judgeCargo } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import { liveLogins } from '../login-state.ts';
import { type Race, judgeOwners } from '../racers.ts';
import { NOTHING, judgeProcess } from '../reports.ts';
import { type Scene, openScene } from '../scene.ts';
import { untilHeld, untilSending } from '../waits.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const STEPS = [60, HOUR, 2 * HOUR, DAY, 40 * DAY, 366 * DAY, 3_650 * DAY] as const;

const ROUNDS: readonly [Race, ...Race[]] = [
  wrongClocks,
  watcherUnderSteps,
  commandUnderSteps,
  localDates,
  twoClocks,
  stopUnderSteps,
];

/** Steps are relative to the real time: the same seed makes other times on another day. */
torture({
  name: 'clock',
  title: 'wrong clocks, and steps while a command or watcher runs',
  rounds: { short: 6, full: 30 },
  missing: whyNoFakeClock,
  run: async (round) => {
    const runRound = round.turn(ROUNDS);
    const scene = await openScene(round, {
      platform: 'coach-watts',
      program: true,
      settings: {
        refreshToken: round.random.pick(['keep', 'rotate']),
        refreshTtl: 30 * DAY,
        announceRefreshTtl: round.random.chance(0.5),
      },
    });
    const { world } = scene;
    round.note(runRound.name);
    await runRound(scene);
    if (liveLogins(world) !== 1) round.failed('lost', 'the login');
    // `daemon stop` aborts the request that is in flight.
    judgeOwners(round, world, runRound === stopUnderSteps ? 2 : 1);
  },
});

function drawOffset(random: Random): number {
  return random.pick(STEPS) * random.pick([1, -1]);
}

/** Each command sees another time. Tokens end for the service, or for the clock, or for neither. */
async function wrongClocks(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const clock = setClock(scene);
  const recordings = new Map<string, Uint8Array>();
  for (let step = 1; step <= 3; step++) {
    clock.set(drawOffset(random));
    if (random.chance(0.3)) world.sandbox.control.expire();
    if (random.chance(0.3)) expireAccess(world);
    for (const [name, bytes] of newRecordings(scene, random, 1)) {
      world.write(join('card', name), bytes);
      recordings.set(name, bytes);
    }
    await runWrong(scene, uploadOf('card', recordings));
    clock.set(drawOffset(random));
    await runWrong(scene, await prepare('nutrition', scene, random));
  }
  judgeCargo(round, world.sandbox, scene.cargo);
  clock.set(0);
  await complete(scene, [uploadOf('card', recordings)]);
}

/** Makes a clock for all processes of the scene. */
function setClock({ world }: Scene): FakeClock {
  const clock = makeFakeClock(world.home);
  Object.assign(world.home.env, clock.env);
  return clock;
}

async function runWrong(scene: Scene, job: Job): Promise<void> {
  const { round, world } = scene;
  world.sandbox.control.clearRequests();
  const { code } = await perform(scene, job);
  round.count('runs with a wrong clock');
  if (code !== 0) round.failed('wrong report', `${job.args.join(' ')}: ${String(code)}`);
  judgeRefreshes(round, world, 1);
}

function judgeRefreshes(round: Round, { sandbox }: World, most: number): void {
  const refreshes = sandbox.control.requests({ route: 'token' }).length;
  if (refreshes > most) round.failed('wrong report', `${refreshes} refreshes, ${most} at most`);
}

/**
 * Counts the refreshes that steps may cause: one for each step forward. Most of them cause none, since a token
 * ends by the latest time so far; but a process may date a token by the time after a step back.
 */
function countSteps(clock: FakeClock): { to: (offset: number) => void; most: () => number } {
  let now = 0;
  let most = 1;
  return {
    to(offset) {
      clock.set(offset);
      if (offset > now) most += 1;
      now = offset;
    },
    most: () => most,
  };
}

/**
 * The clock steps while files arrive. The service is away for some steps, so that retries are due. The
 * last step is back by years, while the watcher pauses: a pause by the time of day would last as long.
 */
async function watcherUnderSteps(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const { control } = world.sandbox;
  const recordings = newRecordings(scene, random, 8);
  const clock = makeFakeClock(world.home);
  const steps = countSteps(clock);
  if (random.chance(0.5)) steps.to(drawOffset(random));
  mkdirSync(join(world.home.dir, 'card'));
  const watcher = world.start(['watch', 'card', '--json'], { env: clock.env });
  await watcher.waitFor(/"event":"ready"/);
  for (const [name, bytes] of recordings) {
    const isLast = name === [...recordings.keys()].at(-1);
    const isAway = isLast || random.chance(0.5);
    if (isAway) control.addFaults('upload-fit:503*inf');
    world.write(join('card', name), bytes);
    if (isLast) await untilRefused(world);
    else await sleep(random.between(100, 1_500));
    const offset = isLast ? -5_000 * DAY : random.chance(0.3) ? 0 : drawOffset(random);
    steps.to(offset);
    round.note(`${name}${isAway ? ' without the service' : ''}, step to ${offset} s`);
    round.count('steps under a watcher');
    if (isAway) await sleep(random.between(0, 500));
    control.clearFaults();
  }
  await untilHeld(world, recordings.size);
  judgeCargo(round, world.sandbox, scene.cargo);
  judgeRefreshes(round, world, steps.most());
  watcher.child.kill('SIGTERM');
  const ended = await watcher.finished;
  judgeProcess(scene, ['watch', '--json'], ended, { ...NOTHING, recordings });
}

/** Waits until the service has refused an upload: the watcher then pauses. */
async function untilRefused({ sandbox }: World): Promise<void> {
  const refusals = () =>
    sandbox.control.requests({ route: 'upload-fit' }).filter(({ status }) => status === 503).length;
  const before = refusals();
  await until(() => refusals() > before);
}

/** The clock steps while requests are in flight. */
async function commandUnderSteps(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  world.sandbox.control.addFaults('any:delay=60ms*inf');
  const errand = random.pick(['folder', 'nutrition', 'wellness', 'import'] as const);
  const job = await prepare(errand, scene, random);
  const clock = makeFakeClock(world.home);
  const steps = countSteps(clock);
  const running = world.start(job.args, { env: clock.env });
  const onExchange = (message: unknown) => {
    // The program is about to date its new token.
    if ((message as RequestRecord).route === 'token') return;
    steps.to(drawOffset(random));
    round.count('steps under a command');
  };
  subscribe(EXCHANGES, onExchange);
  const run = await running.finished;
  unsubscribe(EXCHANGES, onExchange);
  judgeProcess(scene, job.args, run, job.claim);
  if (run.code !== 0) round.failed('wrong report', `${errand}: ${String(run.code)} ${run.stdout}`);
  judgeRefreshes(round, world, steps.most());
  await complete(scene, [job]);
}

/** The days of records near midnight and changes to daylight saving time, by Node's own zone data. */
async function localDates(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const zone = random.pick([
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Auckland',
  ]);
  const clock = setClock(scene);
  const offset = drawOffset(random);
  clock.set(offset);
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  const { wellness } = scene.cargo;
  const records: object[] = [];
  // Days after the clock's today are refused.
  const year = new Date(Date.now() + offset * 1_000).getUTCFullYear() - 1;
  const changes = [Date.UTC(year, 2, 11), Date.UTC(year, 2, 28), Date.UTC(year, 9, 28)] as const;
  for (let record = 0; record < 30; record++) {
    // Never midnight in UTC, which is read as a date.
    const quarters = random.integer(-4 * 96, 4 * 96);
    const instant = new Date(random.pick(changes) + quarters * 900_000 + 420_000);
    const date = local.format(instant);
    if (wellness.has(date)) continue;
    const hrv = random.integer(30, 120);
    wellness.set(date, { hrv });
    records.push({ date: instant.toISOString(), hrv });
  }
  const file = world.write('wellness.json', JSON.stringify(records));
  const args = ['push', 'wellness', file, '--tz', zone, '--json'];
  await runWrong(scene, { args, routes: ['wellness'], claim: { ...NOTHING, wellness } });
  judgeCargo(round, world.sandbox, scene.cargo);
}

/**
 * Three processes with different clocks have the same files: none takes what another sends. All clocks
 * step while two of them wait for the refresh of the third: none gives up early.
 */
async function twoClocks(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  world.sandbox.control.addFaults('upload-fit:delay=700ms*4', 'upload-fit:delay=50ms*inf');
  const recordings = newRecordings(scene, random, 8);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  expireAccess(world);
  world.sandbox.control.addFaults('refresh:delay=2s');
  const args = ['upload', 'card', '--json'];
  const clocks = ['first', 'second', 'third'].map((name) => {
    const clock = makeFakeClock(world.home, name);
    const offset = drawOffset(random);
    clock.set(offset);
    return { clock, offset };
  });
  const refreshes = () => world.sandbox.control.requests({ route: 'token' }).length;
  const stepped = until(() => refreshes() > 0).then(() => {
    for (const { clock, offset } of clocks) clock.set(offset + HOUR);
  });
  await Promise.all([
    stepped,
    ...clocks.map(async ({ clock }) => {
      const run = await world.program(args, { env: clock.env });
      judgeProcess(scene, args, run, { ...NOTHING, recordings });
      round.count('runs with a wrong clock');
      if (run.code !== 0) round.failed('wrong report', `upload: ${String(run.code)} ${run.stdout}`);
    }),
  ]);
  judgeCargo(round, world.sandbox, scene.cargo);
  judgeRefreshes(round, world, 6);
}

/** The clock steps while `daemon stop` waits for the end of an upload: it reports the time that passed. */
async function stopUnderSteps(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const { control } = world.sandbox;
  const recordings = newRecordings(scene, random, 1);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  control.addFaults('upload-fit:delay=4s');
  const clock = makeFakeClock(world.home);
  const { env } = clock;
  await world.program(['watch', 'card', '--daemon', '--json'], { env });
  await untilSending(world, 0);
  const stop = world.start(['daemon', 'stop', '--json'], { env });
  await sleep(random.between(500, 2_000));
  clock.set(drawOffset(random));
  round.count('steps under daemon stop');
  const { code, stdout } = await stop.finished;
  const [line] = ndjson(stdout);
  const tookMs = Number(line?.['tookMs']);
  if (code !== 0 || line?.['outcome'] !== 'stopped' || !(tookMs >= 0 && tookMs < 60_000)) {
    round.failed('wrong report', `daemon stop: ${String(code)} ${stdout}`);
  }
  await complete(scene, [uploadOf('card', recordings)]);
}
