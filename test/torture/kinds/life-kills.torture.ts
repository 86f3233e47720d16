import { torture } from '../kind.ts';
import { runSessions } from '../life/session.ts';

torture({
  name: 'life-kills',
  title: 'the same while watchers are killed, stopped and frozen',
  rounds: { short: 1, full: 2 },
  run: async (round) => {
    await runSessions(round, [
      { service: false, watchers: true, folders: false },
      { service: false, watchers: true, folders: true },
      { service: true, watchers: true, folders: false },
      { service: true, watchers: true, folders: false },
      { service: true, watchers: true, folders: true },
    ]);
  },
});
