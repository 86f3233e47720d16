import {
  amount,
  count,
  date,
  list,
  nullable,
  object,
  sha256,
  text,
  texts,
  word,
} from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { outcomesOf } from '../../../src/app/outcomes.ts';
import { accountName, activity, failure, outcomeCounts, profileRequests } from './shared.ts';

const FILES = line('files', {
  about: 'The files that were written.',
  commands: ['seed --out'],
  fields: {
    dir: text('The folder as the command line names it.'),
    recordings: count('Recordings in it.'),
    days: count('Days in its `wellness.json` and `nutrition.json`.'),
  },
});

const SEED_OUTCOMES = [true, false].flatMap((dry) => outcomesOf(['recording', 'day'], !dry));

const SEED_SUMMARY = line('summary of seed', {
  about: 'What an account was filled with, and how many items had which outcome.',
  commands: ['seed'],
  fields: {
    ...accountName,
    from: date('The first day.'),
    until: date('The last day.'),
    recordings: count('Recordings.'),
    records: count('Days of wellness and of nutrition.'),
    ...outcomeCounts(SEED_OUTCOMES, 'there is one'),
  },
});

const PROFILE_FIELDS = {
  weight: "the athlete's body weight (kg)",
  ftp: "the athlete's functional threshold power (W)",
} as const;

const TRIED = {
  before: object('What the profile said before.', 'it could be read', {
    weight: nullable(amount('kg', 'The weight', 'the platform shows it'), 'if it was empty.'),
    ftp: nullable(amount('W', 'The FTP', 'the platform shows it'), 'if it was empty.'),
  }),
  set: texts('The fields that were set.'),
  unset: list(
    'The fields that could not be set. A missing scope, a refusal and a service without the field do not change the exit code.',
    { field: word('The field.', PROFILE_FIELDS), ...failure() },
  ),
};

const SEED_PROFILE = line('seed-profile', {
  about: "The weight and FTP of a seeded account's profile.",
  commands: ['seed'],
  fields: {
    ...accountName,
    weight: amount('kg', "The synthetic athlete's weight on the last day."),
    ftp: amount('W', 'The FTP on the last day.'),
  },
  by: ['outcome', 'What happened to the profile.'],
  variants: [
    variant(
      {
        updated: 'the platform took what differed',
        unchanged: 'the profile said so already; nothing was sent',
        incomplete: 'not all of it could be set',
      },
      TRIED,
    ),
    variant('would-update', '`--dry-run`: what differs would be sent', {
      requests: profileRequests,
    }),
  ],
});

const LEFTOVER = line('leftover', {
  about:
    'Data that `sync seed` sent and that stay at the platform, which offers no way to delete them.',
  commands: ['seed --remove'],
  fields: accountName,
  by: ['kind', 'What stays.'],
  variants: [
    variant('recording', 'a recording, and its workout', {
      path: text('Its file name.'),
      sha256: sha256('SHA-256 of the recording.'),
      ...activity,
    }),
    variant('wellness', 'a day of wellness', { date: date('The day.') }),
  ],
});

const REMOVAL_SUMMARY = line('summary of removed seed', {
  about: 'What was removed from an account, and what stays.',
  commands: ['seed --remove'],
  fields: {
    ...accountName,
    from: date('The first day.'),
    until: date('The last day.'),
    removed: count('Days of nutrition that were removed.'),
    recordings: count('Recordings whose workouts were removed, or with `--dry-run` may be.'),
    left: object('What stays.', {
      recording: count('Recordings.'),
      wellness: count('Days of wellness.'),
    }),
    ...outcomeCounts(
      ['skipped', 'rejected', 'conflict', 'failed', 'would-push'],
      'a day of nutrition has it',
    ),
  },
});

const ACCOUNTS_SUMMARY = line('summary of seeded accounts', {
  about: 'How many accounts were filled; the last line.',
  commands: ['seed --accounts'],
  fields: {
    accounts: count('All accounts.'),
    complete: count('Accounts that were filled.'),
    incomplete: count('The others.'),
  },
});

export const SEED_LINES = [
  FILES,
  SEED_PROFILE,
  SEED_SUMMARY,
  LEFTOVER,
  REMOVAL_SUMMARY,
  ACCOUNTS_SUMMARY,
];
