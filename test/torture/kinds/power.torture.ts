import { join } from 'node:path';
import { type World, expireAccess } from '../../support/acceptance.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../../support/crash-disk.ts';
import { complete } from '../completion.ts';
import { drawErrand, prepare } from '../errands.ts';
import { torture } from '../kind.ts';
import { followTokens, isLoginLost, wasUsed } from '../login-state.ts';
import { openMomentProxy, strike } from '../moment-proxy.ts';
import { judgeProcess } from '../reports.ts';
import { logIn, openSceneBehind } from '../scene.ts';

/** Configuration, ledger and login are on a disk that loses everything that was not flushed. */
torture({
  name: 'power',
  title: 'power cuts during a command',
  rounds: { short: 6, full: 36 },
  missing: whyNoCrashDisk,
  run: async (round) => {
    const [errand, platform] = drawErrand(round);
    const { scene, line } = await openSceneBehind(round, openProxyAndDisk, {
      platform,
      program: true,
    });
    const { world } = scene;
    const { proxy, disk } = line;
    const job = await prepare(errand, scene, round.random);
    for (let cuts = round.random.integer(1, 3); cuts > 0; cuts--) {
      const issued = followTokens();
      // The run begins with a refresh, which ends the stored refresh token if the service rotates it.
      if (round.random.chance(0.4)) expireAccess(world);
      const running = world.start(job.args);
      const { finished, hasHit } = await strike(round, proxy, running, () => {
        disk.cutPower();
        running.child.kill('SIGKILL');
      });
      // Without that request, the power is cut right after the end of the run.
      if (!hasHit) disk.cutPower();
      round.count(hasHit ? 'power cuts' : 'power cuts after the end');
      disk.restart();
      judgeProcess(scene, job.args, finished, job.claim);
      if (!isLoginLost(world, issued)) continue;
      round.count('logins lost with an answer');
      if (wasUsed(world)) {
        round.failed('lost', 'the login: its token was used before it was flushed');
      }
      await logIn(scene);
    }
    await complete(scene, [job]);
  },
});

async function openProxyAndDisk(world: World) {
  const proxy = await openMomentProxy(world);
  return { url: proxy.url, proxy, disk: mountCrashDisk(join(world.home.dir, 'state')) };
}
