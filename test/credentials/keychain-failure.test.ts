import { expect, it } from 'vitest';
import { classify, keychainError } from '../../src/credentials/keychain-failure.ts';
import { exitCodeOf } from '../../src/base/errors.ts';

const DBUS = 'Platform failure: DBus error:';

/** Messages as the libraries and systems word them. */
it.each([
  [
    `${DBUS} Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead`,
    'no-bus',
  ],
  [`${DBUS} Failed to connect to socket /run/user/1000/bus: No such file or directory`, 'no-bus'],
  [`${DBUS} Unable to autolaunch a dbus-daemon without a $DISPLAY for X11`, 'no-bus'],
  [`${DBUS} The name org.freedesktop.secrets was not provided by any .service files`, 'no-service'],
  [
    `${DBUS} Failed to activate service 'org.freedesktop.secrets': timed out (service_start_timeout=120000ms)`,
    'no-service',
  ],
  ["Couldn't access platform storage: Secret Service: unlock prompt was dismissed", 'locked'],
  ["Couldn't access platform storage: Secret Service: object locked", 'locked'],
  ["Couldn't access platform storage: Secret Service: no result found", 'no-keyring'],
  [
    `${DBUS} Did not receive a reply. Possible causes include: the remote application did not send a reply`,
    'not-answering',
  ],
  ['the child process ended (SIGKILL)', 'not-answering'],
  ["Couldn't access platform storage: User interaction is not allowed.", 'locked'],
  ['Platform failure: The user name or passphrase you entered is not correct.', 'locked'],
  ['Platform failure: User canceled the operation.', 'locked'],
  ['Platform failure: A default keychain could not be found.', 'no-keyring'],
  [
    'Platform failure: A specified logon session does not exist. It may already have been terminated. (os error 1312)',
    'no-service',
  ],
  ['Cannot find native binding. npm has a bug related to optional dependencies', 'no-library'],
  ["Error: Cannot find module '@napi-rs/keyring'", 'no-library'],
  ['damaged: parts of the stored login are missing', 'damaged'],
  ['something that nobody has seen before', 'other'],
])('%s: %s', (message, trouble) => {
  expect(classify(message)).toBe(trouble);
});

it.each(['linux', 'darwin', 'win32'] as const)('every failure has a message on %s', (platform) => {
  const troubles = [
    ['no-bus', 2],
    ['no-service', 2],
    ['no-keyring', 2],
    ['locked', 5],
    ['not-answering', 5],
    ['no-library', 2],
    ['damaged', 4],
    ['other', 5],
  ] as const;
  const errors = troubles.map(([trouble, exitCode]) => {
    const facts = { keychain: 'The keychain', message: 'm', platform };
    const error = keychainError(trouble, { ...facts, attended: false });
    const attended = keychainError(trouble, { ...facts, attended: true });
    expect(String(attended.hint)).not.toContain('In CI');
    expect(exitCodeOf(error.code)).toBe(exitCode);
    expect(String(error.hint)).toMatch(/\.$/);
    expect(error.message).not.toMatch(/logged in|log in/);
    return error;
  });
  // An archive and a package are not installed with npm.
  expect(errors.map(({ hint }) => hint).join()).not.toContain('npm');
  expect(new Set(errors.map(({ message }) => message)).size).toBe(troubles.length);
  // Time is only one reason for no answer: the bus may close the connection at once.
  expect(errors.map(({ message }) => message).join()).not.toContain('in time');
});
