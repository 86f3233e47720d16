import { type Shape, count, flag, object, sha256, text, texts, time, word } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { HEALTH_EXAMPLE, watcher } from './health.ts';
import { ERROR_CODE } from './shared.ts';

const HINT = text('What to do or to type next.', 'there is something to do');
const MESSAGE = text('The problem as a sentence.');
const QUEUED = count('Recordings to send.');
const HAPPENED_AT = '2026-02-15T08:02:11.402Z';

const WATCH: LineKind = {
  types: ['watch'],
  about: 'An event of a watcher. The outcome of a recording is an `upload` line.',
  commands: ['watch'],
  fields: { at: time('When it happened.', 'the watcher runs without `--once`') },
  variants: {
    by: 'event',
    about: 'What happened.',
    each: [
      {
        is: { started: 'the watcher started' },
        fields: { folders: texts('The folders.') },
      },
      {
        is: { folder: 'the state of a folder changed' },
        fields: {
          folder: text('The folder.'),
          state: word(
            {
              waiting: 'it is not there, such as a device that is not plugged in',
              watching: 'the system reports changes',
              polling: 'it is searched from time to time',
            },
            'Its state.',
          ),
          reason: text('Why, as a sentence.', 'there is something to say'),
        },
      },
      {
        is: { ready: 'every folder that is there is watched, and was searched once' },
        fields: { files: count('Files that were found.'), queued: QUEUED },
      },
      {
        is: { kept: 'a copy of the recording is kept until the service has it' },
        fields: { path: text('The file.'), sha256: sha256('SHA-256 of the recording, unpacked.') },
      },
      {
        is: { unfinished: 'a file has been incomplete for long' },
        fields: {
          path: text('The file.'),
          reason: word(
            {
              'not-fit': 'no FIT file',
              incomplete: 'the end of the file is missing',
              corrupt: 'the content is damaged',
              'not-an-activity': 'a FIT file of another kind',
              unreadable: 'the file cannot be read',
            },
            'The problem.',
          ),
          detail: text('The reason as a sentence.'),
        },
      },
      {
        is: { obstacle: 'nothing can be delivered now' },
        fields: {
          obstacle: word(
            {
              offline: 'no connection to the service',
              service: 'the service answers with failures',
              keychain: 'the keychain is locked, or there is none',
              storage: "this machine's disk or database failed",
            },
            'What keeps recordings from being delivered.',
          ),
          message: MESSAGE,
          hint: HINT,
          queued: QUEUED,
        },
      },
      { is: { delivering: 'recordings are delivered again' }, fields: {} },
      {
        is: { 'login-needed': 'nothing is sent until `sync login`' },
        fields: { code: ERROR_CODE, message: MESSAGE, hint: HINT },
      },
      { is: { 'login-renewed': 'the login works again' }, fields: {} },
      {
        is: { 'login-ending': 'the login ends soon' },
        fields: { endsAt: time('When it ends.'), daysLeft: count('Days until then.') },
      },
      {
        is: { missing: 'a recording that the service took an hour ago is not a workout' },
        fields: {
          path: text('The file.'),
          sha256: sha256('SHA-256 of the recording, unpacked.'),
          uploadedAt: time('When the service took it.'),
        },
      },
      {
        is: { unverified: 'this login cannot find out whether recordings became workouts' },
        fields: { message: MESSAGE, hint: HINT },
      },
      {
        is: { problem: 'something failed that stops nothing, such as reading a folder' },
        fields: { message: MESSAGE, path: text('The file or folder.', 'it is about one') },
      },
      { is: { stopped: 'the watcher ended' }, fields: { queued: QUEUED } },
    ],
  },
  examples: [
    { event: 'started', folders: ['/home/ada/rides'], at: HAPPENED_AT },
    { event: 'folder', folder: '/home/ada/rides', state: 'watching', at: HAPPENED_AT },
    { event: 'ready', files: 12, queued: 1, at: HAPPENED_AT },
    {
      event: 'kept',
      path: '/home/ada/rides/ride.fit',
      sha256: 'a1f5c7c1e1e87b6c4b9c0a2f7f5a3f4d8e9b0c1d2e3f405162738495a6b7c8d9',
      at: HAPPENED_AT,
    },
    {
      event: 'unfinished',
      path: '/home/ada/rides/ride.fit',
      reason: 'incomplete',
      detail: 'The last 1024 bytes are missing.',
      at: HAPPENED_AT,
    },
    {
      event: 'obstacle',
      obstacle: 'offline',
      message: 'No connection to training.example.com.',
      queued: 1,
      at: HAPPENED_AT,
    },
    { event: 'delivering', at: HAPPENED_AT },
    {
      event: 'login-needed',
      code: 'AUTH_EXPIRED',
      message: 'The service no longer accepts the login.',
      hint: 'Run `sync login`.',
      at: HAPPENED_AT,
    },
    { event: 'login-renewed', at: HAPPENED_AT },
    {
      event: 'login-ending',
      endsAt: '2026-02-18T08:02:11.402Z',
      daysLeft: 3,
      at: HAPPENED_AT,
    },
    {
      event: 'missing',
      path: '/home/ada/rides/ride.fit',
      sha256: 'a1f5c7c1e1e87b6c4b9c0a2f7f5a3f4d8e9b0c1d2e3f405162738495a6b7c8d9',
      uploadedAt: '2026-02-15T07:00:00.000Z',
      at: HAPPENED_AT,
    },
    {
      event: 'unverified',
      message: 'The login lacks the scope workout:read.',
      hint: 'Run `sync login --scope "workout:write workout:read"` and approve it.',
      at: HAPPENED_AT,
    },
    {
      event: 'problem',
      message: 'The folder cannot be read: permission denied.',
      path: '/home/ada/rides/private',
      at: HAPPENED_AT,
    },
    { event: 'stopped', queued: 0, at: HAPPENED_AT },
  ],
};

