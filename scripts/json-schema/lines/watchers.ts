import { count, flag, sha256, text, texts, time, whole, word } from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { DEVICE_STATES, FOLDER_STATES, OBSTACLES } from './health.ts';
import { INVALID_REASONS, errorCode } from './shared.ts';

const HINT = text('What to do or to type next.', 'there is something to do');
const MESSAGE = text('The problem as a sentence.');
const QUEUED = count('Recordings to send.');
const INCOMPLETE = count('Recordings of which a part is missing.', 'there are some');

const WATCH = line('watch', {
  about:
    'An event of a watcher. The outcome of a recording is an `upload` line, that of a day a `wellness` line.',
  commands: ['watch'],
  fields: { at: time('When it happened.', 'the watcher runs without `--once`') },
  by: ['event', 'What happened.'],
  variants: [
    variant('started', 'the watcher started', {
      folders: texts('The folders.'),
      devices: flag('True: every known device that is plugged in, too.', 'it is so'),
    }),
    variant('folder', 'the state of a folder changed', {
      folder: text('The folder.'),
      state: word('Its state.', FOLDER_STATES),
      reason: text('Why, as a sentence.', 'there is something to say'),
      left: count('Recordings on it that are not sent.', 'it was on a device that left with some'),
    }),
    variant('device', 'a known device was plugged in, or left', {
      device: text('Identifies the device wherever it is mounted.'),
      title: text('Its name for people.'),
      state: word('Its state.', DEVICE_STATES),
      root: text('Where it is mounted.', 'it is there'),
      left: count('Recordings on it that are not sent.', 'it left with some'),
    }),
    variant('device-ignored', 'a device was plugged in that the setting `ignoreDevices` names', {
      device: text('Identifies the device wherever it is mounted.'),
      title: text('Its name for people.'),
      root: text('Where it is mounted.'),
    }),
    variant('ready', 'every folder that is there is watched, and was searched once', {
      files: count('Files that were found.'),
      queued: QUEUED,
      incomplete: INCOMPLETE,
    }),
    variant('kept', 'a recording was copied that is on a device, or cannot be sent now', {
      path: text('The file.'),
      sha256: sha256('SHA-256 of the recording, unpacked.'),
    }),
    variant('not-copied', 'recordings cannot be copied, so they are sent one at a time without', {
      message: MESSAGE,
      hint: HINT,
    }),
    variant('many-copies', 'the copies that wait to be sent are larger than 1 GB', {
      folder: text('Where they are.'),
      copies: count('How many.'),
      bytes: whole('bytes', 'Their size.'),
    }),
    variant('unfinished', 'a file has been incomplete for long', {
      path: text('The file.'),
      reason: word('The problem.', INVALID_REASONS),
      detail: text('The reason as a sentence.'),
    }),
    variant('obstacle', 'nothing can be delivered now', {
      obstacle: word('What keeps recordings from being delivered.', OBSTACLES),
      message: MESSAGE,
      hint: HINT,
      queued: QUEUED,
    }),
    variant('delivering', 'recordings are delivered again', {}),
    variant('login-needed', 'nothing is sent until `sync login`', {
      code: errorCode(),
      message: MESSAGE,
      hint: HINT,
    }),
    variant('login-renewed', 'the login works again', {}),
    variant('login-ending', 'the login ends soon', {
      endsAt: time('When it ends.'),
      daysLeft: count('Days until then.'),
    }),
    variant('missing', 'a recording that the platform took an hour ago is not a workout', {
      path: text('The file.'),
      sha256: sha256('SHA-256 of the recording, unpacked.'),
      uploadedAt: time('When the platform took it.'),
    }),
    variant('unverified', 'this login cannot find out whether recordings became workouts', {
      message: MESSAGE,
      hint: HINT,
    }),
    variant('days-waiting', 'wellness days cannot be sent now', {
      code: errorCode(),
      message: MESSAGE,
      hint: HINT,
      days: count('Days that wait.'),
    }),
    variant('weights-left', 'no weight is sent: the scale has several users', {
      message: MESSAGE,
      hint: HINT,
    }),
    variant('values-left', 'measurements of wellness files are not sent: wrong values or times', {
      message: text('The first of them, why, and how many more, as a sentence.'),
    }),
    variant('kept-for-others', 'copies stay: of another account, or damaged', {
      copies: count('How many.'),
    }),
    variant('problem', 'something failed that stops nothing, such as reading a folder', {
      message: MESSAGE,
      path: text('The file or folder.', 'it is about one'),
    }),
    variant('stopped', 'the watcher ended', {
      uploaded: count('Recordings that the platform took.'),
      duplicate: count('Recordings that the platform had already.'),
      rejected: count('Recordings that the platform refused.'),
      days: count('Wellness days that the platform took.', 'the watcher sends wellness'),
      queued: QUEUED,
      incomplete: INCOMPLETE,
    }),
  ],
});

export const WATCHER_LINES = [WATCH];
