import {
  type Shape,
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
import { accountName, failure, outcomeCount } from './shared.ts';

const SHA256 = 'a1f5c7c1e1e87b6c4b9c0a2f7f5a3f4d8e9b0c1d2e3f405162738495a6b7c8d9';
const URL = 'https://training.example.com/api/workouts/upload-fit';

/** The recording that was read. */
function recording(when?: string): Shape {
  return {
    sha256: sha256('SHA-256 of the recording, unpacked.', when),
    size: count('Size of the recording, unpacked.', when, 'bytes'),
  };
}

function attempts(when?: string): Shape {
  return { attempts: count('Requests that this run made for it.', when) };
}

const UPLOAD: LineKind = {
  types: ['upload'],
  about: 'The outcome of one recording.',
  commands: ['upload', 'watch', 'seed'],
  fields: {
    path: text(
      'The file as the command line names it, or the path of a file in a folder of the command line.',
    ),
    at: time('When it happened.', '`sync watch` runs without `--once`'),
    ...accountName,
  },
  variants: {
    by: 'outcome',
    about: 'What happened to the recording.',
    each: [
      {
        is: { uploaded: 'the service took it', duplicate: 'the service had it already' },
        fields: {
          ...recording(),
          ...attempts(),
          service: object(
            {
              state: text('How far the service is, such as `queued`.', 'the service says so'),
              fitFileId: text("The service's identifier of the file.", 'the service names it'),
              workoutId: text('Identifier of the workout.', 'the service names it'),
              jobId: text('Identifier of the processing.', 'the service names it'),
            },
            "The service's answer.",
          ),
          note: text('What of the request the service ignored.', 'it ignored something'),
        },
      },
      {
        is: { skipped: 'not sent, and nothing is wrong with that' },
        fields: {
          reason: word(
            {
              'already-uploaded': 'the service confirmed it before',
              'not-an-activity': 'a FIT file of another kind, found in a folder',
              'refused-before': 'the service refused it; `sync watch` waits before it retries',
            },
            'Why.',
          ),
          sha256: sha256('SHA-256 of the recording, unpacked.', 'it was read'),
          detail: text('The reason as a sentence.', 'there is more to say'),
        },
      },
      {
        is: { invalid: 'not sent: it cannot be used' },
        fields: {
          reason: word(
            {
              'not-fit': 'no FIT file',
              incomplete: 'the end of the file is missing',
              corrupt: 'the content is damaged',
              'not-an-activity': 'a FIT file of another kind, named on the command line',
              unreadable: 'the file cannot be read',
            },
            'Why.',
          ),
          detail: text('The reason as a sentence.'),
        },
      },
      {
        is: { rejected: 'the service refused it for good' },
        fields: {
          status: count('HTTP status.', 'the status was the refusal'),
          message: text('What the service said, as a sentence.'),
          ...recording(),
          ...attempts(),
        },
      },
      {
        is: { failed: 'not delivered; the same command again continues' },
        fields: { ...failure(), ...recording('it was read'), ...attempts('a request was made') },
      },
      {
        is: { 'would-upload': '`--dry-run`: it would be sent' },
        fields: {
          ...recording(),
          request: object(
            {
              method: word({ POST: 'sends' }, 'The HTTP method.'),
              url: text('The address.'),
              parts: list(
                {
                  name: text('Name of the part.'),
                  value: text('The text.', 'the part is a text'),
                  filename: text('The file name.', 'the part is the file'),
                  size: count('Size of the file.', 'the part is the file', 'bytes'),
                  sha256: sha256('SHA-256 of the file.', 'the part is the file'),
                },
                'The parts of the multipart body.',
              ),
            },
            'The request.',
          ),
        },
      },
    ],
  },
  examples: [
    {
      path: 'ride.fit',
      outcome: 'uploaded',
      service: { state: 'queued', fitFileId: 'file-17' },
      sha256: SHA256,
      size: 273026,
      attempts: 1,
    },
    {
      path: 'rides/ride.fit',
      outcome: 'skipped',
      reason: 'already-uploaded',
      sha256: SHA256,
    },
    {
      path: 'ride.fit',
      outcome: 'invalid',
      reason: 'incomplete',
      detail: 'The last 1024 bytes are missing.',
    },
    {
      path: 'ride.fit',
      outcome: 'rejected',
      message: 'No records in the file',
      sha256: SHA256,
      size: 273026,
      attempts: 1,
    },
    {
      path: 'ride.fit',
      outcome: 'failed',
      code: 'SERVICE_UNAVAILABLE',
      message: 'training.example.com answered 503.',
      hint: 'The same command again continues; --verbose shows each request.',
      sha256: SHA256,
      size: 273026,
      attempts: 5,
    },
    {
      path: 'ride.fit',
      outcome: 'would-upload',
      sha256: SHA256,
      size: 273026,
      request: {
        method: 'POST',
        url: URL,
        parts: [
          { name: 'file', filename: 'ride.fit', size: 273026, sha256: SHA256 },
          { name: 'metadata', value: '{"name":"Morning Ride"}' },
        ],
      },
    },
  ],
};

const UPLOAD_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'uploads',
  about: 'How many files had which outcome; the last line.',
  commands: ['upload', 'watch --once'],
  fields: {
    total: count('All files.'),
    uploaded: outcomeCount('uploaded'),
    duplicate: outcomeCount('duplicate'),
    skipped: outcomeCount('skipped'),
    invalid: outcomeCount('invalid'),
    rejected: outcomeCount('rejected'),
    failed: outcomeCount('failed'),
    'would-upload': outcomeCount('would-upload', '`--dry-run` found one'),
  },
  examples: [
    { total: 3, uploaded: 1, duplicate: 1, skipped: 1, invalid: 0, rejected: 0, failed: 0 },
  ],
};

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
    present: outcomeCount('present'),
    missing: outcomeCount('missing'),
    pending: outcomeCount('pending'),
  },
  examples: [{ total: 12, present: 11, missing: 0, pending: 1 }],
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
              uploaded: 'the service has it',
              refused: 'the service refused it',
              waiting: 'begun, and not confirmed yet',
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
      records: [
        {
          kind: 'wellness',
          state: 'confirmed',
          reason: 'The service took it.',
          changedAt: '2026-02-15T08:02:11.402Z',
        },
        { kind: 'nutrition', state: 'unknown', reason: 'Nothing was sent from here.' },
      ],
    },
  ],
};

export const UPLOAD_LINES = [UPLOAD, UPLOAD_SUMMARY, VERIFY, VERIFY_SUMMARY, EXPLAIN];
