import * as f from '../fields.ts';

/** The state of a folder that is watched. */
export const FOLDER_STATE = {
  state: f.word('Its state.', {
    waiting: 'it is not there, such as a device that is not plugged in',
    watching: 'the system reports changes',
    silent: 'its file system does not answer',
    polling: 'it is searched from time to time',
  }),
  reason: f.text('Why, as a sentence.', 'there is something to say'),
};

/** The state of a device that is watched. */
export const DEVICE_STATE = {
  state: f.word('Its state.', { 'plugged-in': 'it is there', away: 'it is not there' }),
  root: f.text('Where it is mounted.', 'it is there'),
  left: f.count('Recordings on it that are not sent.', 'it left with some'),
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
  version: f.count("Version of the watcher's state file."),
  id: f.text('Identifier of the watcher.'),
  pid: f.count('Its process.'),
  profile: f.text('Name of the profile.'),
  kind: f.word('Who started it.', {
    terminal: 'started at a terminal',
    daemon: 'started by hand',
    ...OS_SERVICES,
  }),
  account: f.text('Key of the account in the record of sent data.', 'it is known'),
  running: f.flag('Whether it runs; false after a regular end.'),
  since: f.time('When it started.'),
  updatedAt: f.time('When it last wrote its state.'),
  folders: f.list('The folders.', { path: f.text('The folder.'), ...FOLDER_STATE }),
  devices: f.list(
    'Devices that are plugged in, and those that left with recordings.',
    'the watcher watches devices',
    {
      key: f.text('Identifies the device wherever it is mounted.'),
      title: f.text('Its name for people.'),
      ...DEVICE_STATE,
    },
  ),
  queue: f.object('Recordings to send, and incomplete files.', {
    waiting: f.count('Recordings to send, in-flight ones included.'),
    sending: f.count('Uploads in flight.'),
    kept: f.count('Recordings to send of which a copy is kept.'),
    unfinished: f.count('Files that are incomplete so far.'),
  }),
  days: f.object('The wellness of devices.', 'the watcher sends wellness', {
    sent: f.count('Wellness days that were sent since it started.'),
    waiting: f.count('Completed days that could not be sent yet.'),
  }),
  connection: f.object('The connection to the platform.', {
    state: f.word('What keeps recordings from being delivered, if anything does.', {
      ok: 'recordings are delivered',
      ...OBSTACLES,
    }),
    message: f.text('Why, as a sentence.', '`state` is not `ok`'),
    nextTryAt: f.time('When it tries again.', 'this is known'),
  }),
  login: f.object('The login.', {
    state: f.word('Its state.', { ok: 'it works', needed: 'only `sync login` helps' }),
    message: f.text('Why, as a sentence.', '`state` is `needed`'),
    refreshEndsAt: f.time(
      'When the login ends: its refresh token or, if later, its access token.',
      'the platform says so',
    ),
  }),
  ledger: f.text(
    'Why the record of what was sent cannot be used, as a sentence.',
    'it is damaged, deleted or replaced',
  ),
  lastSuccessAt: f.time('When the platform last took a recording.', 'it took one'),
  lastSweepAt: f.time('When all folders were last searched.', 'they were searched'),
  lastError: f.object('The last failure.', 'something failed', {
    at: f.time('When it happened.'),
    message: f.text('What failed, as a sentence.'),
  }),
  alive: f.flag('Whether its process lives.'),
  stopped: f.flag(
    'Whether its process is stopped (Ctrl-Z, SIGSTOP), so that it sends nothing; known on Linux.',
  ),
  loginEndsInSecs: f.amount(
    's',
    'Time until `refreshEndsAt`; negative after that.',
    'the platform says so',
  ),
};