const DAEMON_ID: Shape = { id: text('Identifier of the daemon.') };
const FOLDERS: Shape = { folders: texts('The folders, as absolute paths.') };
const LOG: Shape = { log: text('Its log file.') };
const KINDS = {
  systemd: 'kept running by systemd',
  launchd: 'kept running by launchd',
  'windows-task': 'kept running by the Task Scheduler',
};

const DAEMON: LineKind = {
  types: ['daemon'],
  about: 'A daemon of the profile.',
  commands: ['daemon status'],
  fields: {
    ...DAEMON_ID,
    profile: text('Name of the profile.'),
    running: flag('Whether it runs.'),
    kind: word({ daemon: 'started by hand', ...KINDS }, 'Who started it.'),
    pid: count('Its process.'),
    ...FOLDERS,
    ...LOG,
    health: watcher('The state of its watcher.', 'it runs and has written it'),
    startedAt: time('When it started.'),
    readyAt: time('When it began to watch.', 'it did'),
    ended: object(
      {
        at: time('When it ended.'),
        exitCode: count('Its exit code.'),
        message: text('Why, as a sentence.', 'it was not stopped'),
      },
      'How it ended.',
      'it ended and was not killed',
    ),
  },
  examples: [
    {
      id: '0f1e2d3c4b5a6978',
      profile: 'default',
      running: true,
      kind: 'daemon',
      pid: 4242,
      folders: ['/home/ada/rides'],
      log: '/home/ada/.local/state/sync/watch/daemons/0f1e2d3c4b5a6978/daemon.log',
      health: HEALTH_EXAMPLE,
      startedAt: '2026-02-15T07:00:00.000Z',
      readyAt: '2026-02-15T07:00:01.000Z',
    },
  ],
};

const DAEMON_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'daemons',
  about: 'How many daemons there are; the last line.',
  commands: ['daemon status'],
  fields: {
    total: count('All daemons of the profile.'),
    running: count('Daemons that run.'),
    service: flag('Whether a service of the operating system is installed.'),
  },
  examples: [{ total: 1, running: 1, service: false }],
};

