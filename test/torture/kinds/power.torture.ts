import { join } from 'node:path';
import { expireAccess, loginWithToken } from '../../support/acceptance.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../../support/crash-disk.ts';
import { torture } from '../kind.ts';
import { followTokens, isLoginLost, wasUsed } from '../login-state.ts';
import { openBehindProxy, strike } from '../moment-proxy.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, drawCase } from '../sending.ts';
import { finish } from '../until-done.ts';

/** Configuration, ledger and login are on a disk that loses everything that was not flushed. */
torture({
  name: 'power',
  title: 'power cuts during a command',
  rounds: { short: 6, full: 36 },
  missing: whyNoCrashDisk,
  run: async (round) => {
    const [name, platform] = drawCase(round);
    const { world, proxy } = await openBehindProxy(platform);
    const disk = mountCrashDisk(join(world.home.dir, 'state'));
    await loginWithToken(world);
    const sending = await SENDING[name](world, round.random);
    const json = [...sending.args, '--json'];
    for (let cuts = round.random.integer(1, 3); cuts > 0; cuts--) {
      const issued = followTokens();
      // The run begins with a refresh, which ends the stored refresh token if the service rotates it.
      if (round.random.chance(0.4)) expireAccess(world);
      const running = world.start(json);
      const { finished, hasHit } = await strike(round, proxy, running, () => {
        disk.cutPower();
        running.child.kill('SIGKILL');
      });
      // Without that request, the power is cut right after the end of the run.
      if (!hasHit) disk.cutPower();
      round.count(hasHit ? 'power cuts' : 'power cuts after the end');
      disk.restart();
      judgeRun(round, world.sandbox, sending.sent, json, finished);
      if (!isLoginLost(world, issued)) continue;
      round.count('logins lost with an answer');
      if (wasUsed(world)) {
        round.failed('lost', 'the login: its token was used before it was flushed');
      }
      await loginWithToken(world);
    }
    await finish(round, world, sending);
  },
});
