import type { Revision } from '../../../src/sandbox/settings.ts';
import { type World, loginWithToken } from '../../support/world.ts';
import { type Round, torture } from '../kind.ts';
import { type MomentProxy, MOMENTS } from '../moment-proxy.ts';
import { openBehindProxy } from '../proxied-world.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, type Sending, type SendingName, undisturbed } from '../sending.ts';
import { finish } from '../until-done.ts';

type Case = readonly [SendingName, Revision];
const COMMANDS: readonly [Case, ...Case[]] = [
  ['push nutrition', '2026-08'],
  ['upload', '2026-02'],
  ['push nutrition', '2026-02'],
  ['undo nutrition', '2026-08'],
  ['push wellness', '2026-08'],
  ['push nutrition', '2026-07'],
  ['import', '2026-08'],
];

torture({
  name: 'moment',
  title: 'kill -9 at chosen moments of a request',
  rounds: { short: 7, full: 70 },
  run: async (round) => {
    const [name, revision] = COMMANDS[(round.number - 1) % COMMANDS.length] ?? COMMANDS[0];
    const { world, proxy } = await openBehindProxy(revision);
    await loginWithToken(world);
    const sending = await SENDING[name](undisturbed(world), round.random);
    round.note(`${name} on ${revision}`);
    const kills = round.random.integer(1, 4);
    for (let kill = 1; kill <= kills; kill++) await killOnce(round, world, proxy, sending);
    await finish(round, world, sending);
  },
});

async function killOnce(
  round: Round,
  world: World,
  proxy: MomentProxy,
  { args, sent }: Sending,
): Promise<void> {
  const { random } = round;
  const moment = random.pick(MOMENTS);
  // The earlier requests are always there; later ones reach further into the run.
  const nth = Math.min(random.integer(0, 6), random.integer(0, 6));
  // Some milliseconds are between an answer and its record in the ledger.
  const delayMs = moment === 'after the answer' ? random.integer(0, 25) : 0;
  round.note(`kill ${moment} ${nth}, ${delayMs} ms later`);
  const json = [...args, '--json'];
  const running = world.start(json);
  proxy.arm({ moment, nth, delayMs, hit: () => void running.child.kill('SIGKILL') });
  const finished = await running.finished;
  const hasHit = proxy.disarm();
  round.count(hasHit && finished.code === null ? 'kills' : 'runs without that request');
  judgeRun(round, world.sandbox, sent, json, finished);
}