const DAEMON_STARTED: LineKind = {
  types: ['daemon-started'],
  about: 'The daemon that was started and watches.',
  commands: ['watch --daemon'],
  fields: { ...DAEMON_ID, pid: count('Its process.'), ...FOLDERS, ...LOG },
  examples: [
    {
      id: '0f1e2d3c4b5a6978',
      pid: 4242,
      folders: ['/home/ada/rides'],
      log: '/home/ada/.local/state/sync/watch/daemons/0f1e2d3c4b5a6978/daemon.log',
    },
  ],
};

const DAEMON_STOP: LineKind = {
  types: ['daemon-stop'],
  about: 'A daemon that was to be stopped.',
  commands: ['daemon stop'],
  fields: { ...DAEMON_ID, ...FOLDERS },
  variants: {
    by: 'outcome',
    about: 'What happened to it.',
    each: [
      {
        is: { stopped: 'it ended' },
        fields: {
          pid: count('Its process.'),
          tookMs: count('Time until it ended.', undefined, 'ms'),
          killed: flag('True: it had to be killed.', 'it was'),
        },
      },
      {
        is: { 'still-running': 'it was killed, and hangs in a system call' },
        fields: {
          pid: count('Its process.'),
          waitedMs: count('Time that was waited.', undefined, 'ms'),
        },
      },
      {
        is: { 'out-of-reach': 'it cannot be stopped from here' },
        fields: {
          pid: count('Its process.', 'it is known'),
          why: text('Why.'),
        },
      },
    ],
  },
  examples: [
    {
      id: '0f1e2d3c4b5a6978',
      folders: ['/home/ada/rides'],
      outcome: 'stopped',
      pid: 4242,
      tookMs: 104,
    },
    {
      id: '0f1e2d3c4b5a6978',
      folders: ['/home/ada/rides'],
      outcome: 'still-running',
      pid: 4242,
      waitedMs: 10_000,
    },
    {
      id: '0f1e2d3c4b5a6978',
      folders: ['/home/ada/rides'],
      outcome: 'out-of-reach',
      pid: 4242,
      why: 'it belongs to another user',
    },
  ],
};

const STOP_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'stopped daemons',
  about: 'How many daemons were stopped; the last line.',
  commands: ['daemon stop'],
  fields: {
    total: count('Daemons that were to be stopped.'),
    stopped: count('Daemons with the outcome `stopped`.'),
  },
  examples: [{ total: 1, stopped: 1 }],
};

const LOG_LINE: LineKind = {
  types: ['log'],
  about: 'A line of the log of a daemon.',
  commands: ['daemon logs'],
  fields: {
    daemon: text('Identifier of the daemon.'),
    line: text('The unchanged line of the log.'),
  },
  examples: [
    { daemon: '0f1e2d3c4b5a6978', line: '2026-02-15 08:02:11  Watching /home/ada/rides.' },
  ],
};

const INSTALLED = 'one is, or was, installed';
const INSTALLING = '`sync daemon install` prints the line';

const SERVICE: LineKind = {
  types: ['service'],
  about: 'The service of the operating system that keeps a daemon running.',
  commands: ['daemon status', 'daemon install', 'daemon uninstall'],
  fields: {
    installed: flag('Whether it is installed.'),
    kind: word(KINDS, 'Its kind.', INSTALLED),
    name: text('Its name there.', INSTALLED),
    file: text('The file that defines it.', INSTALLED),
    folders: texts('The folders, as absolute paths.', INSTALLING),
    watching: flag('Whether it watches already.', INSTALLING),
    log: text('Its log file.', INSTALLING),
    remarks: texts('What to know about it, as sentences.', INSTALLING),
    removed: flag('Whether one was removed.', '`sync daemon uninstall` prints the line'),
  },
  examples: [
    {
      installed: true,
      kind: 'systemd',
      name: 'athlete-sync-default.service',
      file: '/home/ada/.config/systemd/user/athlete-sync-default.service',
    },
    { installed: false, removed: false },
  ],
};

export const WATCHER_LINES = [
  WATCH,
  DAEMON,
  DAEMON_SUMMARY,
  SERVICE,
  DAEMON_STARTED,
  DAEMON_STOP,
  STOP_SUMMARY,
  LOG_LINE,
];
