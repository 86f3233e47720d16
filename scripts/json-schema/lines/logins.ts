import { flag, list, object, openObject, text, texts, time, word } from '../fields.ts';
import { line } from '../line-kind.ts';
import { account } from './shared.ts';

export const PROFILE = text('Name of the profile.');
const SAYS_SO = 'the platform says so';

/** A feature for which the login lacks the scope. */
export const MISSING = {
  scope: text('The scope.'),
  feature: text('What does not work without it.'),
  command: text('The command that needs it.'),
};

const LOGIN = line('login', {
  about: 'The login that was made.',
  commands: ['login'],
  fields: {
    profile: PROFILE,
    service: text('Address of the platform.'),
    clientId: text('The client identifier.'),
    account: object('The athlete.', SAYS_SO, account),
    replaced: object('The athlete of the login before.', 'it was another athlete', account),
    askedScopes: texts('Scopes that the login asked for.'),
    grantedScopes: texts('Scopes that were granted.', SAYS_SO),
    missing: list('What does not work with this login.', {
      ...MISSING,
      asked: flag('Whether it was asked for and not granted.'),
    }),
    saved: openObject('Settings of the profile that changed, by key; null if one was removed.'),
    store: object('Where the login is stored.', {
      kind: word('Kind of store.', { keychain: 'the OS keychain', file: 'a file of the user' }),
      where: text('The store in words.'),
    }),
    renewable: flag('Whether the login renews itself; if not, it ends with the access token.'),
    accessExpiresAt: time('When the access token ends.', SAYS_SO),
    refreshExpiresAt: time('When the refresh token ends.', SAYS_SO),
  },
});

const LOGIN_STARTED = line('login-started', {
  about: 'A login that `sync login --finish` completes. Treat the address as a secret.',
  commands: ['login'],
  fields: {
    profile: PROFILE,
    service: text('Address of the platform.'),
    clientId: text('The client identifier.'),
    authorizeUrl: text('The page to open in a browser.'),
    expiresAt: time('When it is too late to finish.'),
    next: text('The command that completes the login.'),
  },
});

const LOGOUT = line('logout', {
  about: 'The login that was removed.',
  commands: ['logout'],
  fields: {
    profile: PROFILE,
    wasLoggedIn: flag('Whether there was a login.'),
    account: object('The athlete.', 'it is known', account),
    service: text('Address of the platform.', 'there was a login'),
    store: text('Where the login was stored, in words.'),
    revocations: list('The tokens of the login.', {
      token: word('The token.', { 'refresh token': 'renews', 'access token': 'gives access' }),
      outcome: word('What happened to it.', {
        revoked: 'the platform ended it',
        unsupported: 'the platform does not revoke tokens',
        failed: 'it may still work at the platform',
        'not-tried': '`--local-only`',
      }),
      message: text('Why it failed.', 'it failed'),
      expiresAt: time('When it expires.', 'it was not revoked, and this is known'),
    }),
    environmentTokens: flag('Whether a token in the environment is still set, and used.'),
  },
});

const TOKEN = line('token', {
  about: 'A valid access token. Treat the line as a secret.',
  commands: ['token'],
  fields: {
    accessToken: text('The token.'),
    expiresAt: time('When it ends.', SAYS_SO),
    scopes: texts('Its scopes.', 'they are known'),
  },
});

export const LOGIN_LINES = [LOGIN, LOGIN_STARTED, LOGOUT, TOKEN];
