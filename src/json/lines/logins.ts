import {
  type Shape,
  count,
  flag,
  list,
  object,
  openObject,
  text,
  texts,
  time,
  word,
} from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { account, failure } from './shared.ts';
import { HEALTH_EXAMPLE, watchers } from './health.ts';

const PROFILE = text('Name of the profile.');
const SAYS_SO = 'the service says so';

/** A feature for which the login lacks the scope. */
const MISSING: Shape = {
  scope: text('The scope.'),
  feature: text('What does not work without it.'),
  command: text('The command that needs it.'),
};

const SERVICE = 'https://training.example.com';
const ADA = { id: 'athlete-1', name: 'Ada Example', email: 'ada@example.com' };

const LOGIN: LineKind = {
  types: ['login'],
  about: 'The login that was made.',
  commands: ['login'],
  fields: {
    profile: PROFILE,
    service: text('Address of the service.'),
    clientId: text('The client identifier.'),
    account: object(account, 'The athlete.', SAYS_SO),
    replaced: object(account, 'The athlete of the login before.', 'it was another athlete'),
    askedScopes: texts('Scopes that the login asked for.'),
    grantedScopes: texts('Scopes that were granted.', SAYS_SO),
    missing: list(
      { ...MISSING, asked: flag('Whether it was asked for and not granted.') },
      'What does not work with this login.',
    ),
    saved: openObject('Settings of the profile that changed, by key; null if one was removed.'),
    store: object(
      {
        kind: word({ keychain: 'the OS keychain', file: 'a file of the user' }, 'Kind of store.'),
        where: text('The store in words.'),
      },
      'Where the login is stored.',
    ),
    renewable: flag('Whether the login renews itself; if not, it ends with the access token.'),
    accessExpiresAt: time('When the access token ends.', SAYS_SO),
    refreshExpiresAt: time('When the refresh token ends.', SAYS_SO),
  },
  examples: [
    {
      profile: 'default',
      service: SERVICE,
      clientId: 'my-client',
      account: ADA,
      askedScopes: ['workout:write', 'health:write'],
      grantedScopes: ['workout:write'],
      missing: [
        {
          scope: 'health:write',
          feature: 'wellness records',
          command: 'sync push wellness',
          asked: true,
        },
      ],
      saved: { baseUrl: SERVICE },
      store: { kind: 'keychain', where: 'the keychain' },
      renewable: true,
      accessExpiresAt: '2026-02-15T09:02:11.402Z',
    },
  ],
};

const LOGOUT: LineKind = {
  types: ['logout'],
  about: 'The login that was removed.',
  commands: ['logout'],
  fields: {
    profile: PROFILE,
    wasLoggedIn: flag('Whether there was a login.'),
    account: object(account, 'The athlete.', 'it is known'),
    service: text('Address of the service.', 'there was a login'),
    store: text('Where the login was stored, in words.'),
    revocations: list(
      {
        token: word({ 'refresh token': 'renews', 'access token': 'gives access' }, 'The token.'),
        outcome: word(
          {
            revoked: 'the service ended it',
            unsupported: 'the service does not revoke tokens',
            failed: 'it may still work at the service',
            'not-tried': '`--local-only`',
          },
          'What happened to it.',
        ),
        message: text('Why it failed.', 'it failed'),
        expiresAt: time('When it expires.', 'it was not revoked, and this is known'),
      },
      'The tokens of the login.',
    ),
    environmentTokens: flag('Whether a token in the environment is still set, and used.'),
  },
  examples: [
    {
      profile: 'default',
      wasLoggedIn: true,
      account: ADA,
      service: SERVICE,
      store: 'the keychain',
      revocations: [
        { token: 'refresh token', outcome: 'revoked' },
        {
          token: 'access token',
          expiresAt: '2026-02-15T09:02:11.402Z',
          outcome: 'unsupported',
        },
      ],
      environmentTokens: false,
    },
  ],
};

const TOKEN: LineKind = {
  types: ['token'],
  about: 'A valid access token. Treat the line as a secret.',
  commands: ['token'],
  fields: {
    accessToken: text('The token.'),
    expiresAt: time('When it ends.', SAYS_SO),
    scopes: texts('Its scopes.', 'they are known'),
  },
  examples: [
    {
      accessToken: 'eyJhbGciOi...',
      expiresAt: '2026-02-15T09:02:11.402Z',
      scopes: ['workout:write', 'health:write'],
    },
  ],
};

const LOGGED_IN = '`state` is `logged-in`';
const NOT_LOGGED_IN = '`state` is not `logged-in`';

const STATUS: LineKind = {
  types: ['status'],
  about: 'The login, the ledger and the watchers of a profile.',
  commands: ['status'],
  fields: {
    profile: PROFILE,
    service: text('Address of the service.'),
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
        age: object(
          {
            ageMs: count('Age of this login.', undefined, 'ms'),
            endedAfterMs: count('Age at which an earlier one had ended.', undefined, 'ms'),
          },
          'A warning that the login may end soon.',
          'the service ended earlier logins at about this age',
        ),
        ...failure(NOT_LOGGED_IN),
      },
      'The login.',
    ),
    checked: object(
      {
        outcome: word(
          {
            accepted: 'the service accepts the login',
            ended: 'the service does not accept it any more',
            failed: 'the service did not say',
          },
          'The answer.',
        ),
        account: object(account, 'The athlete.', '`outcome` is `accepted` and the service says so'),
        ...failure('`outcome` is not `accepted`'),
      },
      'What the service said of the login.',
      '`--check` is given and there is a login to check',
    ),
    uploads: object(
      {
        pending: count('Not delivered yet.'),
        confirmed: count('At the service.'),
        rejected: count('Refused by the service.'),
      },
      'Recordings in the ledger.',
    ),
    lastUploadAt: time('When the service last took a recording.', 'it took one'),
    watching: watchers('The watchers that run.'),
  },
  examples: [
    {
      profile: 'default',
      service: SERVICE,
      clientId: 'my-client',
      account: ADA,
      store: { kind: 'keychain', where: 'the keychain' },
      login: {
        state: 'logged-in',
        scopes: ['workout:write', 'health:write'],
        missing: [],
        renewable: true,
        accessExpiresAt: '2026-02-15T09:02:11.402Z',
      },
      checked: { outcome: 'accepted', account: ADA },
      uploads: { pending: 0, confirmed: 12, rejected: 0 },
      lastUploadAt: '2026-02-15T08:02:11.402Z',
      watching: [HEALTH_EXAMPLE],
    },
  ],
};

export const LOGIN_LINES = [LOGIN, LOGOUT, TOKEN, STATUS];
