import { openLoggedInWorld } from '../../support/acceptance.ts';
import { makeRecording } from '../../support/fit-maker.ts';
import { judgeOutput, judgeRecordings } from '../judge.ts';
import { torture } from '../kind.ts';

torture({
  name: 'sample',
  title: 'a reset of the connection',
  rounds: { short: 2, full: 5 },
  timeoutMs: 9_000,
  run: async (round) => {
    const world = await openLoggedInWorld();
    const ride = makeRecording({ seed: round.random.uint32() });
    const path = world.write('ride.fit', ride);
    world.sandbox.control.addFaults('upload-fit:reset-after');
    const result = await world.sync(['upload', path]);
    round.note(`${String(result.code)} ${result.stderr}`);
    judgeOutput(round, 'upload', result);
    judgeRecordings(round, world.sandbox, new Map([['ride.fit', ride]]));
    round.count('runs');
  },
});
