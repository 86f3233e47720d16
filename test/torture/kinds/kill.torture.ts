import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformName } from '../../../src/sandbox/settings.ts';
import { stream } from '../../../src/seed/random.ts';
import { type World, openLoggedInWorld } from '../../support/acceptance.ts';
import { torture } from '../kind.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, drawCase, undisturbed } from '../sending.ts';
import { finish } from '../until-done.ts';

/** The usual duration of each command (ms), measured once. */
const durations = new Map<string, number>();

/** The seed repeats the share of the run after which a kill comes; the system decides what it hits. */
torture({
  name: 'kill',
  title: 'kill -9 at random moments of a command',
  rounds: { short: 11, full: 77 },
  run: async (round) => {
    const { random } = round;
    const [name, platform] = drawCase(round);
    if (!durations.has(name)) {
      const undisturbedWorld = await open(platform);
      const { args } = await SENDING[name](undisturbed(undisturbedWorld), stream(1, name));
      const began = performance.now();
      await undisturbedWorld.program(args);
      durations.set(name, performance.now() - began);
    }
    const duration = durations.get(name) ?? 0;
    const world = await open(platform);
    const sending = await SENDING[name](undisturbed(world), random);
    const json = [...sending.args, '--json'];
    for (let kills = random.integer(1, 5); kills > 0; kills--) {
      const delay = random.between(0.25, 0.85) * duration;
      const running = world.start(json);
      await Promise.race([sleep(delay), running.finished]);
      running.child.kill('SIGKILL');
      const finished = await running.finished;
      round.note(`kill after ${Math.round(delay)} of ${Math.round(duration)} ms`);
      round.count(finished.code === null ? 'kills' : 'kills that came too late');
      judgeRun(round, world.sandbox, sending.sent, json, finished);
    }
    await finish(round, world, sending);
  },
});

async function open(platform: PlatformName): Promise<World> {
  const world = await openLoggedInWorld({ platform });
  // Most of a short run is the start of the process: slow answers prolong the rest.
  world.sandbox.control.addFaults('any:delay=25ms*inf');
  return world;
}
