import { complete } from '../completion.ts';
import { drawErrand, prepare } from '../errands.ts';
import { torture } from '../kind.ts';
import { openMomentProxy, strike } from '../moment-proxy.ts';
import { judgeProcess } from '../reports.ts';
import { openSceneBehind } from '../scene.ts';

torture({
  name: 'moment',
  title: 'kill -9 at chosen moments of a request',
  rounds: { short: 7, full: 70 },
  run: async (round) => {
    const [errand, platform] = drawErrand(round);
    const options = { platform, program: true };
    const { scene, line: proxy } = await openSceneBehind(round, openMomentProxy, options);
    const job = await prepare(errand, scene, round.random);
    for (let kills = round.random.integer(1, 4); kills > 0; kills--) {
      const running = scene.world.start(job.args);
      const kill = () => void running.child.kill('SIGKILL');
      const { finished, hasHit } = await strike(round, proxy, running, kill);
      round.count(hasHit && finished.code === null ? 'kills' : 'runs without that request');
      judgeProcess(scene, job.args, finished, job.claim);
    }
    await complete(scene, [job]);
  },
});
