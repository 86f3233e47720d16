import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, stream } from '../../../src/seed/random.ts';
import { type LineFault, openBadLine } from '../bad-line.ts';
import { complete, perform } from '../completion.ts';
import { type ErrandName, newRecordings, prepare } from '../errands.ts';
import { judgeCargo } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import { NOTHING, judgeReport } from '../reports.ts';
import { openScene, openSceneBehind } from '../scene.ts';
import { untilCopied } from '../waits.ts';

const COMMANDS: readonly [ErrandName, ...ErrandName[]] = [
  'upload',
  'watch',
  'wellness',
  'nutrition',
  'nutrition changed',
  'undo',
  'profile',
  'import',
];

torture({
  name: 'silence',
  title: 'connections that fall silent for ever, at any byte',
  // Each takes the minute that the program gives a silent connection; all scenes wait together.
  rounds: { short: 1, full: 2 },
  run: async (round) => {
    // Each scene has its own stream of choices, since they take turns in any order.
    const scenes = [...COMMANDS, ...COMMANDS].map((errand) => ({
      errand,
      random: stream(round.random.uint32()),
    }));
    const commands = scenes.map(({ errand, random }) => playCommand(round, errand, random));
    await Promise.all([...commands, loseSources(round)]);
  },
});

async function playCommand(round: Round, errand: ErrandName, random: Random): Promise<void> {
  const { scene, line } = await openSceneBehind({ ...round, random }, openBadLine);
  const job = await prepare(errand, scene, random);
  const fault = silence(random);
  round.note(`${errand} ${scene.platform} ${JSON.stringify(fault)}`);
  line.script([fault]);
  await perform(scene, job);
  if (line.settle() > 0) round.count('faulted runs');
  await complete(scene, [job]);
}

function silence(random: Random): LineFault {
  const after = random.integer(0, 300);
  return random.pick<LineFault>([
    { what: 'stall', in: 'request', after, ms: Infinity },
    { what: 'stall', in: 'answer', after, ms: Infinity },
    { what: 'never-read', ms: Infinity },
  ]);
}

/** The service takes uploads and never answers. The watcher keeps copies, before the files and it are gone. */
async function loseSources(round: Round): Promise<void> {
  const scene = await openScene(round, { platform: 'coach-watts', program: true });
  const { world } = scene;
  const recordings = newRecordings(scene, round.random, 5);
  const card = join(world.home.dir, 'card');
  mkdirSync(card);
  world.sandbox.control.addFaults('upload-fit:hang*inf');
  const watcher = world.start(['watch', 'card', '--json']);
  await watcher.waitFor(/"event":"ready"/);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  await untilCopied(world, recordings.size);
  rmSync(card, { recursive: true });
  watcher.child.kill('SIGKILL');
  await watcher.finished;
  world.sandbox.control.clearFaults();
  mkdirSync(card);
  const args = ['watch', 'card', '--once', '--json'];
  judgeReport(scene, args.join(' '), await scene.run(args), { ...NOTHING, recordings });
  judgeCargo(round, world.sandbox, scene.cargo);
  round.count('recordings of a silent service', recordings.size);
}
