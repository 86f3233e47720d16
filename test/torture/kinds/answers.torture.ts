import { complete, perform } from '../completion.ts';
import { ERRAND_NAMES, prepare } from '../errands.ts';
import { openGateway } from '../gateway.ts';
import { bentAnswer, hostileAnswer } from '../hostile-answers.ts';
import { type Round, torture } from '../kind.ts';
import { openSceneBehind, relogIfEnded } from '../scene.ts';

const SCENES = 4;

/** Commands that only read, and the ones about the login. */
const READERS: readonly [readonly string[], ...(readonly string[])[]] = [
  ['profile'],
  ['profile', '--json'],
  ['workouts'],
  ['workouts', '--json'],
  ['verify'],
  ['status', '--check'],
  ['status', '--check', '--json'],
  ['doctor'],
];

const PATHS = [
  '/api',
  '/api/oauth',
  '/api/oauth/userinfo',
  '/api/profile',
  '/api/nutrition',
] as const;

torture({
  name: 'answers',
  title: 'hostile answers of the service, on every endpoint',
  rounds: { short: 16, full: 130 },
  run: async (round) => {
    for (let scene = 0; scene < SCENES; scene++) await answerStrangely(round);
    const polluted = Object.keys(Object.prototype);
    if (polluted.length > 0)
      round.failed('wrong report', `Object.prototype has ${polluted.join()}`);
  },
});

async function answerStrangely(round: Round): Promise<void> {
  const { random } = round;
  const { scene, line: gateway } = await openSceneBehind(round, openGateway, {
    // Elsewhere any success is believed.
    platform: 'coach-watts',
    stated: true,
    // The kind `refresh` judges lost answers after a rotation.
    settings: { refreshToken: 'keep' },
  });
  const job = await prepare(random.pick(ERRAND_NAMES), scene, random);
  const bent = random.chance(0.4);
  const answer = bent
    ? bentAnswer(random, scene.platform !== 'coach-watts')
    : hostileAnswer(random);
  const acts = bent || (!answer.refuses && random.chance(0.5));
  const which = random.chance(0.7) ? '/api' : random.pick(PATHS);
  let left = random.pick([1, 2, Infinity]);
  const skip = random.integer(0, 2);
  if (random.chance(0.3)) scene.world.sandbox.control.expire();
  round.note(
    `${which} ${answer.name}, ${left} times after ${skip}, ${acts ? 'acts' : 'does not act'}`,
  );
  let seen = 0;
  gateway.replace(({ path }) => {
    if (!path.startsWith(which) || seen++ < skip || left <= 0) return undefined;
    left--;
    return { acts, answer: answer.bytes };
  });
  await perform(scene, job);
  left = Infinity;
  await scene.run(random.pick(READERS));
  if (gateway.settle() > 0) round.count('faulted runs');
  gateway.replace(undefined);
  await relogIfEnded(scene);
  await complete(scene, [job]);
}
