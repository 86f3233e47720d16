import { join } from 'node:path';
import type { Revision } from '../../../src/sandbox/settings.ts';
import { type CrashDisk, mountCrashDisk, whyNoCrashDisk } from '../../support/crash-disk.ts';
import { type World, expireAccess, loginWithToken } from '../../support/acceptance.ts';
import { type Round, torture } from '../kind.ts';
import { followTokens, isLoginLost, wasUsed } from '../login-state.ts';
import { type MomentProxy, MOMENTS } from '../moment-proxy.ts';
import { openBehindProxy } from '../proxied-world.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, type Sending, type SendingName } from '../sending.ts';
import { finish } from '../until-done.ts';

type Case = readonly [SendingName, Revision];
const COMMANDS: readonly [Case, ...Case[]] = [
  ['push nutrition', '2026-08'],
  ['upload', '2026-02'],
  ['push nutrition', '2026-02'],
  ['import', '2026-08'],
  ['push wellness', '2026-02'],
  ['undo nutrition', '2026-08'],
];

/** Configuration, ledger and login are on a disk that loses everything that was not flushed. */
torture({
  name: 'power',
  title: 'power cuts during a command',
  rounds: { short: 6, full: 36 },
  missing: whyNoCrashDisk,
  run: async (round) => {
    const [name, revision] = COMMANDS[(round.number - 1) % COMMANDS.length] ?? COMMANDS[0];
    const { world, proxy } = await openBehindProxy(revision);
    const disk = mountCrashDisk(join(world.home.dir, 'state'));
    await loginWithToken(world);
    const sending = await SENDING[name](world, round.random);
    round.note(`${name} on ${revision}`);
    const cuts = round.random.integer(1, 3);
    for (let cut = 1; cut <= cuts; cut++) await cutOnce(round, { world, proxy, disk }, sending);
    await finish(round, world, sending);
  },
});

interface Setting {
  readonly world: World;
  readonly proxy: MomentProxy;
  readonly disk: CrashDisk;
}

async function cutOnce(
  round: Round,
  { world, proxy, disk }: Setting,
  { args, sent }: Sending,
): Promise<void> {
  const { random } = round;
  const issued = followTokens();
  // The run begins with a refresh, which ends the stored refresh token if the service rotates it.
  if (random.chance(0.4)) expireAccess(world);
  const moment = random.pick(MOMENTS);
  const nth = random.integer(0, 6);
  const delayMs = moment === 'after the answer' ? random.integer(0, 25) : 0;
  round.note(`cut ${moment} ${nth}, ${delayMs} ms later`);
  const json = [...args, '--json'];
  const running = world.start(json);
  const hit = () => {
    disk.cutPower();
    running.child.kill('SIGKILL');
  };
  proxy.arm({ moment, nth, delayMs, hit });
  const finished = await running.finished;
  const hasHit = proxy.disarm();
  // Without that request, the power is cut right after the end of the run.
  if (!hasHit) disk.cutPower();
  round.count(hasHit ? 'power cuts' : 'power cuts after the end');
  disk.restart();
  judgeRun(round, world.sandbox, sent, json, finished);
  if (!isLoginLost(world, issued)) return;
  round.count('logins lost with an answer');
  if (wasUsed(world)) round.failed('lost', 'the login: its token was used before it was flushed');
  await loginWithToken(world);
}
