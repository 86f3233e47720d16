import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import {
  accepted,
  accountName,
  activity,
  outcomeCounts,
  recordKind,
  sentRecording,
} from './shared.ts';

/** The states of a recording that was sent, held or copied. */
const SENT_STATES = {
  uploaded: 'the platform has it',
  refused: 'the platform refused it',
  waiting: 'begun, and not confirmed yet; or a watcher copied it, and has to send the copy',
  undoing: '`sync undo upload` was interrupted: its workout may be removed',
  undone: 'its workout was removed from here',
  held: 'not sent: another recording of the same ride was (the setting `sameRide`)',
};

export const LEDGER_LINES = {
  verify: line('verify', 'Whether a recording that the platform took became a workout.', {
    path: f.text('The file that was uploaded.'),
    sha256: f.sha256('SHA-256 of the recording.'),
    outcome: f.word('What the platform holds.', {
      present: 'it is a workout',
      pending: 'not a workout yet; the platform took it less than an hour ago',
      missing: 'not a workout: it could not be processed, or the workout was deleted',
      notKnown: 'the platform shows no recording that was sent from here, or not all workouts',
    }),
    startedAt: f.time('Start of the recording.', 'the recording says so'),
    uploadedAt: f.time('When the platform took it.'),
    workoutId: f.text('Identifier of the workout.', 'the platform names it'),
    ...accepted,
    shortened: f.object('The workout.', 'it is shorter than the recording', {
      durationSecs: f.amount('s', 'Duration of the workout.', 'the platform shows it'),
      distanceMeters: f.amount('m', 'Distance of the workout.', 'the platform shows it'),
      isLeg: f.flag('Whether it is one leg of a recording with several.'),
    }),
  }),

  'summary of verified uploads': summary('verify', 'How many recordings had which outcome', {
    total: f.count('All recordings.'),
    ...outcomeCounts(['present', 'missing', 'pending', 'notKnown']),
  }),

  explain: line('explain', 'Why a file or a day is in its state.', {
    subject: f.variants('Subject of the question.', [
      f.variant('file', 'a file', {
        path: f.text('The file as the command line names it.'),
        sha256: f.sha256('SHA-256 of the recording, unpacked or converted.', 'it is a recording'),
        state: f.word('Its state.', {
          ...SENT_STATES,
          covered: 'GPX or TCX of a ride of which a recording was sent',
          new: 'never sent',
          unknown: 'not known: this profile never had a login, or the folder does not answer',
          'not-sent': 'not a recording that is sent',
        }),
        reason: f.text('Why, as a sentence.'),
        upload: f.object('Its entry in the record of sent data.', 'it was sent or held before', {
          sha256: f.sha256('SHA-256 of the recording, unpacked.'),
          path: f.text('The file that was sent last.'),
          ...activity,
          size: f.bytes('Size of the recording, unpacked.'),
          state: f.word('State in the record of sent data.', {
            pending: 'may have been sent',
            confirmed: 'the platform has it',
            rejected: 'the platform refused it',
            undoing: 'perhaps removed: `sync undo upload` was interrupted',
            undone: 'removed by `sync undo upload`',
            held: 'not sent: another recording of the same ride was',
          }),
          attempts: f.count('Requests in all runs.'),
          refusals: f.count('Refusals since the platform last took it.'),
          changedAt: f.time('When the state changed.'),
          service: f.openObject("The platform's answer; empty if it said nothing."),
          message: f.text('Why the platform refused it.', 'it did'),
        }),
      }),
      f.variant('date', 'a day', {
        date: f.date('The day.'),
        zone: f.text('Time zone of recordings without their own offset.'),
        recordings: f.list('The recordings of activities that began on the day.', {
          ...sentRecording,
          path: f.text('The file that was sent last, or copied.'),
          state: f.word('Its state.', SENT_STATES),
          reason: f.text('Why, as a sentence.'),
          changedAt: f.time('When the state changed.', 'an upload began before'),
        }),
        records: f.list('The records of the day.', {
          kind: recordKind,
          state: f.word('Its state.', {
            confirmed: 'the platform has it',
            undone: '`sync undo` removed it',
            waiting: 'the platform does not confirm it',
            refused: 'the platform refused it',
            unknown: 'never sent',
          }),
          reason: f.text('Why, as a sentence.'),
          changedAt: f.time('When the state changed.', 'it was sent before'),
          files: f.list('The files that it was sent from, the latest first.', {
            path: f.text('An absolute path, a path in an archive, or `stdin`.'),
            sentAt: f.time('When its values were last sent.'),
          }),
        }),
        silent: f.texts('Watched folders whose file system does not answer.', 'there are some'),
      }),
    ]),
  }),

  undo: line('undo upload, seed --remove', 'The outcome of an undo, for one recording.', {
    ...accountName,
    path: f.text('The file that was uploaded.'),
    sha256: f.sha256('SHA-256 of the recording.'),
    ...activity,
    outcome: f.word('What happened.', {
      undone: 'its workout was removed',
      'would-undo': '`--dry-run`: its workout would be removed',
      skipped: 'undone before',
      conflict: 'not undone, and another run would not change that',
      failed: 'not undone; the same command again continues',
    }),
    message: f.text('What happened, as words after the path.', '`sync undo upload` ran'),
    workoutId: f.text('Identifier of the removed workout.', '`outcome` is `undone`'),
    url: f.text('The address of the request; `ID` is the workout.', '`outcome` is `would-undo`'),
  }),

  'verify-day': line('verify --days', 'What the platform holds of a day that the platform took.', {
    kind: recordKind,
    date: f.date('The day.'),
    outcome: f.word('What the platform holds.', {
      present: 'what was sent',
      changed: 'something else',
      missing: 'nothing',
      unseen: 'the platform does not show it to applications',
    }),
    differs: f.texts('What is different or absent, each as words.'),
  }),
};
