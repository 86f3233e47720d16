import * as f from '../fields.ts';
import { line } from '../line-kind.ts';
import { DEVICE_STATE, FOLDER_STATE, OBSTACLES } from './health.ts';
import { INVALID_REASONS, errorCode } from './shared.ts';

const MESSAGE = { message: f.text('The problem as a sentence.') };
const PROBLEM = {
  ...MESSAGE,
  hint: f.text('What to do or to type next.', 'there is something to do'),
};
const FAILURE = { code: errorCode(), ...PROBLEM };
const RECORDING = {
  path: f.text('The file.'),
  sha256: f.sha256('SHA-256 of the recording, unpacked.'),
};
const DEVICE = {
  device: f.text('Identifies the device wherever it is mounted.'),
  title: f.text('Its name for people.'),
};
const QUEUED = f.count('Recordings to send.');
const INCOMPLETE = f.count('Recordings of which a part is missing.', 'there are some');

const EVENTS = [
  f.variant('started', 'the watcher started', {
    folders: f.texts('The folders.'),
    devices: f.flag('True: every known device that is plugged in, too.', 'it is so'),
  }),
  f.variant('folder', 'the state of a folder changed', {
    folder: f.text('The folder.'),
    ...FOLDER_STATE,
    left: f.count('Recordings on it that are not sent.', 'it was on a device that left with some'),
  }),
  f.variant('device', 'a known device was plugged in, or left', { ...DEVICE, ...DEVICE_STATE }),
  f.variant('device-ignored', 'a device was plugged in that the setting `ignoreDevices` names', {
    ...DEVICE,
    root: f.text('Where it is mounted.'),
  }),
  f.variant('ready', 'every folder that is there is watched, and was searched once', {
    files: f.count('Files that were found.'),
    queued: QUEUED,
    leftOut: f.count('Files that `--new-only` leaves out from now on.', 'there are some'),
    incomplete: INCOMPLETE,
  }),
  f.variant('kept', 'a recording was copied that is on a device, or cannot be sent now', RECORDING),
  f.variant(
    'not-copied',
    'recordings cannot be copied, so they are sent one at a time without',
    PROBLEM,
  ),
  f.variant('many-copies', 'the copies that wait to be sent are larger than 1 GB', {
    folder: f.text('Where they are.'),
    copies: f.count('How many.'),
    bytes: f.bytes('Their size.'),
  }),
  f.variant('unfinished', 'a file has been incomplete for long', {
    path: f.text('The file.'),
    reason: f.word('The problem.', INVALID_REASONS),
    detail: f.text('The reason as a sentence.'),
  }),
  f.variant('obstacle', 'nothing can be delivered now', {
    obstacle: f.word('What keeps recordings from being delivered.', OBSTACLES),
    ...PROBLEM,
    queued: QUEUED,
  }),
  f.variant('delivering', 'recordings are delivered again', {}),
  f.variant('login-needed', 'nothing is sent until `sync login`', FAILURE),
  f.variant('login-renewed', 'the login works again', {}),
  f.variant('login-ending', 'the login ends soon', {
    endsAt: f.time('When it ends.'),
    daysLeft: f.count('Days until then.'),
  }),
  f.variant('missing', 'a recording that the platform took an hour ago is not a workout', {
    ...RECORDING,
    uploadedAt: f.time('When the platform took it.'),
  }),
  f.variant('unverified', 'this login cannot find out whether recordings became workouts', PROBLEM),
  f.variant('days-waiting', 'wellness days cannot be sent now', {
    ...FAILURE,
    days: f.count('Days that wait.'),
  }),
  f.variant('weights-left', 'no weight is sent: the scale has several users', PROBLEM),
  f.variant('values-left', 'measurements of wellness files are not sent: wrong values or times', {
    message: f.text('The first of them, why, and how many more, as a sentence.'),
  }),
  f.variant('kept-for-others', 'copies stay: of another account, or damaged', {
    copies: f.count('How many.'),
  }),
  f.variant('problem', 'something failed that stops nothing, such as reading a folder', {
    ...MESSAGE,
    path: f.text('The file or folder.', 'it is about one'),
  }),
  f.variant('stopped', 'the watcher ended', {
    uploaded: f.count('Recordings that the platform took.'),
    duplicate: f.count('Recordings that the platform had already.'),
    rejected: f.count('Recordings that the platform refused.'),
    days: f.count('Wellness days that the platform took.', 'the watcher sends wellness'),
    queued: QUEUED,
    incomplete: INCOMPLETE,
  }),
] as const;

export const WATCHER_LINES = {
  watch: line(
    'watch',
    'An event of a watcher. The outcome of a recording is an `upload` line, that of a day a `wellness` line.',
    {
      at: f.time('When it happened.', 'the watcher runs without `--once`'),
      event: f.variants('What happened.', EVENTS),
    },
  ),
};
