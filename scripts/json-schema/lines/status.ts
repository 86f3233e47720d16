import * as f from '../fields.ts';
import { line } from '../line-kind.ts';
import { HEALTH } from './health.ts';
import { MISSING, PROFILE } from './logins.ts';
import { accepted, account, failure, recordKind, sentRecording } from './shared.ts';

/** What the ledger has of a day. */
const MARKS = {
  confirmed: 'the platform has it',
  undone: '`sync undo` removed it',
  waiting: 'the platform has not confirmed it',
  refused: 'the platform refused it',
  none: 'nothing was sent',
};

const REFUSAL = {
  state: f.word('State in the record of sent data.', {
    pending: 'may have been sent',
    rejected: 'the platform refused it',
  }),
  message: f.text('Why the platform refused it.', '`state` is `rejected`'),
};

const LOGGED_IN = '`state` is `logged-in`';
const NOT_LOGGED_IN = '`state` is not `logged-in`';

export const STATUS_LINES = {
  status: line(
    'status',
    'The login, the record of sent data and the watchers of a profile. With `--all-profiles`, one line a profile.',
    {
      profile: PROFILE,
      service: f.text('Address of the platform.'),
      clientId: f.text('The client identifier.', 'it is configured'),
      registeredOn: f.text('When `sync login` registered the client (YYYY-MM-DD).', 'it did'),
      account: f.object('The athlete.', 'it is known', account),
      store: f.object('Where the login is stored.', {
        kind: f.word('Kind of store.', {
          keychain: 'the OS keychain',
          file: 'a file of the user',
          environment: '`SYNC_ACCESS_TOKEN` or `SYNC_REFRESH_TOKEN`',
        }),
        where: f.text('The store in words.'),
      }),
      login: f.object('The login.', {
        state: f.word('State of the login.', {
          'logged-in': 'there is a login',
          'logged-out': 'there is none',
          ended: 'there is one, which only a new one can replace',
          unknown: 'it cannot be read now, or its refresh was interrupted',
        }),
        scopes: f.texts('Its scopes.', `${LOGGED_IN} and they are known`),
        missing: f.list('What does not work with it.', LOGGED_IN, MISSING),
        renewable: f.flag('Whether it renews itself.', LOGGED_IN),
        accessExpiresAt: f.time('When the access token ends.', `${LOGGED_IN} and this is known`),
        refreshExpiresAt: f.time('When the refresh token ends.', `${LOGGED_IN} and this is known`),
        ...failure(NOT_LOGGED_IN),
      }),
      checked: f.object(
        'What the platform said of the login.',
        '`--check` is given and there is a login to check',
        {
          outcome: f.word('The answer.', {
            accepted: 'the platform accepts the login',
            ended: 'the platform does not accept it any more',
            failed: 'the platform did not say',
          }),
          account: f.object(
            'The athlete.',
            '`outcome` is `accepted` and the platform says so',
            account,
          ),
          ...failure('`outcome` is not `accepted`'),
        },
      ),
      disk: f.object('Why the disk of the state folder takes no data.', 'it takes none', failure()),
      ledger: f.object(
        'Why the record of what was sent cannot be read: counts are 0.',
        'it is damaged',
        failure(),
      ),
      zone: f.object('The time zone of days.', {
        name: f.text('The zone that decides about days.'),
        from: f.word(
          'Where the name is from.',
          'a zone is set, or the zone of this machine is known',
          { environment: '`SYNC_TIMEZONE`', profile: 'the profile', machine: 'this machine' },
        ),
        machine: f.text('The zone of this machine.', 'it is known'),
        platform: f.object(
          'The zone that the platform last named for the athlete.',
          'this machine asked for it',
          { name: f.text('The zone.'), seenAt: f.time('When the platform named it.') },
        ),
        differs: f.flag("Whether the platform's clocks differ from those that decide about days."),
        problem: f.object('Why UTC decides about days.', 'no zone is known', failure()),
      }),
      uploads: f.object('Recordings in the record of sent data.', {
        pending: f.count('Not delivered yet.'),
        confirmed: f.count('At the platform.'),
        rejected: f.count('Refused by the platform.'),
        undoing: f.count('Perhaps removed: `sync undo upload` was interrupted.'),
        undone: f.count('Removed by `sync undo upload`.'),
        held: f.count('Not sent, since another recording of the same ride was.'),
      }),
      ...accepted,
      lastUploadAt: f.time('When the platform last took a recording.', 'it took one'),
      recent: f.list('The three recordings at the platform that began last, the newest first.', {
        ...sentRecording,
        uploadedAt: f.time('When the platform confirmed it.'),
      }),
      days: f.list('The last 14 days, the oldest first.', {
        date: f.date('The day.'),
        activity: f.word('Recordings that began on it.', {
          ...MARKS,
          refused: 'the platform refused one',
          undone: 'one was undone',
        }),
        wellness: f.word('Its wellness record.', MARKS),
        nutrition: f.word('Its nutrition record.', MARKS),
      }),
      waiting: f.object('What the platform does not have.', {
        recordings: f.list(
          'Recordings that the platform does not have, the latest change first; 20 at most.',
          { ...sentRecording, ...REFUSAL, changedAt: f.time('When the state changed.') },
        ),
        records: f.list('Days that the platform has not confirmed as they were sent.', {
          kind: recordKind,
          date: f.date('The day.'),
          ...REFUSAL,
        }),
        kept: f.count('Recordings to send of which a copy is kept.'),
        keptBytes: f.bytes('The size of these copies.'),
        keptForOthers: f.count('Copies that stay: of another account, or damaged.'),
        unusable: f.list('Files that a watcher found incomplete or damaged; 20 at most.', {
          path: f.text('The file.'),
          size: f.bytes('Its size.'),
          detail: f.text('The problem as a sentence.', 'it is known'),
        }),
      }),
      watching: f.list('The watchers that run.', HEALTH),
      watchedLast: f.object('The last watcher.', 'none runs, and one did', {
        folders: f.texts('Its folders.'),
        devices: f.flag('True: it watched devices, too.', 'it did'),
        until: f.time('When it ended, or last wrote its state.'),
      }),
    },
  ),
};
