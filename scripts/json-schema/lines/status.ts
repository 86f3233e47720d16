import { count, date, flag, list, object, sha256, text, texts, time, word } from '../fields.ts';
import type { Shape, Words } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { HEALTH } from './health.ts';
import { MISSING, PROFILE } from './logins.ts';
import { accepted, account, activity, failure } from './shared.ts';

/** A recording in the ledger. */
const RECORDING: Shape = {
  path: text('The file that was sent last.'),
  sha256: sha256('SHA-256 of the recording, unpacked.'),
  ...activity,
};

/** What the ledger has of a day. */
const MARKS: Words = {
  confirmed: 'the platform has it',
  undone: '`sync undo` took it back',
  waiting: 'the platform has not confirmed it',
  none: 'nothing was sent',
};

const LOGGED_IN = '`state` is `logged-in`';
const NOT_LOGGED_IN = '`state` is not `logged-in`';

const STATUS: LineKind = {
  types: ['status'],
  about:
    'The login, the ledger and the watchers of a profile. With `--all-profiles`, one line a profile.',
  commands: ['status'],
  fields: {
    profile: PROFILE,
    service: text('Address of the platform.'),
    clientId: text('The client identifier.', 'it is configured'),
    account: object(account, 'The athlete.', 'it is known'),
    store: object(
      {
        kind: word(
          {
            keychain: 'the OS keychain',
            file: 'a file of the user',
            environment: '`SYNC_ACCESS_TOKEN` or `SYNC_REFRESH_TOKEN`',
          },
          'Kind of store.',
        ),
        where: text('The store in words.'),
      },
      'Where the login is stored.',
    ),
    login: object(
      {
        state: word(
          {
            'logged-in': 'there is a login',
            'logged-out': 'there is none',
            ended: 'there is one, which only a new one can replace',
            unknown: 'it cannot be read now, or its refresh was interrupted',
          },
          'State of the login.',
        ),
        scopes: texts('Its scopes.', `${LOGGED_IN} and they are known`),
        missing: list(MISSING, 'What does not work with it.', LOGGED_IN),
        renewable: flag('Whether it renews itself.', LOGGED_IN),
        accessExpiresAt: time('When the access token ends.', `${LOGGED_IN} and this is known`),
        refreshExpiresAt: time('When the refresh token ends.', `${LOGGED_IN} and this is known`),
        ...failure(NOT_LOGGED_IN),
      },
      'The login.',
    ),
    checked: object(
      {
        outcome: word(
          {
            accepted: 'the platform accepts the login',
            ended: 'the platform does not accept it any more',
            failed: 'the platform did not say',
          },
          'The answer.',
        ),
        account: object(
          account,
          'The athlete.',
          '`outcome` is `accepted` and the platform says so',
        ),
        ...failure('`outcome` is not `accepted`'),
      },
      'What the platform said of the login.',
      '`--check` is given and there is a login to check',
    ),
    disk: object(failure(), 'Why the disk of the state folder takes no data.', 'it takes none'),
    ledger: object(
      failure(),
      'Why the record of what was sent cannot be read: counts are 0.',
      'it is damaged',
    ),
    zone: object(
      {
        name: text('The zone that decides about days.'),
        from: word(
          {
            environment: '`SYNC_TIMEZONE`',
            profile: 'the profile',
            machine: 'this machine',
          },
          'Where the name is from.',
          'a zone is set, or the zone of this machine is known',
        ),
        machine: text('The zone of this machine.', 'it is known'),
        platform: object(
          { name: text('The zone.'), seenAt: time('When the platform named it.') },
          'The zone that the platform last named for the athlete.',
          'this machine asked for it',
        ),
        differs: flag("Whether the platform's clocks differ from those that decide about days."),
        problem: object(failure(), 'Why UTC decides about days.', 'no zone is known'),
      },
      'The time zone of days.',
    ),
    uploads: object(
      {
        pending: count('Not delivered yet.'),
        confirmed: count('At the platform.'),
        rejected: count('Refused by the platform.'),
        undoing: count('Perhaps taken back: `sync undo upload` was interrupted.'),
        undone: count('Taken back from here.'),
      },
      'Recordings in the ledger.',
    ),
    ...accepted,
    lastUploadAt: time('When the platform last took a recording.', 'it took one'),
    recent: list(
      { ...RECORDING, uploadedAt: time('When the platform confirmed it.') },
      'The three recordings at the platform that began last, the newest first.',
    ),
    days: list(
      {
        date: date('The day.'),
        activity: word(
          { ...MARKS, refused: 'the platform refused one', undone: 'one was taken back' },
          'Recordings that began on it.',
        ),
        wellness: word(MARKS, 'Its wellness record.'),
        nutrition: word(MARKS, 'Its nutrition record.'),
      },
      'The last 14 days, the oldest first.',
    ),
    waiting: object(
      {
        recordings: list(
          {
            ...RECORDING,
            state: word(
              { pending: 'may have been sent', rejected: 'the platform refused it' },
              'State in the ledger.',
            ),
            changedAt: time('When the state changed.'),
            message: text('Why the platform refused it.', '`state` is `rejected`'),
          },
          'Recordings that the platform does not have, the latest change first; 20 at most.',
        ),
        records: list(
          {
            kind: word({ wellness: 'wellness', nutrition: 'nutrition' }, 'Kind of the record.'),
            date: date('The day.'),
          },
          'Days that the platform has not confirmed as they were sent.',
        ),
        kept: count('Recordings to send of which a copy is kept.'),
        keptForOthers: count('Copies that stay: of another account, or damaged.'),
        unusable: list(
          {
            path: text('The file.'),
            size: count('Its size.', undefined, 'bytes'),
            detail: text('The problem as a sentence.', 'it is known'),
          },
          'Files that a watcher found incomplete or damaged; 20 at most.',
        ),
      },
      'What the platform does not have.',
    ),
    watching: list(HEALTH, 'The watchers that run.'),
    watchedLast: object(
      {
        folders: texts('Its folders.'),
        devices: flag('True: it watched devices, too.', 'it did'),
        until: time('When it ended, or last wrote its state.'),
      },
      'The last watcher.',
      'none runs, and one did',
    ),
  },
};

export const STATUS_LINES = [STATUS];
