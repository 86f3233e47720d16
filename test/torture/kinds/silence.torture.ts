import { type Random, stream } from '../../../src/seed/random.ts';
import type { LineFault } from '../bad-line.ts';
import { complete, perform } from '../completion.ts';
import { type ErrandName, prepare } from '../errands.ts';
import { type Round, torture } from '../kind.ts';
import { openOnBadLine } from '../scene.ts';

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
  timeoutMs: 600_000,
  run: async (round) => {
    // Each scene has its own stream of choices, since they take turns in any order.
    const scenes = [...COMMANDS, ...COMMANDS].map((errand) => ({
      errand,
      random: stream(round.random.uint32()),
    }));
    await Promise.all(scenes.map(({ errand, random }) => playCommand(round, errand, random)));
  },
});

async function playCommand(round: Round, errand: ErrandName, random: Random): Promise<void> {
  const { scene, line } = await openOnBadLine(round, random);
  const job = await prepare(errand, scene, random);
  const fault = silence(random);
  round.note(`${errand} ${scene.revision} ${JSON.stringify(fault)}`);
  line.script([fault]);
  await perform(scene, job);
  if (line.settle() > 0) round.count('faulted runs');
  await complete(scene, [job]);
}

function silence(random: Random): LineFault {
  const after = random.integer(0, 300);
  return random.pick<LineFault>([
    { what: 'stall-request', after, ms: Infinity },
    { what: 'stall-answer', after, ms: Infinity },
    { what: 'never-read', ms: Infinity },
  ]);
}
