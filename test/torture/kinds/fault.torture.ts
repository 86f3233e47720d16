import type { Revision } from '../../../src/sandbox/revisions.ts';
import { complete, perform } from '../completion.ts';
import { ERRANDS, ERRAND_NAMES } from '../errands.ts';
import { SERVICE_FAULTS } from '../faults.ts';
import { torture } from '../kind.ts';
import { openScene } from '../scene.ts';

const REVISIONS: readonly [Revision, ...Revision[]] = ['2026-08', '2026-07', '2026-02'];
const TIMES: readonly [string, ...string[]] = ['', '*2', '*inf'];

torture({
  name: 'fault',
  title: 'one kind of fault of the service, on one sending command',
  rounds: { short: 20, full: 240 },
  timeoutMs: 120_000,
  run: async (round) => {
    const { random } = round;
    // Each round takes the next command and the next fault: all of them meet.
    const errand = ERRAND_NAMES[round.number % ERRAND_NAMES.length] ?? 'upload';
    for (let index = 0; index < 4; index++) {
      const scene = await openScene(round, {
        revision: random.pick(REVISIONS),
        readsNutrition: random.chance(0.5),
      });
      const { control } = scene.world.sandbox;
      const job = await ERRANDS[errand](scene, random);
      const fault = SERVICE_FAULTS[(round.number * 4 + index) % SERVICE_FAULTS.length] ?? '503';
      const spec = `${random.pick(job.routes)}:${fault}${random.pick(TIMES)}+${random.integer(0, 1)}`;
      round.note(`${errand} ${scene.revision} ${spec}`);
      control.clearRequests();
      control.addFaults(spec);
      await perform(scene, job);
      if (control.requests().some(({ faults }) => faults.length > 0)) round.count('faulted runs');
      await complete(scene, [job]);
    }
  },
});
