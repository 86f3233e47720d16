import * as f from '../fields.ts';
import { line } from '../line-kind.ts';
import { account } from './shared.ts';

export const PROFILE = f.text('Name of the profile.');
const SAYS_SO = 'the platform says so';

/** A feature for which the login lacks the scope. */
export const MISSING = {
  scope: f.text('The scope.'),
  feature: f.text('What does not work without it.'),
  command: f.text('The command that needs it.'),
};

export const LOGIN_LINES = {
  login: line('login', 'The login that was made.', {
    profile: PROFILE,
    service: f.text('Address of the platform.'),
    clientId: f.text('The client identifier.'),
    account: f.object('The athlete.', SAYS_SO, account),
    replaced: f.object('The athlete of the login before.', 'it was another athlete', account),
    askedScopes: f.texts('Scopes that the login asked for.'),
    grantedScopes: f.texts('Scopes that were granted.', SAYS_SO),
    missing: f.list('What does not work with this login.', {
      ...MISSING,
      asked: f.flag('Whether it was asked for and not granted.'),
    }),
    saved: f.openObject('Settings of the profile that changed, by key; null if one was removed.'),
    store: f.object('Where the login is stored.', {
      kind: f.word('Kind of store.', { keychain: 'the OS keychain', file: 'a file of the user' }),
      where: f.text('The store in words.'),
    }),
    renewable: f.flag('Whether the login renews itself; if not, it ends with the access token.'),
    accessExpiresAt: f.time('When the access token ends.', SAYS_SO),
    refreshExpiresAt: f.time('When the refresh token ends.', SAYS_SO),
  }),

  'login-started': line(
    'login',
    'A login that `sync login --finish` completes. Treat the address as a secret.',
    {
      profile: PROFILE,
      service: f.text('Address of the platform.'),
      clientId: f.text('The client identifier.'),
      authorizeUrl: f.text('The page to open in a browser.'),
      expiresAt: f.time('When it is too late to finish.'),
      next: f.text('The command that completes the login.'),
    },
  ),

  logout: line('logout', 'The login that was removed.', {
    profile: PROFILE,
    wasLoggedIn: f.flag('Whether there was a login.'),
    account: f.object('The athlete.', 'it is known', account),
    service: f.text('Address of the platform.', 'there was a login'),
    store: f.text('Where the login was stored, in words.'),
    revocations: f.list('The tokens of the login.', {
      token: f.word('The token.', { 'refresh token': 'renews', 'access token': 'gives access' }),
      outcome: f.word('What happened to it.', {
        revoked: 'the platform ended it',
        unsupported: 'the platform does not revoke tokens',
        failed: 'it may still work at the platform',
        'not-tried': '`--local-only`',
      }),
      message: f.text('Why it failed.', 'it failed'),
      expiresAt: f.time('When it expires.', 'it was not revoked, and this is known'),
    }),
    environmentTokens: f.flag('Whether a token in the environment is still set, and used.'),
  }),

  token: line('token', 'A valid access token. Treat the line as a secret.', {
    accessToken: f.text('The token.'),
    expiresAt: f.time('When it ends.', SAYS_SO),
    scopes: f.texts('Its scopes.', 'they are known'),
  }),
};
