import {
  type Words,
  count,
  date,
  list,
  object,
  openObject,
  sha256,
  text,
  time,
  word,
} from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { SHA256, activity, outcomeCounts } from './shared.ts';

const VERIFY: LineKind = {
  types: ['verify'],
  about: 'Whether a recording that the service took became a workout.',
  commands: ['verify'],
  fields: {
    path: text('The file that was uploaded.'),
    sha256: sha256('SHA-256 of the recording.'),
    outcome: word(
      {
        present: 'it is a workout',
        pending: 'not a workout yet; the service took it less than an hour ago',
        missing: 'not a workout: it could not be processed, or the workout was deleted',
      },
      'What the platform holds.',
    ),
    startedAt: time('Start of the recording.', 'the recording says so'),
    uploadedAt: time('When the service took it.'),
    workoutId: text('Identifier of the workout.', 'the service names it'),
  },
  examples: [
    {
      path: 'ride.fit',
      sha256: SHA256,
      outcome: 'present',
      startedAt: '2026-02-15T06:10:00.000Z',
      uploadedAt: '2026-02-15T08:02:11.402Z',
      workoutId: 'workout-17',
    },
  ],
};

const VERIFY_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'verified uploads',
  about: 'How many recordings had which outcome; the last line.',
  commands: ['verify'],
  fields: {
    total: count('All recordings.'),
    ...outcomeCounts('present', 'missing', 'pending'),
  },
  examples: [{ total: 12, present: 11, missing: 0, pending: 1 }],
};

/** The states of a recording that was sent. */
const SENT_STATES: Words = {
  uploaded: 'the service has it',
  refused: 'the service refused it',
  waiting: 'begun, and not confirmed yet',
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
                  confirmed: 'the service has it',
                  rejected: 'the service refused it',
                },
                'State in the ledger.',
              ),
              attempts: count('Requests in all runs.'),
              refusals: count('Refusals since the service last took it.'),
              changedAt: time('When the state changed.'),
              service: openObject("The service's answer; empty if it said nothing."),
              message: text('Why the service refused it.', 'it did'),
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
                  confirmed: 'the service has it',
                  waiting: 'the service does not confirm it',
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
  examples: [
    {
      subject: 'file',
      path: 'ride.fit',
      sha256: SHA256,
      upload: {
        sha256: SHA256,
        path: 'ride.fit',
        activity: { name: 'Morning ride', startedAt: '2026-02-15T07:10:00+01:00' },
        size: 273026,
        state: 'confirmed',
        attempts: 1,
        refusals: 0,
        changedAt: '2026-02-15T08:02:11.402Z',
        service: { state: 'queued', fitFileId: 'file-17' },
      },
      state: 'uploaded',
      reason: 'The service said that it has it.',
    },
    {
      subject: 'date',
      date: '2026-02-15',
      zone: 'Europe/Berlin',
      recordings: [
        {
          path: 'ride.fit',
          sha256: SHA256,
          activity: { name: 'Morning ride', startedAt: '2026-02-15T07:10:00+01:00' },
          state: 'uploaded',
          reason: 'The service confirmed it.',
          changedAt: '2026-02-15T08:02:11.402Z',
        },
      ],
      records: [
        {
          kind: 'wellness',
          state: 'confirmed',
          reason: 'The service took it.',
          changedAt: '2026-02-15T08:02:11.402Z',
          files: [
            {
              path: '/media/ada/GARMIN/GARMIN/Monitor/G2F55910.FIT',
              sentAt: '2026-02-15T08:02:11.402Z',
            },
          ],
        },
        { kind: 'nutrition', state: 'unknown', reason: 'Nothing was sent from here.', files: [] },
      ],
    },
  ],
};

export const LEDGER_LINES = [VERIFY, VERIFY_SUMMARY, EXPLAIN];
