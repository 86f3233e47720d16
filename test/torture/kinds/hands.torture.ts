import { type Finding, live } from '../../model/nutrition-life.ts';
import { type Failure, torture } from '../kind.ts';

/** Lives in a round, in this process. */
const LIVES = 50;
const STEPS = 20;
const FAILURES: Readonly<Record<Finding['kind'], Failure>> = {
  lost: 'lost',
  doubled: 'duplicated',
  returned: 'wrong report',
  erased: 'lost',
  untrue: 'wrong report',
};

torture({
  name: 'hands',
  title: 'nutrition from two computers, a program and the app at once',
  rounds: { short: 2, full: 40 },
  run: async (round) => {
    for (let number = 0; number < LIVES; number++) {
      const { platform, findings, story } = await live(round.random, number, STEPS);
      round.count('lives');
      for (const { kind, what } of findings) round.failed(FAILURES[kind], `${platform}: ${what}`);
      if (findings.length > 0) round.note(story.join('\n'));
    }
  },
});
