import { amount, count, flag, list, object, text, time, word } from '../fields.ts';
export const FOLDER_STATES = {
  waiting: 'it is not there, such as a device that is not plugged in',
  watching: 'the system reports changes',
  silent: 'its file system does not answer',
  polling: 'it is searched from time to time',
};

export const DEVICE_STATES = {
  'plugged-in': 'it is there',
  away: 'it is not there',
};

/** What starts a watcher at every login of the user. */
export const OS_SERVICES = {
  systemd: 'kept running by systemd',
  launchd: 'kept running by launchd',
  'windows-task': 'kept running by the Task Scheduler',
};

/** What keeps recordings from being delivered. */
export const OBSTACLES = {
  offline: 'no connection to the platform',
  service: 'the platform answers with failures',
  keychain: 'the keychain is locked, or there is none',
  storage: "this machine's disk or database failed",
};

/** The state of a watcher, which it writes for `sync status` and monitors. */
export const HEALTH = {
  version: count("Version of the watcher's state file."),
  id: text('Identifier of the watcher.'),
  pid: count('Its process.'),
  profile: text('Name of the profile.'),
  kind: word('Who started it.', {
    terminal: 'started at a terminal',
    daemon: 'started by hand',
    ...OS_SERVICES,
  }),
  account: text('Key of the account in the record of sent data.', 'it is known'),
  running: flag('Whether it runs; false after a regular end.'),
  since: time('When it started.'),
  updatedAt: time('When it last wrote its state.'),
  folders: list('The folders.', {
    path: text('The folder.'),
    state: word('Its state.', FOLDER_STATES),
    reason: text('Why, as a sentence.', 'there is something to say'),
  }),
  devices: list(
    'Devices that are plugged in, and those that left with recordings.',
    'the watcher watches devices',
    {
      key: text('Identifies the device wherever it is mounted.'),
      title: text('Its name for people.'),
      state: word('Its state.', DEVICE_STATES),
      root: text('Where it is mounted.', 'it is there'),
      left: count('Recordings on it that are not sent.', 'it left with some'),
    },
  ),
  queue: object('Recordings to send, and incomplete files.', {
    waiting: count('Recordings to send, in-flight ones included.'),
    sending: count('Uploads in flight.'),
    kept: count('Recordings to send of which a copy is kept.'),
    unfinished: count('Files that are incomplete so far.'),
  }),
  days: object('The wellness of devices.', 'the watcher sends wellness', {
    sent: count('Wellness days that were sent since it started.'),
    waiting: count('Completed days that could not be sent yet.'),
  }),
  connection: object('The connection to the platform.', {
    state: word('What keeps recordings from being delivered, if anything does.', {
      ok: 'recordings are delivered',
      ...OBSTACLES,
    }),
    message: text('Why, as a sentence.', '`state` is not `ok`'),
    nextTryAt: time('When it tries again.', 'this is known'),
  }),
  login: object('The login.', {
    state: word('Its state.', { ok: 'it works', needed: 'only `sync login` helps' }),
    message: text('Why, as a sentence.', '`state` is `needed`'),
    refreshEndsAt: time('When the refresh token ends.', 'the platform says so'),
  }),
  ledger: text(
    'Why the record of what was sent cannot be used, as a sentence.',
    'it is damaged, deleted or replaced',
  ),
  lastSuccessAt: time('When the platform last took a recording.', 'it took one'),
  lastSweepAt: time('When all folders were last searched.', 'they were searched'),
  lastError: object('The last failure.', 'something failed', {
    at: time('When it happened.'),
    message: text('What failed, as a sentence.'),
  }),
  alive: flag('Whether its process lives.'),
  loginEndsInSecs: amount('s', 'Time until the refresh token ends.', 'the platform says so'),
};
