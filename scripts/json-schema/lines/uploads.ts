import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { ATTEMPTS, INVALID_REASONS, accountName, activity, failure, itemCounts } from './shared.ts';

/** A recording that was read, and sent or refused. */
const RECORDING = {
  sha256: f.sha256('SHA-256 of the recording, unpacked.'),
  size: f.bytes('Size of the recording, unpacked.'),
};
const SENT = { ...activity, ...RECORDING, attempts: f.count(ATTEMPTS) };

export const UPLOAD_LINES = {
  upload: line('upload, import, watch, seed', 'The outcome of one recording.', {
    path: f.text(
      'The file as the command line names it, or the path of a file in a folder of the command line.',
    ),
    at: f.time('When it happened.', '`sync watch` runs without `--once`'),
    ...accountName,
    outcome: f.variants('What happened to the recording.', [
      f.variantOf(
        { uploaded: 'the platform took it', duplicate: 'the platform had it already' },
        {
          ...SENT,
          service: f.object("The platform's answer.", {
            state: f.text('How far the platform is, such as `queued`.', 'the platform says so'),
            fitFileId: f.text("The platform's identifier of the file.", 'the platform names it'),
            workoutId: f.text('Identifier of the workout.', 'the platform names it'),
            jobId: f.text('Identifier of the processing.', 'the platform names it'),
          }),
          note: f.text('The effect of `--name`, or on another workout.', 'there is more to say'),
          sameRideAs: f.list(
            'Recordings of the same ride that were sent before: at most 50.',
            '`outcome` is `uploaded`, and there are any',
            { path: f.text('The file.'), sentAt: f.time('When the platform took it.') },
          ),
        },
      ),
      f.variantOf(
        {
          covered:
            'not sent: GPX or TCX of a ride of which recordings, or workouts, have all of it',
          held: 'not sent: another recording of the ride was (the setting `sameRide`)',
        },
        {
          by: f.texts('Their files, or titles of workouts; empty if it was held before.'),
          sha256: f.sha256('SHA-256 of the recording, converted.'),
        },
      ),
      f.variant('skipped', 'not sent, and nothing is wrong with that', {
        reason: f.word('Why.', {
          'already-uploaded': 'the platform confirmed it before',
          'not-an-activity':
            'a FIT file of another kind, found in a folder; a GPX or TCX file of another kind',
          'before-since': 'it began before the day of `--since`',
          'not-new': 'its file was there before `--new-only`',
          undoing: '`sync undo upload` was interrupted: the same command finishes it',
          undone: '`sync undo upload` removed it; `--force` sends it again',
          shorter:
            'a longer recording with its start and file identifier was sent; `--force` replaces its workout',
          'refused-before': 'the platform refused it; `sync watch` waits before it retries',
        }),
        sha256: f.sha256('SHA-256 of the recording, unpacked.', 'it was read'),
        detail: f.text('The reason as a sentence.', 'there is more to say'),
        wellness: f.flag('`sync push wellness` sends what it holds.', 'it does'),
      }),
      f.variant('invalid', 'not sent: it cannot be used', {
        reason: f.word('Why.', {
          ...INVALID_REASONS,
          'not-an-activity': 'a FIT file of another kind, named on the command line',
        }),
        detail: f.text('The reason as a sentence.'),
        wellness: f.flag('`sync push wellness` sends what it holds.', 'it does'),
        hint: f.text('What to type next.', 'there is a command that may help'),
      }),
      f.variant('rejected', 'the platform refused it for good', {
        status: f.count('HTTP status.', 'the status was the refusal'),
        message: f.text('What the platform said, as a sentence.'),
        ...SENT,
      }),
      f.variant('failed', 'not delivered; the same command again continues', {
        ...failure(),
        ...activity,
        sha256: f.sha256('SHA-256 of the recording, unpacked.', 'it was read'),
        size: f.bytes('Size of the recording, unpacked.', 'it was read'),
        attempts: f.count(ATTEMPTS, 'a request was made'),
      }),
      f.variant('would-upload', '`--dry-run`: it would be sent', {
        ...activity,
        ...RECORDING,
        request: f.object('The request.', {
          method: f.word('The HTTP method.', { POST: 'sends' }),
          url: f.text('The address.'),
          parts: f.list('The parts of the multipart body.', {
            name: f.text('Name of the part.'),
            value: f.text('The text.', 'the part is a text'),
            filename: f.text('The file name.', 'the part is the file'),
            size: f.bytes('Size of the file.', 'the part is the file'),
            sha256: f.sha256('SHA-256 of the file.', 'the part is the file'),
          }),
        }),
      }),
    ]),
  }),

  'summary of uploads': summary('upload, watch --once', 'How many files had which outcome', {
    total: f.count('All files.'),
    ...itemCounts('recording'),
    zip: f.count('Zip archives in folders, which are not opened.', 'a folder holds one'),
    days: f.count('Wellness days that were sent, or would be.', '`sync watch` found one'),
  }),

  'import-found': line('import', 'What was found of one kind, before anything is sent.', {
    kind: f.word('What it is.', {
      recordings: 'recordings to send',
      tracks: 'activities of GPX and TCX files',
      'phone-tracks':
        'GPX and TCX of Google Fit and Apple Health, which `--include phone-tracks` sends',
      wellness: 'wellness of a known source',
      nutrition: 'nutrition of a known source',
      'uploaded-before': 'recordings that the platform confirmed before',
      undone: 'recordings whose workouts were removed by `sync undo upload`',
      copies: 'recordings that were found before in the same run',
      covered: 'GPX and TCX of rides of which recordings were sent, or will be',
      'too-early': 'recordings before `--since`',
      titles: 'lists with the titles of recordings',
      'no-activity': 'FIT, GPX and TCX files of another kind',
      unusable: 'recordings that are damaged or incomplete; each has an `upload` line',
      ambiguous: 'files of an uncertain program',
      unreadable: 'files and archives that cannot be read; each has an `import-unreadable` line',
      'not-understood': 'files of no known source',
    }),
    title: f.text('The same for people.'),
    files: f.count('Files and members of archives; of `tracks`, their activities.'),
    sends: f.flag('Whether it is sent.'),
    reason: f.text('Why it is not sent.', 'it is not sent'),
    bytes: f.bytes('Size of the recordings.', '`kind` is `recordings`'),
    days: f.count('Days with recordings or records.', 'they are known'),
    first: f.date('The first of them.', 'they are known'),
    last: f.date('The last of them.', 'they are known'),
    source: f.text('Name of the source, as `--source` takes it.', 'it is from a known source'),
  }),

  'import-unreadable': line('import', 'A file or an archive that cannot be read.', {
    path: f.text('The file; for a member of an archive, the path of the archive and the member.'),
    reason: f.word('Why.', {
      unreadable: 'it cannot be read',
      incomplete: 'its end is missing',
      corrupt: 'its content is damaged',
      'no-room': 'the disk for temporary files is full',
    }),
    detail: f.text('The reason as a sentence.'),
  }),

  'summary of imports': summary(
    'import',
    'How many recordings, days and unusable records had which outcome',
    {
      recordings: f.count('Recordings that were sent, or could not be.'),
      days: f.count('Days of wellness and nutrition that were sent, or could not be.'),
      ...itemCounts('recording', 'day'),
      warnings: f.count('Warnings in all lines.'),
    },
  ),
};
