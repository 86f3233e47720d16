import {
  type Words,
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
  word,
} from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { accepted, accountName, activity, outcomeCounts } from './shared.ts';

const VERIFY: LineKind = {
  types: ['verify'],
  about: 'Whether a recording that the platform took became a workout.',
  commands: ['verify'],
  fields: {
    path: text('The file that was uploaded.'),
    sha256: sha256('SHA-256 of the recording.'),
    outcome: word(
      {
        present: 'it is a workout',
        pending: 'not a workout yet; the platform took it less than an hour ago',
        missing: 'not a workout: it could not be processed, or the workout was deleted',
      },
      'What the platform holds.',
    ),
    startedAt: time('Start of the recording.', 'the recording says so'),
    uploadedAt: time('When the platform took it.'),
    workoutId: text('Identifier of the workout.', 'the platform names it'),
    ...accepted,
    shortened: object(
      {
        durationSecs: amount('s', 'Duration of the workout.', 'the platform shows it'),
        distanceMeters: amount('m', 'Distance of the workout.', 'the platform shows it'),
        isLeg: flag('Whether it is one leg of a recording with several.'),
      },
      'The workout.',
      'it is shorter than the recording',
    ),
  },
};

const VERIFY_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'verified uploads',
  about: 'How many recordings had which outcome; the last line.',
  commands: ['verify'],
  fields: {
    total: count('All recordings.'),
    ...outcomeCounts(['present', 'missing', 'pending']),
  },
};

/** The states of a recording that was sent. */
const SENT_STATES: Words = {
  uploaded: 'the platform has it',
  refused: 'the platform refused it',
  waiting: 'begun, and not confirmed yet',
  undoing: '`sync undo upload` was interrupted: its workout may be removed',
  undone: 'its workout was removed from here',
};

const UNDO: LineKind = {
  types: ['undo'],
  about: 'What became of a recording that is to be taken back.',
  commands: ['undo upload', 'seed --remove'],
  fields: {
    ...accountName,
    path: text('The file that was uploaded.'),
    sha256: sha256('SHA-256 of the recording.'),
    ...activity,
    outcome: word(
      {
        undone: 'its workout was removed',
        'would-undo': '`--dry-run`: its workout would be removed',
        skipped: 'taken back before',
        conflict: 'not taken back, and another run would not change that',
        failed: 'not taken back; the same command again continues',
      },
      'What happened.',
    ),
    message: text('What happened, as words after the path.', '`sync undo upload` ran'),
    workoutId: text('Identifier of the removed workout.', '`outcome` is `undone`'),
    url: text('The address of the request; `ID` is the workout.', '`outcome` is `would-undo`'),
  },
};

const VERIFY_DAY: LineKind = {
  types: ['verify-day'],
  about: 'What the platform holds of a day that the platform took.',
  commands: ['verify --days'],
  fields: {
    kind: word({ wellness: 'wellness', nutrition: 'nutrition' }, 'Kind of the record.'),
    date: date('The day.'),
    outcome: word(
      {
        present: 'what was sent',
        changed: 'something else',
        missing: 'nothing',
        unseen: 'the platform does not show it to applications',
      },
      'What the platform holds.',
    ),
    differs: texts('What is different or absent, each as words.'),
  },
};

const EXPLAIN: LineKind = {
  types: ['explain'],
  about: 'Why a file or a day is in its state.',
  commands: ['explain'],
  fields: {},
  variants: {
    by: 'subject',
    about: 'Subject of the question.',
    each: [
      {
        is: { file: 'a file' },
        fields: {
          path: text('The file as the command line names it.'),
          sha256: sha256('SHA-256 of the recording, unpacked.', 'it is a FIT file'),
          state: word(
            {
              ...SENT_STATES,
              new: 'never sent',
              unknown: 'not known: this profile never had a login',
              'not-sent': 'not a recording that is sent',
            },
            'Its state.',
          ),
          reason: text('Why, as a sentence.'),
          upload: object(
            {
              sha256: sha256('SHA-256 of the recording, unpacked.'),
              path: text('The file that was sent last.'),
              ...activity,
              size: count('Size of the recording, unpacked.', undefined, 'bytes'),
              state: word(
                {
                  pending: 'may have been sent',
                  confirmed: 'the platform has it',
                  rejected: 'the platform refused it',
                  undoing: 'perhaps taken back: `sync undo upload` was interrupted',
                  undone: 'taken back from here',
                },
                'State in the ledger.',
              ),
              attempts: count('Requests in all runs.'),
              refusals: count('Refusals since the platform last took it.'),
              changedAt: time('When the state changed.'),
              service: openObject("The platform's answer; empty if it said nothing."),
              message: text('Why the platform refused it.', 'it did'),
            },
            'The row of the ledger.',
            'it was sent before',
          ),
        },
      },
      {
        is: { date: 'a day' },
        fields: {
          date: date('The day.'),
          zone: text('Time zone of recordings without their own offset.'),
          recordings: list(
            {
              path: text('The file that was sent last.'),
              sha256: sha256('SHA-256 of the recording, unpacked.'),
              ...activity,
              state: word(SENT_STATES, 'Its state.'),
              reason: text('Why, as a sentence.'),
              changedAt: time('When the state changed.'),
            },
            'The recordings of activities that began on the day.',
          ),
          records: list(
            {
              kind: word({ wellness: 'wellness', nutrition: 'nutrition' }, 'Kind of the record.'),
              state: word(
                {
                  confirmed: 'the platform has it',
                  undone: '`sync undo` took it back',
                  waiting: 'the platform does not confirm it',
                  unknown: 'never sent',
                },
                'Its state.',
              ),
              reason: text('Why, as a sentence.'),
              changedAt: time('When the state changed.', 'it was sent before'),
              files: list(
                {
                  path: text('An absolute path, a path in an archive, or `stdin`.'),
                  sentAt: time('When its values were last sent.'),
                },
                'The files that it was sent from, the latest first.',
              ),
            },
            'The records of the day.',
          ),
        },
      },
    ],
  },
};

export const LEDGER_LINES = [VERIFY, VERIFY_SUMMARY, EXPLAIN, UNDO, VERIFY_DAY];
