import {
  count,
  date,
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
import { line } from '../line-kind.ts';
import { HEALTH } from './health.ts';
import { MISSING, PROFILE } from './logins.ts';
import { accepted, account, activity, failure } from './shared.ts';

/** A recording in the ledger. */
const RECORDING = {
  path: text('The file that was sent last.'),
  sha256: sha256('SHA-256 of the recording, unpacked.'),
  ...activity,
};

/** What the ledger has of a day. */
const MARKS = {
  confirmed: 'the platform has it',
  undone: '`sync undo` removed it',
  waiting: 'the platform has not confirmed it',
  refused: 'the platform refused it',
  none: 'nothing was sent',
};

const REFUSAL = {
  state: word('State in the record of sent data.', {
    pending: 'may have been sent',
    rejected: 'the platform refused it',
  }),
  message: text('Why the platform refused it.', '`state` is `rejected`'),
};

const LOGGED_IN = '`state` is `logged-in`';
const NOT_LOGGED_IN = '`state` is not `logged-in`';

const STATUS = line('status', {
  about:
    'The login, the record of sent data and the watchers of a profile. With `--all-profiles`, one line a profile.',
  commands: ['status'],
  fields: {
    profile: PROFILE,
    service: text('Address of the platform.'),
    clientId: text('The client identifier.', 'it is configured'),
    registeredOn: text('When `sync login` registered the client (YYYY-MM-DD).', 'it did'),
    account: object('The athlete.', 'it is known', account),
    store: object('Where the login is stored.', {
      kind: word('Kind of store.', {
        keychain: 'the OS keychain',
        file: 'a file of the user',
        environment: '`SYNC_ACCESS_TOKEN` or `SYNC_REFRESH_TOKEN`',
      }),
      where: text('The store in words.'),
    }),
    login: object('The login.', {
      state: word('State of the login.', {
        'logged-in': 'there is a login',
        'logged-out': 'there is none',
        ended: 'there is one, which only a new one can replace',
        unknown: 'it cannot be read now, or its refresh was interrupted',
      }),
      scopes: texts('Its scopes.', `${LOGGED_IN} and they are known`),
      missing: list('What does not work with it.', LOGGED_IN, MISSING),
      renewable: flag('Whether it renews itself.', LOGGED_IN),
      accessExpiresAt: time('When the access token ends.', `${LOGGED_IN} and this is known`),
      refreshExpiresAt: time('When the refresh token ends.', `${LOGGED_IN} and this is known`),
      ...failure(NOT_LOGGED_IN),
    }),
    checked: object(
      'What the platform said of the login.',
      '`--check` is given and there is a login to check',
      {
        outcome: word('The answer.', {
          accepted: 'the platform accepts the login',
          ended: 'the platform does not accept it any more',
          failed: 'the platform did not say',
        }),
        account: object(
          'The athlete.',
          '`outcome` is `accepted` and the platform says so',
          account,
        ),
        ...failure('`outcome` is not `accepted`'),
      },
    ),
    disk: object('Why the disk of the state folder takes no data.', 'it takes none', failure()),
    ledger: object(
      'Why the record of what was sent cannot be read: counts are 0.',
      'it is damaged',
      failure(),
    ),
    zone: object('The time zone of days.', {
      name: text('The zone that decides about days.'),
      from: word('Where the name is from.', 'a zone is set, or the zone of this machine is known', {
        environment: '`SYNC_TIMEZONE`',
        profile: 'the profile',
        machine: 'this machine',
      }),
      machine: text('The zone of this machine.', 'it is known'),
      platform: object(
        'The zone that the platform last named for the athlete.',
        'this machine asked for it',
        { name: text('The zone.'), seenAt: time('When the platform named it.') },
      ),
      differs: flag("Whether the platform's clocks differ from those that decide about days."),
      problem: object('Why UTC decides about days.', 'no zone is known', failure()),
    }),
    uploads: object('Recordings in the record of sent data.', {
      pending: count('Not delivered yet.'),
      confirmed: count('At the platform.'),
      rejected: count('Refused by the platform.'),
      undoing: count('Perhaps removed: `sync undo upload` was interrupted.'),
      undone: count('Removed by `sync undo upload`.'),
      held: count('Not sent, since another recording of the same ride was.'),
    }),
    ...accepted,
    lastUploadAt: time('When the platform last took a recording.', 'it took one'),
    recent: list('The three recordings at the platform that began last, the newest first.', {
      ...RECORDING,
      uploadedAt: time('When the platform confirmed it.'),
    }),
    days: list('The last 14 days, the oldest first.', {
      date: date('The day.'),
      activity: word('Recordings that began on it.', {
        ...MARKS,
        refused: 'the platform refused one',
        undone: 'one was undone',
      }),
      wellness: word('Its wellness record.', MARKS),
      nutrition: word('Its nutrition record.', MARKS),
    }),
    waiting: object('What the platform does not have.', {
      recordings: list(
        'Recordings that the platform does not have, the latest change first; 20 at most.',
        {
          ...RECORDING,
          ...REFUSAL,
          changedAt: time('When the state changed.'),
        },
      ),
      records: list('Days that the platform has not confirmed as they were sent.', {
        kind: word('Kind of the record.', { wellness: 'wellness', nutrition: 'nutrition' }),
        date: date('The day.'),
        ...REFUSAL,
      }),
      kept: count('Recordings to send of which a copy is kept.'),
      keptBytes: whole('bytes', 'The size of these copies.'),
      keptForOthers: count('Copies that stay: of another account, or damaged.'),
      unusable: list('Files that a watcher found incomplete or damaged; 20 at most.', {
        path: text('The file.'),
        size: whole('bytes', 'Its size.'),
        detail: text('The problem as a sentence.', 'it is known'),
      }),
    }),
    watching: list('The watchers that run.', HEALTH),
    watchedLast: object('The last watcher.', 'none runs, and one did', {
      folders: texts('Its folders.'),
      devices: flag('True: it watched devices, too.', 'it did'),
      until: time('When it ended, or last wrote its state.'),
    }),
  },
});

export const STATUS_LINES = [STATUS];
