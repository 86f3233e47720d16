import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { outcomesOf } from '../../../src/app/outcomes.ts';
import { accountName, activity, failure, outcomeCounts, profileRequests } from './shared.ts';

const SEED_OUTCOMES = [true, false].flatMap((dry) => outcomesOf(['recording', 'day'], !dry));

const PROFILE_FIELDS = {
  weight: "the athlete's body weight (kg)",
  ftp: "the athlete's functional threshold power (W)",
} as const;

const TRIED = {
  before: f.object('What the profile said before.', 'it could be read', {
    weight: f.nullable(f.amount('kg', 'The weight', 'the platform shows it'), 'if it was empty.'),
    ftp: f.nullable(f.amount('W', 'The FTP', 'the platform shows it'), 'if it was empty.'),
  }),
  set: f.texts('The fields that were set.'),
  unset: f.list(
    'The fields that could not be set. A missing scope, a refusal and a service without the field do not change the exit code.',
    { field: f.word('The field.', PROFILE_FIELDS), ...failure() },
  ),
};

export const SEED_LINES = {
  files: line('seed --out', 'The files that were written.', {
    dir: f.text('The folder as the command line names it.'),
    recordings: f.count('Recordings in it.'),
    days: f.count('Days in its `wellness.json` and `nutrition.json`.'),
  }),

  'seed-profile': line('seed', "The weight and FTP of a seeded account's profile.", {
    ...accountName,
    weight: f.amount('kg', "The synthetic athlete's weight on the last day."),
    ftp: f.amount('W', 'The FTP on the last day.'),
    outcome: f.variants('What happened to the profile.', [
      f.variantOf(
        {
          updated: 'the platform took what differed',
          unchanged: 'the profile said so already; nothing was sent',
          incomplete: 'not all of it could be set',
        },
        TRIED,
      ),
      f.variant('would-update', '`--dry-run`: what differs would be sent', {
        requests: profileRequests,
      }),
    ]),
  }),

  'summary of seed': line(
    'seed',
    'What an account was filled with, and how many items had which outcome.',
    {
      ...accountName,
      from: f.date('The first day.'),
      until: f.date('The last day.'),
      recordings: f.count('Recordings.'),
      records: f.count('Days of wellness and of nutrition.'),
      ...outcomeCounts(SEED_OUTCOMES, 'there is one'),
    },
  ),

  leftover: line(
    'seed --remove',
    'Data that `sync seed` sent and that stay at the platform, which offers no way to delete them.',
    {
      ...accountName,
      kind: f.variants('What stays.', [
        f.variant('recording', 'a recording, and its workout', {
          path: f.text('Its file name.'),
          sha256: f.sha256('SHA-256 of the recording.'),
          ...activity,
        }),
        f.variant('wellness', 'a day of wellness', { date: f.date('The day.') }),
      ]),
    },
  ),

  'summary of removed seed': line(
    'seed --remove',
    'What was removed from an account, and what stays.',
    {
      ...accountName,
      from: f.date('The first day.'),
      until: f.date('The last day.'),
      removed: f.count('Days of nutrition that were removed.'),
      recordings: f.count('Recordings whose workouts were removed, or with `--dry-run` may be.'),
      left: f.object('What stays.', {
        recording: f.count('Recordings.'),
        wellness: f.count('Days of wellness.'),
      }),
      ...outcomeCounts(
        ['skipped', 'rejected', 'conflict', 'failed', 'would-push'],
        'a day of nutrition has it',
      ),
    },
  ),

  'summary of seeded accounts': summary('seed --accounts', 'How many accounts were filled', {
    accounts: f.count('All accounts.'),
    complete: f.count('Accounts that were filled.'),
    incomplete: f.count('The others.'),
  }),
};
