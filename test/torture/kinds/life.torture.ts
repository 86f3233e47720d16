import { torture } from '../kind.ts';
import { SESSION_MS, runSessions } from '../life/session.ts';

torture({
  name: 'life',
  title: 'random life of watched folders, with a service that fails',
  rounds: { short: 1, full: 2 },
  timeoutMs: SESSION_MS,
  run: async (round) => {
    await runSessions(round, [
      { service: false, watchers: false, folders: false },
      { service: false, watchers: false, folders: true },
      { service: false, watchers: false, folders: true },
      { service: true, watchers: false, folders: false },
      { service: true, watchers: false, folders: true },
    ]);
  },
});
