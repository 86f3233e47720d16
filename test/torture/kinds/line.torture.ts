import { openBadLine } from '../bad-line.ts';
import { complete, perform } from '../completion.ts';
import { ERRAND_NAMES, prepare } from '../errands.ts';
import { lineFault } from '../faults.ts';
import { type Round, torture } from '../kind.ts';
import { openSceneBehind } from '../scene.ts';

const SCENES = 8;
/** More requests than any command here makes. */
const FOR_EVER = 200;

torture({
  name: 'line',
  title: 'a line that breaks at any byte, on each sending command',
  rounds: { short: 16, full: 120 },
  run: async (round) => {
    for (let index = 0; index < SCENES; index++) {
      await playCommand(round, (round.number - 1) * SCENES + index);
    }
  },
});

async function playCommand(round: Round, number: number): Promise<void> {
  const { random } = round;
  const errand = ERRAND_NAMES[number % ERRAND_NAMES.length] ?? 'upload';
  const { scene, line } = await openSceneBehind(round, openBadLine, {
    // What answers in its place names no run of the sandbox, whose kind would have to be asked again.
    stated: true,
  });
  const job = await prepare(errand, scene, random);
  if (random.chance(0.1)) {
    round.note(`${errand} ${scene.platform} refused`);
    await line.refuse();
    await perform(scene, job);
    round.count('faulted runs');
    await line.accept();
  } else {
    const fault = lineFault(random);
    const times = random.pick([1, 2, FOR_EVER]);
    round.note(`${errand} ${scene.platform} ${JSON.stringify(fault)} ${times} times`);
    line.script(Array.from({ length: times }, () => fault));
    await perform(scene, job);
    if (line.settle() > 0) round.count('faulted runs');
  }
  await complete(scene, [job]);
}
