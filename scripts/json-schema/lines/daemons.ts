import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { HEALTH, OS_SERVICES } from './health.ts';
import { PROFILE } from './logins.ts';

const ID = f.text('Identifier of the daemon.');
const DEVICES = 'True: every known device that is plugged in, too.';
const SCOPE = {
  folders: f.texts('The folders, as absolute paths.'),
  devices: f.flag(DEVICES, 'it is so'),
};
const RUN = { pid: f.count('Its process.'), ...SCOPE, log: f.text('Its log file.') };

const INSTALLED = 'one is, or was, installed';
const INSTALLING = '`sync daemon install` prints the line';

export const DAEMON_LINES = {
  daemon: line('daemon status', 'A daemon of the profile; with `--all-profiles`, of any profile.', {
    id: ID,
    profile: PROFILE,
    running: f.flag('Whether it runs.'),
    kind: f.word('Who started it.', { daemon: 'started by hand', ...OS_SERVICES }),
    ...RUN,
    health: f.object('The state of its watcher.', 'it runs and has written it', HEALTH),
    startedAt: f.time('When it started.'),
    readyAt: f.time('When it began to watch.', 'it did'),
    ended: f.object('How it ended.', 'it ended and was not killed', {
      at: f.time('When it ended.'),
      exitCode: f.count('Its exit code.'),
      message: f.text('Why, as a sentence.', 'it was not stopped'),
    }),
  }),

  'summary of daemons': summary('daemon status', 'How many daemons there are', {
    total: f.count('All daemons of the profile; with `--all-profiles`, of every profile.'),
    running: f.count('Daemons that run.'),
    service: f.flag('Whether a service of the operating system is installed.'),
  }),

  service: line(
    'daemon status, daemon install, daemon uninstall',
    'The service of the operating system that keeps a daemon running.',
    {
      installed: f.flag('Whether it is installed.'),
      profile: f.text('Name of the profile.', INSTALLED),
      kind: f.word('Its kind.', INSTALLED, OS_SERVICES),
      name: f.text('Its name there.', INSTALLED),
      file: f.text('The file that defines it.', INSTALLED),
      folders: f.texts('The folders, as absolute paths.', INSTALLING),
      devices: f.flag(DEVICES, `it is so, and ${INSTALLING}`),
      watching: f.flag('Whether it watches already.', INSTALLING),
      log: f.text('Its log file.', INSTALLING),
      remarks: f.texts('What to know about it, as sentences.', INSTALLING),
      removed: f.flag('Whether one was removed.', '`sync daemon uninstall` prints the line'),
    },
  ),

  'daemon-started': line('watch --daemon', 'The daemon that was started and watches.', {
    id: ID,
    ...RUN,
  }),

  'daemon-stop': line('daemon stop', 'A daemon that was to be stopped.', {
    id: ID,
    profile: PROFILE,
    ...SCOPE,
    outcome: f.variants('What happened to it.', [
      f.variant('stopped', 'it ended', {
        pid: f.count('Its process.'),
        tookMs: f.ms('Time until it ended.'),
        killed: f.flag('True: it had to be killed.', 'it was'),
      }),
      f.variant('still-running', 'it was killed, and hangs in a system call', {
        pid: f.count('Its process.'),
        waitedMs: f.ms('Time that was waited.'),
      }),
      f.variant('out-of-reach', 'it cannot be stopped from here', {
        pid: f.count('Its process.', 'it is known'),
        why: f.text('Why.'),
      }),
    ]),
  }),

  'summary of stopped daemons': summary('daemon stop', 'How many daemons were stopped', {
    total: f.count('Daemons that were to be stopped.'),
    stopped: f.count('Daemons with the outcome `stopped`.'),
  }),

  log: line('daemon logs', 'A line of the log of a daemon.', {
    daemon: ID,
    line: f.text('The unchanged line of the log.'),
  }),
};
