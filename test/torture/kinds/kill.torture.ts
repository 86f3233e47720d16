import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformName } from '../../../src/sandbox/settings.ts';
import { stream } from '../../../src/seed/random.ts';
import { complete } from '../completion.ts';
import { drawErrand, prepare } from '../errands.ts';
import { type Round, torture } from '../kind.ts';
import { judgeProcess } from '../reports.ts';
import { type Scene, openScene } from '../scene.ts';

/** The usual duration of each command (ms), measured once. */
const durations = new Map<string, number>();

/** The seed repeats the share of the run after which a kill comes; the system decides what it hits. */
torture({
  name: 'kill',
  title: 'kill -9 at random moments of a command',
  rounds: { short: 11, full: 77 },
  run: async (round) => {
    const { random } = round;
    const [errand, platform] = drawErrand(round);
    if (!durations.has(errand)) {
      const undisturbed = await open(round, platform);
      const { args } = await prepare(errand, undisturbed, stream(1, errand));
      const began = performance.now();
      await undisturbed.run(args);
      durations.set(errand, performance.now() - began);
    }
    const duration = durations.get(errand) ?? 0;
    const scene = await open(round, platform);
    const job = await prepare(errand, scene, random);
    for (let kills = random.integer(1, 5); kills > 0; kills--) {
      const delay = random.between(0.25, 0.85) * duration;
      const running = scene.world.start(job.args);
      await Promise.race([sleep(delay), running.finished]);
      running.child.kill('SIGKILL');
      const finished = await running.finished;
      round.note(`kill after ${Math.round(delay)} of ${Math.round(duration)} ms`);
      round.count(finished.code === null ? 'kills' : 'kills that came too late');
      judgeProcess(scene, job.args, finished, job.claim);
    }
    await complete(scene, [job]);
  },
});

async function open(round: Round, platform: PlatformName): Promise<Scene> {
  const scene = await openScene(round, { platform, program: true });
  // Most of a short run is the start of the process: slow answers prolong the rest.
  scene.world.sandbox.control.addFaults('any:delay=25ms*inf');
  return scene;
}
