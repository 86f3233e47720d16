import {
  type When,
  count,
  flag,
  list,
  object,
  sha256,
  text,
  texts,
  time,
  whole,
  word,
} from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { INVALID_REASONS, accountName, activity, failure, itemCounts } from './shared.ts';

/** The recording that was read. */
function recording<TWhen extends When = undefined>(when?: TWhen) {
  return {
    sha256: sha256('SHA-256 of the recording, unpacked.', when),
    size: whole('bytes', 'Size of the recording, unpacked.', when),
  };
}

function attempts<TWhen extends When = undefined>(when?: TWhen) {
  return {
    attempts: count('Requests of this run that were to change it, repetitions included.', when),
  };
}

export const UPLOAD = line('upload', {
  about: 'The outcome of one recording.',
  commands: ['upload', 'import', 'watch', 'seed'],
  fields: {
    path: text(
      'The file as the command line names it, or the path of a file in a folder of the command line.',
    ),
    at: time('When it happened.', '`sync watch` runs without `--once`'),
    ...accountName,
  },
  by: ['outcome', 'What happened to the recording.'],
  variants: [
    variant(
      { uploaded: 'the platform took it', duplicate: 'the platform had it already' },
      {
        ...activity,
        ...recording(),
        ...attempts(),
        service: object("The platform's answer.", {
          state: text('How far the platform is, such as `queued`.', 'the platform says so'),
          fitFileId: text("The platform's identifier of the file.", 'the platform names it'),
          workoutId: text('Identifier of the workout.', 'the platform names it'),
          jobId: text('Identifier of the processing.', 'the platform names it'),
        }),
        note: text('The effect of `--name`, or on another workout.', 'there is more to say'),
        sameRideAs: list(
          'Recordings of the same ride that were sent before: at most 50.',
          '`outcome` is `uploaded`, and there are any',
          { path: text('The file.'), sentAt: time('When the platform took it.') },
        ),
      },
    ),
    variant(
      {
        covered: 'not sent: GPX or TCX of a ride of which recordings, or workouts, have all of it',
        held: 'not sent: another recording of the ride was (the setting `sameRide`)',
      },
      {
        by: texts('Their files, or titles of workouts; empty if it was held before.'),
        sha256: sha256('SHA-256 of the recording, converted.'),
      },
    ),
    variant('skipped', 'not sent, and nothing is wrong with that', {
      reason: word('Why.', {
        'already-uploaded': 'the platform confirmed it before',
        'not-an-activity':
          'a FIT file of another kind, found in a folder; a GPX or TCX file of another kind',
        'before-since': 'it began before the day of `--since`',
        undoing: '`sync undo upload` was interrupted: the same command finishes it',
        undone: '`sync undo upload` removed it; `--force` sends it again',
        shorter:
          'a longer recording with its start and file identifier was sent; `--force` replaces its workout',
        'refused-before': 'the platform refused it; `sync watch` waits before it retries',
      }),
      sha256: sha256('SHA-256 of the recording, unpacked.', 'it was read'),
      detail: text('The reason as a sentence.', 'there is more to say'),
      wellness: flag('`sync push wellness` sends what it holds.', 'it does'),
    }),
    variant('invalid', 'not sent: it cannot be used', {
      reason: word('Why.', {
        ...INVALID_REASONS,
        'not-an-activity': 'a FIT file of another kind, named on the command line',
      }),
      detail: text('The reason as a sentence.'),
      wellness: flag('`sync push wellness` sends what it holds.', 'it does'),
      hint: text('What to type next.', 'there is a command that may help'),
    }),
    variant('rejected', 'the platform refused it for good', {
      status: count('HTTP status.', 'the status was the refusal'),
      message: text('What the platform said, as a sentence.'),
      ...activity,
      ...recording(),
      ...attempts(),
    }),
    variant('failed', 'not delivered; the same command again continues', {
      ...failure(),
      ...activity,
      ...recording('it was read'),
      ...attempts('a request was made'),
    }),
    variant('would-upload', '`--dry-run`: it would be sent', {
      ...activity,
      ...recording(),
      request: object('The request.', {
        method: word('The HTTP method.', { POST: 'sends' }),
        url: text('The address.'),
        parts: list('The parts of the multipart body.', {
          name: text('Name of the part.'),
          value: text('The text.', 'the part is a text'),
          filename: text('The file name.', 'the part is the file'),
          size: whole('bytes', 'Size of the file.', 'the part is the file'),
          sha256: sha256('SHA-256 of the file.', 'the part is the file'),
        }),
      }),
    }),
  ],
});

const UPLOAD_SUMMARY = line('summary of uploads', {
  about: 'How many files had which outcome; the last line.',
  commands: ['upload', 'watch --once'],
  fields: {
    total: count('All files.'),
    ...itemCounts('recording'),
    zip: count('Zip archives in folders, which are not opened.', 'a folder holds one'),
    days: count('Wellness days that were sent, or would be.', '`sync watch` found one'),
  },
});

export const UPLOAD_LINES = [UPLOAD, UPLOAD_SUMMARY];
