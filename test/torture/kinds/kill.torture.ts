import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Revision } from '../../../src/sandbox/settings.ts';
import { stream } from '../../../src/seed/random.ts';
import { type World, openLoggedInWorld } from '../../support/acceptance.ts';
import { type Round, torture } from '../kind.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, type Sending, type SendingName, undisturbed } from '../sending.ts';
import { finish } from '../until-done.ts';

type Case = readonly [SendingName, Revision];

/** Each sending command, on each revision that differs for it. The first ones are in the short form. */
const COMMANDS: readonly [Case, ...Case[]] = [
  ['push nutrition', '2026-08'],
  ['upload', '2026-08'],
  ['push nutrition', '2026-02'],
  ['import', '2026-08'],
  ['push wellness', '2026-02'],
  ['push nutrition', '2026-07'],
  ['undo nutrition', '2026-08'],
  ['import', '2026-02'],
  ['profile', '2026-08'],
  ['push wellness', '2026-08'],
  ['upload', '2026-02'],
];

/** The seed repeats the share of the run after which a kill comes; the system decides what it hits. */
torture({
  name: 'kill',
  title: 'kill -9 at random moments of a command',
  rounds: { short: 11, full: 77 },
  run: async (round) => {
    const [name, revision] = COMMANDS[(round.number - 1) % COMMANDS.length] ?? COMMANDS[0];
    const duration = await usualDuration(name, revision);
    const world = await open(revision);
    const sending = await SENDING[name](undisturbed(world), round.random);
    round.note(`${name} on ${revision}`);
    const kills = round.random.integer(1, 5);
    for (let kill = 1; kill <= kills; kill++) await killOnce(round, world, sending, duration);
    await finish(round, world, sending);
  },
});

async function open(revision: Revision): Promise<World> {
  const world = await openLoggedInWorld({ revision });
  // Most of a short run is the start of the process: slow answers prolong the rest.
  world.sandbox.control.addFaults('any:delay=25ms*inf');
  return world;
}

async function killOnce(
  round: Round,
  world: World,
  { args, sent }: Sending,
  duration: number,
): Promise<void> {
  const delay = round.random.between(0.25, 0.85) * duration;
  const json = [...args, '--json'];
  const running = world.start(json);
  await Promise.race([sleep(delay), running.finished]);
  running.child.kill('SIGKILL');
  const finished = await running.finished;
  round.note(`kill after ${Math.round(delay)} of ${Math.round(duration)} ms`);
  round.count(finished.code === null ? 'kills' : 'kills that came too late');
  judgeRun(round, world.sandbox, sent, json, finished);
}

const durations = new Map<string, number>();

/** Measures an undisturbed run once (ms). */
async function usualDuration(name: SendingName, revision: Revision): Promise<number> {
  const known = durations.get(name);
  if (known !== undefined) return known;
  const world = await open(revision);
  const { args } = await SENDING[name](undisturbed(world), stream(1, name));
  const began = performance.now();
  await world.program(args);
  const duration = performance.now() - began;
  durations.set(name, duration);
  return duration;
}
