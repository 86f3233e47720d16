import { count, flag, object, text, texts, time, whole, word } from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { HEALTH, OS_SERVICES } from './health.ts';

const DAEMON_ID = { id: text('Identifier of the daemon.') };
const PROFILE = { profile: text('Name of the profile.') };
const DEVICES = 'True: every known device that is plugged in, too.';
const SCOPE = {
  folders: texts('The folders, as absolute paths.'),
  devices: flag(DEVICES, 'it is so'),
};
const LOG = { log: text('Its log file.') };
const DAEMON = line('daemon', {
  about: 'A daemon of the profile; with `--all-profiles`, of any profile.',
  commands: ['daemon status'],
  fields: {
    ...DAEMON_ID,
    ...PROFILE,
    running: flag('Whether it runs.'),
    kind: word('Who started it.', { daemon: 'started by hand', ...OS_SERVICES }),
    pid: count('Its process.'),
    ...SCOPE,
    ...LOG,
    health: object('The state of its watcher.', 'it runs and has written it', HEALTH),
    startedAt: time('When it started.'),
    readyAt: time('When it began to watch.', 'it did'),
    ended: object('How it ended.', 'it ended and was not killed', {
      at: time('When it ended.'),
      exitCode: count('Its exit code.'),
      message: text('Why, as a sentence.', 'it was not stopped'),
    }),
  },
});

const DAEMON_SUMMARY = line('summary of daemons', {
  about: 'How many daemons there are; the last line.',
  commands: ['daemon status'],
  fields: {
    total: count('All daemons of the profile; with `--all-profiles`, of every profile.'),
    running: count('Daemons that run.'),
    service: flag('Whether a service of the operating system is installed.'),
  },
});

const DAEMON_STARTED = line('daemon-started', {
  about: 'The daemon that was started and watches.',
  commands: ['watch --daemon'],
  fields: { ...DAEMON_ID, pid: count('Its process.'), ...SCOPE, ...LOG },
});

const DAEMON_STOP = line('daemon-stop', {
  about: 'A daemon that was to be stopped.',
  commands: ['daemon stop'],
  fields: { ...DAEMON_ID, ...PROFILE, ...SCOPE },
  by: ['outcome', 'What happened to it.'],
  variants: [
    variant('stopped', 'it ended', {
      pid: count('Its process.'),
      tookMs: whole('ms', 'Time until it ended.'),
      killed: flag('True: it had to be killed.', 'it was'),
    }),
    variant('still-running', 'it was killed, and hangs in a system call', {
      pid: count('Its process.'),
      waitedMs: whole('ms', 'Time that was waited.'),
    }),
    variant('out-of-reach', 'it cannot be stopped from here', {
      pid: count('Its process.', 'it is known'),
      why: text('Why.'),
    }),
  ],
});

const STOP_SUMMARY = line('summary of stopped daemons', {
  about: 'How many daemons were stopped; the last line.',
  commands: ['daemon stop'],
  fields: {
    total: count('Daemons that were to be stopped.'),
    stopped: count('Daemons with the outcome `stopped`.'),
  },
});

const LOG_LINE = line('log', {
  about: 'A line of the log of a daemon.',
  commands: ['daemon logs'],
  fields: {
    daemon: text('Identifier of the daemon.'),
    line: text('The unchanged line of the log.'),
  },
});

const INSTALLED = 'one is, or was, installed';
const INSTALLING = '`sync daemon install` prints the line';

const SERVICE = line('service', {
  about: 'The service of the operating system that keeps a daemon running.',
  commands: ['daemon status', 'daemon install', 'daemon uninstall'],
  fields: {
    installed: flag('Whether it is installed.'),
    profile: text('Name of the profile.', INSTALLED),
    kind: word('Its kind.', INSTALLED, OS_SERVICES),
    name: text('Its name there.', INSTALLED),
    file: text('The file that defines it.', INSTALLED),
    folders: texts('The folders, as absolute paths.', INSTALLING),
    devices: flag(DEVICES, `it is so, and ${INSTALLING}`),
    watching: flag('Whether it watches already.', INSTALLING),
    log: text('Its log file.', INSTALLING),
    remarks: texts('What to know about it, as sentences.', INSTALLING),
    removed: flag('Whether one was removed.', '`sync daemon uninstall` prints the line'),
  },
});

export const DAEMON_LINES = [
  DAEMON,
  DAEMON_SUMMARY,
  SERVICE,
  DAEMON_STARTED,
  DAEMON_STOP,
  STOP_SUMMARY,
  LOG_LINE,
];
