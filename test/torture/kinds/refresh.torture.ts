import { type World, expireAccess, filesHolding, tokenFile } from '../../support/acceptance.ts';
import { type BadLine, type LineFault, openBadLine } from '../bad-line.ts';
import { complete, perform } from '../completion.ts';
import { type ErrandName, type Job, prepare } from '../errands.ts';
import { SERVICE_FAULTS, lineFault } from '../faults.ts';
import { type Round, torture } from '../kind.ts';
import { type Scene, openSceneBehind } from '../scene.ts';

/** One round in this many starts several processes at once; the scheduler decides which one refreshes. */
const PROCESSES_EVERY = 8;
const PROCESSES = 3;
const COMMANDS: readonly [ErrandName, ...ErrandName[]] = [
  'upload',
  'wellness',
  'nutrition',
  'profile',
];

torture({
  name: 'refresh',
  title: 'expired access tokens, and faults of the refresh',
  rounds: { short: 30, full: 240 },
  run: async (round) => {
    const { random } = round;
    const rotates = random.chance(0.6);
    const open = (world: World) => openBadLine(world, '/api/oauth/token');
    const { scene, line } = await openSceneBehind(round, open, {
      // `profile` shows whether the login lives.
      platform: 'coach-watts',
      program: round.number % PROCESSES_EVERY === 0,
      settings: {
        refreshToken: rotates ? 'rotate' : random.pick(['keep', 'omit']),
        reuseRevokesFamily: random.chance(0.5),
      },
    });
    const job = await prepare(random.pick(COMMANDS), scene, random);
    if (random.chance(0.5)) expireAccess(scene.world);
    else scene.world.sandbox.control.expire();
    await refreshUnderFaults(round, scene, line, job, rotates);
  },
});

async function refreshUnderFaults(
  round: Round,
  scene: Scene,
  line: BadLine,
  job: Job,
  rotates: boolean,
): Promise<void> {
  const { random } = round;
  const { control } = scene.world.sandbox;
  control.clearRequests();
  const disturbance = disturb(round, scene, line);
  round.note(`${rotates ? 'rotates' : 'does not rotate'}: ${disturbance.text}`);
  const count = round.number % PROCESSES_EVERY === 0 ? PROCESSES : 1;
  await Promise.all([
    perform(scene, job),
    ...Array.from({ length: count - 1 }, () => scene.run(['profile', '--json'])),
  ]);
  const refreshes = control.requests({ route: 'token' });
  if (line.settle() > 0 || refreshes.some(({ faults }) => faults.length > 0)) {
    round.count('faulted runs');
  }
  // A fault of the service may come after it acted; a fault of the line always may.
  const acted = refreshes.filter(({ status, faults }) =>
    faults.length === 0 ? status === 200 : faults.some((spec) => ACTS.test(spec)),
  ).length;
  round.count('refreshes', acted);
  if (!disturbance.spoils && acted > 1) {
    round.failed('duplicated', `${acted} refreshes for one expired token`);
  }
  control.clearFaults();
  const mayBeLost = rotates && disturbance.spoils && acted > 0;
  const after = await scene.run(['profile', '--json']);
  if (after.code === 4) {
    round.count('logins lost with an answer');
    if (!mayBeLost) round.failed('lost', 'the login, although no answer was lost after a rotation');
    if (!/sync login/.test(after.stdout))
      round.failed('wrong report', `no way out: ${after.stdout}`);
  } else if (after.code !== 0) {
    round.failed('wrong report', `profile ends with ${String(after.code)} without any fault`);
  } else {
    if (random.chance(0.5)) control.expire();
    await complete(scene, [job]);
  }
  const { home } = scene.world;
  const leaks = filesHolding(home.dir, ['sbx_at_', 'sbx_rt_', 'sbx_code_']);
  for (const leak of leaks) {
    if (!leak.startsWith(tokenFile(scene.world)))
      round.failed('wrong report', `a token in ${leak}`);
  }
}

/** Faults of the service that come after it issued tokens. */
const ACTS = /after\b(?!=)|reset-mid|close-mid|truncate|delay/;
/** Faults that lose nothing of an answer. */
const HARMLESS: readonly LineFault['what'][] = ['drip', 'double'];

interface Disturbance {
  readonly text: string;
  /** Whether the answer to a refresh may be lost. */
  readonly spoils: boolean;
}

function disturb(round: Round, scene: Scene, line: BadLine): Disturbance {
  const { random } = round;
  if (random.chance(0.1)) return { text: 'nothing', spoils: false };
  if (random.chance(0.5)) {
    const fault = lineFault(random);
    const times = random.pick([1, 1, 2, 10]);
    line.script(Array.from({ length: times }, () => fault));
    return {
      text: `${times} times ${JSON.stringify(fault)}`,
      spoils: !HARMLESS.includes(fault.what),
    };
  }
  const kind = random.pick(SERVICE_FAULTS);
  // The service says so itself: the login has ended.
  const fault = kind.includes('invalid_grant') ? '400(error=invalid_client)' : kind;
  const spec = `refresh:${fault}${random.pick(['', '', '*2', '*inf'])}`;
  scene.world.sandbox.control.addFaults(spec);
  return { text: spec, spoils: ACTS.test(fault) && !fault.startsWith('delay') };
}
