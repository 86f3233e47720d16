import { torture } from '../kind.ts';
import { SESSION_MS, runSessions } from '../life/session.ts';

torture({
  name: 'life-kills',
  title: 'the same while watchers are killed, stopped and frozen',
  rounds: { short: 1, full: 2 },
  timeoutMs: SESSION_MS,
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
