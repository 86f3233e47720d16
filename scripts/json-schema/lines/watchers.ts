import { count, flag, sha256, text, texts, time, word } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { DEVICE_STATES, FOLDER_STATES, OBSTACLES } from './health.ts';
import { ERROR_CODE, INVALID_REASONS } from './shared.ts';

const HINT = text('What to do or to type next.', 'there is something to do');
const MESSAGE = text('The problem as a sentence.');
const QUEUED = count('Recordings to send.');

const WATCH: LineKind = {
  types: ['watch'],
  about:
    'An event of a watcher. The outcome of a recording is an `upload` line, that of a day a `wellness` line.',
  commands: ['watch'],
  fields: { at: time('When it happened.', 'the watcher runs without `--once`') },
  variants: {
    by: 'event',
    about: 'What happened.',
    each: [
      {
        is: { started: 'the watcher started' },
        fields: {
          folders: texts('The folders.'),
          devices: flag('True: every known device that is plugged in, too.', 'it is so'),
        },
      },
      {
        is: { folder: 'the state of a folder changed' },
        fields: {
          folder: text('The folder.'),
          state: word(FOLDER_STATES, 'Its state.'),
          reason: text('Why, as a sentence.', 'there is something to say'),
          left: count(
            'Recordings on it that are not sent.',
            'it was on a device that left with some',
          ),
        },
      },
      {
        is: { device: 'a known device was plugged in, or left' },
        fields: {
          device: text('Identifies the device wherever it is mounted.'),
          title: text('Its name for people.'),
          state: word(DEVICE_STATES, 'Its state.'),
          root: text('Where it is mounted.', 'it is there'),
          left: count('Recordings on it that are not sent.', 'it left with some'),
        },
      },
      {
        is: { 'device-ignored': 'a device was plugged in that the setting `ignoreDevices` names' },
        fields: {
          device: text('Identifies the device wherever it is mounted.'),
          title: text('Its name for people.'),
          root: text('Where it is mounted.'),
        },
      },
      {
        is: { ready: 'every folder that is there is watched, and was searched once' },
        fields: { files: count('Files that were found.'), queued: QUEUED },
      },
      {
        is: { kept: 'a copy of the recording is kept until the platform has it' },
        fields: { path: text('The file.'), sha256: sha256('SHA-256 of the recording, unpacked.') },
      },
      {
        is: { unfinished: 'a file has been incomplete for long' },
        fields: {
          path: text('The file.'),
          reason: word(INVALID_REASONS, 'The problem.'),
          detail: text('The reason as a sentence.'),
        },
      },
      {
        is: { obstacle: 'nothing can be delivered now' },
        fields: {
          obstacle: word(OBSTACLES, 'What keeps recordings from being delivered.'),
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
        is: { missing: 'a recording that the platform took an hour ago is not a workout' },
        fields: {
          path: text('The file.'),
          sha256: sha256('SHA-256 of the recording, unpacked.'),
          uploadedAt: time('When the platform took it.'),
        },
      },
      {
        is: { unverified: 'this login cannot find out whether recordings became workouts' },
        fields: { message: MESSAGE, hint: HINT },
      },
      {
        is: { 'days-waiting': 'wellness days cannot be sent now' },
        fields: {
          code: ERROR_CODE,
          message: MESSAGE,
          hint: HINT,
          days: count('Days that wait.'),
        },
      },
      {
        is: { 'weights-left': 'no weight is sent: the scale has several users' },
        fields: { message: MESSAGE, hint: HINT },
      },
      {
        is: { 'values-left': 'measurements of wellness files are not sent: wrong values or times' },
        fields: { message: text('The first of them, why, and how many more, as a sentence.') },
      },
      {
        is: { 'kept-for-others': 'copies stay in the stash: of another account, or damaged' },
        fields: { copies: count('How many.') },
      },
      {
        is: { problem: 'something failed that stops nothing, such as reading a folder' },
        fields: { message: MESSAGE, path: text('The file or folder.', 'it is about one') },
      },
      {
        is: { stopped: 'the watcher ended' },
        fields: {
          uploaded: count('Recordings that the platform took.'),
          duplicate: count('Recordings that the platform had already.'),
          rejected: count('Recordings that the platform refused.'),
          days: count('Wellness days that the platform took.', 'the watcher sends wellness'),
          queued: QUEUED,
        },
      },
    ],
  },
};

export const WATCHER_LINES = [WATCH];
