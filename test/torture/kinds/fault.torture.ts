import { complete, perform } from '../completion.ts';
import { ERRAND_NAMES, prepare, usualRoute } from '../errands.ts';
import { SERVICE_FAULTS, faultAt } from '../faults.ts';
import { type Round, torture } from '../kind.ts';
import { openScene } from '../scene.ts';

const SCENES = 8;
/** Coprime to the number of pairs, so that few rounds meet many commands and many faults. */
const STRIDE = 389;
const TIMES: readonly [string, ...string[]] = ['', '*2', '*inf'];

torture({
  name: 'fault',
  title: 'each fault of the service on each sending command',
  rounds: { short: 20, full: 150 },
  run: async (round) => {
    for (let index = 0; index < SCENES; index++) {
      await playPair(round, ((round.number - 1) * SCENES + index) * STRIDE);
    }
  },
});

/** Plays a pair of a command and a fault. All pairs have a number. */
async function playPair(round: Round, number: number): Promise<void> {
  const { random } = round;
  const errand = ERRAND_NAMES[number % ERRAND_NAMES.length] ?? 'upload';
  const faults = Math.floor(number / ERRAND_NAMES.length);
  const fault = SERVICE_FAULTS[faults % SERVICE_FAULTS.length] ?? '503';
  const scene = await openScene(round);
  const { control } = scene.world.sandbox;
  const job = await prepare(errand, scene, random);
  const route = usualRoute(job, random);
  const spec = `${route}:${faultAt(scene, route, fault, random.pick(TIMES))}+${random.chance(0.2) ? 1 : 0}`;
  round.note(`${errand} ${scene.platform} ${spec}`);
  control.clearRequests();
  control.addFaults(spec);
  await perform(scene, job);
  if (control.requests().some(({ faults: hit }) => hit.length > 0)) round.count('faulted runs');
  await complete(scene, [job]);
}
