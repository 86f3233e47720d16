import { torture } from '../kind.ts';
import { runSessions } from '../life/session.ts';

torture({
  name: 'life',
  title: 'random life of watched folders, with a service that fails',
  rounds: { short: 1, full: 2 },
  run: async (round) => {
    await runSessions(round, [[], ['folders'], ['folders'], ['service'], ['service', 'folders']]);
  },
});
