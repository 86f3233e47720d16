import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { endWatchers, watchersIn } from '../../support/processes.ts';
import { ndjson } from '../../support/program.ts';
import { perform } from '../completion.ts';
import { newRecordings, uploadOf } from '../errands.ts';
import { judgeCargo, judgeOutput } from '../judge.ts';
import { torture } from '../kind.ts';
import { NOTHING, judgeProcess } from '../reports.ts';
import { type Scene, openScene } from '../scene.ts';
import { untilConfirmed, untilSending } from '../waits.ts';

/** Answers come late, so that kills find requests in flight. */
const SLOW = 'upload-fit:delay=300ms*inf';

/** The seed decides the files and the delays before kills; the system decides what they hit. */
torture({
  name: 'kill-watch',
  title: 'kill -9 of a watcher, a daemon and its starter',
  rounds: { short: 2, full: 20 },
  run: async (round) => {
    const scene = await openScene(round, { platform: 'coach-watts' });
    const { home, sandbox } = scene.world;
    mkdirSync(join(home.dir, 'card'));
    sandbox.control.addFaults(SLOW);
    const recordings = newRecordings(scene, round.random, round.random.integer(6, 12));
    await (round.number % 2 === 1 ? killWatcher : killDaemon)(scene, recordings);
    await judgeEnd(scene, recordings);
  },
});

type Recordings = ReadonlyMap<string, Uint8Array>;

/** Files arrive while the watcher is killed again and again; the service is away for some of that. */
async function killWatcher(scene: Scene, recordings: Recordings): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const claim = { ...NOTHING, recordings };
  const left = [...recordings];
  const kills = random.integer(1, 5);
  for (let kill = 1; kill <= kills; kill++) {
    const isAway = random.chance(0.4);
    if (isAway) world.sandbox.control.addFaults('upload-fit:503*inf');
    const watcher = world.start(['watch', 'card', '--json']);
    const added = left.splice(0, random.integer(1, 3));
    for (const [name, bytes] of added) world.write(join('card', name), bytes);
    // Without a new file, all may have arrived.
    const isSending = added.length > 0 && (kill === 1 || random.chance(0.5));
    const delay = random.between(200, 2_500);
    await Promise.race([isSending ? untilSending(world) : sleep(delay), watcher.finished]);
    watcher.child.kill('SIGKILL');
    const killed = await watcher.finished;
    const when = isSending ? 'with a request in flight' : `after ${Math.round(delay)} ms`;
    round.note(`kill ${when}${isAway ? ' without the service' : ''}`);
    round.count(killed.code === null ? 'kills' : 'watchers that ended');
    judgeProcess(scene, ['watch', '--json'], killed, claim);
    world.sandbox.control.clearFaults();
    world.sandbox.control.addFaults(SLOW);
  }
  for (const [name, bytes] of left) world.write(join('card', name), bytes);
  const watcher = world.start(['watch', 'card', '--json']);
  // Before that, a signal may come while Node.js starts, which it ends.
  await watcher.waitFor(/"event":"started"/);
  await untilConfirmed(world, recordings.size);
  watcher.child.kill('SIGTERM');
  const last = await watcher.finished;
  judgeProcess(scene, ['watch', '--json'], last, claim);
  if (last.code !== 0) round.failed('wrong report', `watch ended with ${String(last.code)}`);
}

/** The daemon, or the command that starts it, is killed. */
async function killDaemon(scene: Scene, recordings: Recordings): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  onTestFinished(() => endWatchers(world.home.dir));
  const left = [...recordings];
  const kills = random.integer(1, 4);
  for (let kill = 1; kill <= kills; kill++) {
    for (const [name, bytes] of left.splice(0, 2)) world.write(join('card', name), bytes);
    const starter = world.start(['watch', 'card', '--daemon', '--json']);
    const killsStarter = random.chance(0.4);
    const delay = random.between(100, 1_500);
    if (killsStarter) {
      await Promise.race([sleep(delay), starter.finished]);
      starter.child.kill('SIGKILL');
    }
    judgeOutput(round, 'watch --daemon', await starter.finished);
    if (!killsStarter) {
      await sleep(delay);
      endWatchers(world.home.dir);
    }
    round.note(`${killsStarter ? 'starter' : 'daemon'} killed after ${Math.round(delay)} ms`);
    round.count('kills');
  }
  for (const [name, bytes] of left) world.write(join('card', name), bytes);
  const last = await world.program(['watch', 'card', '--daemon', '--json']);
  round.note(`watch --daemon: ${String(last.code)} ${last.stdout}${last.stderr}`);
  // The daemon of a killed starter may run.
  const isRunning = last.code === 2 && last.stdout.includes('"BUSY"');
  if (last.code !== 0 && !isRunning) round.failed('wrong report', 'the daemon did not start');
  await untilConfirmed(world, recordings.size);
  const stop = await world.program(['daemon', 'stop', '--json']);
  const stopped = ndjson(stop.stdout).filter(({ outcome }) => outcome === 'stopped');
  if (stop.code !== 0 || stopped.length !== 1) {
    round.failed('wrong report', `daemon stop: ${String(stop.code)} ${stop.stdout}`);
  }
  if (watchersIn(world.home.dir).length > 0)
    round.failed('wrong report', 'a daemon runs after daemon stop');
}

/** All has arrived: an upload finds nothing to send. */
async function judgeEnd(scene: Scene, recordings: Recordings): Promise<void> {
  const { round, world, cargo } = scene;
  const { control } = world.sandbox;
  judgeCargo(round, world.sandbox, cargo);
  control.clearRequests();
  // A recording that a killed process left pending is BUSY for ever, if no process takes it over.
  const { code } = await perform(scene, uploadOf('card', recordings));
  const requests = control.requests().length;
  if (code !== 0 || requests > 0) {
    round.failed('wrong report', `upload again: ${String(code)}, ${requests} requests`);
  }
}
