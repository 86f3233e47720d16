import {
  amount,
  count,
  date,
  flag,
  list,
  object,
  openObject,
  sha256,
  text,
  texts,
  time,
  whole,
  word,
} from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { accepted, accountName, activity, outcomeCounts } from './shared.ts';

export const VERIFY = line('verify', {
  about: 'Whether a recording that the platform took became a workout.',
  commands: ['verify'],
  fields: {
    path: text('The file that was uploaded.'),
    sha256: sha256('SHA-256 of the recording.'),
    outcome: word('What the platform holds.', {
      present: 'it is a workout',
      pending: 'not a workout yet; the platform took it less than an hour ago',
      missing: 'not a workout: it could not be processed, or the workout was deleted',
      notKnown: 'the platform shows no recording that was sent from here',
    }),
    startedAt: time('Start of the recording.', 'the recording says so'),
    uploadedAt: time('When the platform took it.'),
    workoutId: text('Identifier of the workout.', 'the platform names it'),
    ...accepted,
    shortened: object('The workout.', 'it is shorter than the recording', {
      durationSecs: amount('s', 'Duration of the workout.', 'the platform shows it'),
      distanceMeters: amount('m', 'Distance of the workout.', 'the platform shows it'),
      isLeg: flag('Whether it is one leg of a recording with several.'),
    }),
  },
});

const VERIFY_SUMMARY = line('summary of verified uploads', {
  about: 'How many recordings had which outcome; the last line.',
  commands: ['verify'],
  fields: {
    total: count('All recordings.'),
    ...outcomeCounts(['present', 'missing', 'pending', 'notKnown']),
  },
});

/** The states of a recording that was sent. */
const SENT_STATES = {
  uploaded: 'the platform has it',
  refused: 'the platform refused it',
  waiting: 'begun, and not confirmed yet',
  undoing: '`sync undo upload` was interrupted: its workout may be removed',
  undone: 'its workout was removed from here',
  held: 'not sent: another recording of the same ride was (the setting `sameRide`)',
};

const UNDO = line('undo', {
  about: 'The outcome of an undo, for one recording.',
  commands: ['undo upload', 'seed --remove'],
  fields: {
    ...accountName,
    path: text('The file that was uploaded.'),
    sha256: sha256('SHA-256 of the recording.'),
    ...activity,
    outcome: word('What happened.', {
      undone: 'its workout was removed',
      'would-undo': '`--dry-run`: its workout would be removed',
      skipped: 'undone before',
      conflict: 'not undone, and another run would not change that',
      failed: 'not undone; the same command again continues',
    }),
    message: text('What happened, as words after the path.', '`sync undo upload` ran'),
    workoutId: text('Identifier of the removed workout.', '`outcome` is `undone`'),
    url: text('The address of the request; `ID` is the workout.', '`outcome` is `would-undo`'),
  },
});

const VERIFY_DAY = line('verify-day', {
  about: 'What the platform holds of a day that the platform took.',
  commands: ['verify --days'],
  fields: {
    kind: word('Kind of the record.', { wellness: 'wellness', nutrition: 'nutrition' }),
    date: date('The day.'),
    outcome: word('What the platform holds.', {
      present: 'what was sent',
      changed: 'something else',
      missing: 'nothing',
      unseen: 'the platform does not show it to applications',
    }),
    differs: texts('What is different or absent, each as words.'),
  },
});

const EXPLAIN = line('explain', {
  about: 'Why a file or a day is in its state.',
  commands: ['explain'],
  fields: {},
  by: ['subject', 'Subject of the question.'],
  variants: [
    variant('file', 'a file', {
      path: text('The file as the command line names it.'),
      sha256: sha256('SHA-256 of the recording, unpacked or converted.', 'it is a recording'),
      state: word('Its state.', {
        ...SENT_STATES,
        covered: 'GPX or TCX of a ride of which a recording was sent',
        new: 'never sent',
        unknown: 'not known: this profile never had a login, or the folder does not answer',
        'not-sent': 'not a recording that is sent',
      }),
      reason: text('Why, as a sentence.'),
      upload: object('Its entry in the record of sent data.', 'it was sent before', {
        sha256: sha256('SHA-256 of the recording, unpacked.'),
        path: text('The file that was sent last.'),
        ...activity,
        size: whole('bytes', 'Size of the recording, unpacked.'),
        state: word('State in the record of sent data.', {
          pending: 'may have been sent',
          confirmed: 'the platform has it',
          rejected: 'the platform refused it',
          undoing: 'perhaps removed: `sync undo upload` was interrupted',
          undone: 'removed by `sync undo upload`',
          held: 'not sent: another recording of the same ride was',
        }),
        attempts: count('Requests in all runs.'),
        refusals: count('Refusals since the platform last took it.'),
        changedAt: time('When the state changed.'),
        service: openObject("The platform's answer; empty if it said nothing."),
        message: text('Why the platform refused it.', 'it did'),
      }),
    }),
    variant('date', 'a day', {
      date: date('The day.'),
      zone: text('Time zone of recordings without their own offset.'),
      recordings: list('The recordings of activities that began on the day.', {
        path: text('The file that was sent last.'),
        sha256: sha256('SHA-256 of the recording, unpacked.'),
        ...activity,
        state: word('Its state.', SENT_STATES),
        reason: text('Why, as a sentence.'),
        changedAt: time('When the state changed.'),
      }),
      records: list('The records of the day.', {
        kind: word('Kind of the record.', { wellness: 'wellness', nutrition: 'nutrition' }),
        state: word('Its state.', {
          confirmed: 'the platform has it',
          undone: '`sync undo` removed it',
          waiting: 'the platform does not confirm it',
          refused: 'the platform refused it',
          unknown: 'never sent',
        }),
        reason: text('Why, as a sentence.'),
        changedAt: time('When the state changed.', 'it was sent before'),
        files: list('The files that it was sent from, the latest first.', {
          path: text('An absolute path, a path in an archive, or `stdin`.'),
          sentAt: time('When its values were last sent.'),
        }),
      }),
      silent: texts('Watched folders whose file system does not answer.', 'there are some'),
    }),
  ],
});

export const LEDGER_LINES = [VERIFY, VERIFY_SUMMARY, EXPLAIN, UNDO, VERIFY_DAY];
