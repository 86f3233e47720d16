import {
  type Shape,
  type Words,
  amount,
  count,
  flag,
  list,
  object,
  text,
  time,
  word,
} from '../fields.ts';

export const FOLDER_STATES: Words = {
  waiting: 'it is not there, such as a device that is not plugged in',
  watching: 'the system reports changes',
  silent: 'its file system does not answer',
  polling: 'it is searched from time to time',
};

export const DEVICE_STATES: Words = {
  'plugged-in': 'it is there',
  away: 'it is not there',
};

/** What starts a watcher at every login of the user. */
export const OS_SERVICES: Words = {
  systemd: 'kept running by systemd',
  launchd: 'kept running by launchd',
  'windows-task': 'kept running by the Task Scheduler',
};

/** What keeps recordings from being delivered. */
export const OBSTACLES: Words = {
  offline: 'no connection to the platform',
  service: 'the platform answers with failures',
  keychain: 'the keychain is locked, or there is none',
  storage: "this machine's disk or database failed",
};

/** The state of a watcher, which it writes for `sync status` and monitors. */
export const HEALTH: Shape = {
  version: count("Version of the watcher's state file."),
  id: text('Identifier of the watcher.'),
  pid: count('Its process.'),
  profile: text('Name of the profile.'),
  kind: word(
    { terminal: 'started at a terminal', daemon: 'started by hand', ...OS_SERVICES },
    'Who started it.',
  ),
  account: text('Key of the account in the ledger.', 'it is known'),
  running: flag('Whether it runs; false after a regular end.'),
  since: time('When it started.'),
  updatedAt: time('When it last wrote its state.'),
  folders: list(
    {
      path: text('The folder.'),
      state: word(FOLDER_STATES, 'Its state.'),
      reason: text('Why, as a sentence.', 'there is something to say'),
    },
    'The folders.',
  ),
  devices: list(
    {
      key: text('Identifies the device wherever it is mounted.'),
      title: text('Its name for people.'),
      state: word(DEVICE_STATES, 'Its state.'),
      root: text('Where it is mounted.', 'it is there'),
      left: count('Recordings on it that are not sent.', 'it left with some'),
    },
    'Devices that are plugged in, and those that left with recordings.',
    'the watcher watches devices',
  ),
  queue: object(
    {
      waiting: count('Recordings to send, in-flight ones included.'),
      sending: count('Uploads in flight.'),
      kept: count('Recordings to send of which a copy is kept.'),
      unfinished: count('Files that are incomplete so far.'),
    },
    'Recordings to send, and incomplete files.',
  ),
  days: object(
    {
      sent: count('Wellness days that were sent since it started.'),
      waiting: count('Completed days that could not be sent yet.'),
    },
    'The wellness of devices.',
    'the watcher sends wellness',
  ),
  connection: object(
    {
      state: word(
        { ok: 'recordings are delivered', ...OBSTACLES },
        'What keeps recordings from being delivered, if anything does.',
      ),
      message: text('Why, as a sentence.', '`state` is not `ok`'),
      nextTryAt: time('When it tries again.', 'this is known'),
    },
    'The connection to the platform.',
  ),
  login: object(
    {
      state: word({ ok: 'it works', needed: 'only `sync login` helps' }, 'Its state.'),
      message: text('Why, as a sentence.', '`state` is `needed`'),
      refreshEndsAt: time('When the refresh token ends.', 'the platform says so'),
    },
    'The login.',
  ),
  ledger: text(
    'Why the record of what was sent cannot be used, as a sentence.',
    'it is damaged, deleted or replaced',
  ),
  lastSuccessAt: time('When the platform last took a recording.', 'it took one'),
  lastSweepAt: time('When all folders were last searched.', 'they were searched'),
  lastError: object(
    { at: time('When it happened.'), message: text('What failed, as a sentence.') },
    'The last failure.',
    'something failed',
  ),
  alive: flag('Whether its process lives.'),
  loginEndsInSecs: amount('s', 'Time until the refresh token ends.', 'the platform says so'),
};
