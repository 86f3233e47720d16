import { loginWithToken } from '../../support/world.ts';
import { torture } from '../kind.ts';
import { openBehindProxy, strike } from '../moment-proxy.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, drawCase, undisturbed } from '../sending.ts';
import { finish } from '../until-done.ts';

torture({
  name: 'moment',
  title: 'kill -9 at chosen moments of a request',
  rounds: { short: 7, full: 70 },
  run: async (round) => {
    const [name, platform] = drawCase(round);
    const { world, proxy } = await openBehindProxy(platform);
    await loginWithToken(world);
    const sending = await SENDING[name](undisturbed(world), round.random);
    const json = [...sending.args, '--json'];
    for (let kills = round.random.integer(1, 4); kills > 0; kills--) {
      const running = world.start(json);
      const kill = () => void running.child.kill('SIGKILL');
      const { finished, hasHit } = await strike(round, proxy, running, kill);
      round.count(hasHit && finished.code === null ? 'kills' : 'runs without that request');
      judgeRun(round, world.sandbox, sending.sent, json, finished);
    }
    await finish(round, world, sending);
  },
});
