import { torture } from '../kind.ts';
import { runSessions } from '../life/session.ts';

torture({
  name: 'life-kills',
  title: 'the same while watchers are killed, stopped and frozen',
  rounds: { short: 1, full: 2 },
  run: async (round) => {
    await runSessions(round, [
      ['watchers'],
      ['watchers', 'folders'],
      ['watchers', 'service'],
      ['watchers', 'service'],
      ['watchers', 'service', 'folders'],
    ]);
  },
});
