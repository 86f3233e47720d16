import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';

/** Why a keychain call failed. None of these means that there is no login. */
export type KeychainTrouble =
  /** No D-Bus session: SSH, cron, a container. */
  | 'no-bus'
  /** A session without a program that keeps secrets. */
  | 'no-service'
  /** There is no default keyring. */
  | 'no-keyring'
  | 'locked'
  /** A person said no, or closed the prompt; or no prompt could be shown. */
  | 'not-answering'
  /** The native part of the keychain library does not run here. */
  | 'no-library'
  | 'damaged'
  | 'other';

/**
 * Messages of dbus-secret-service, libdbus, Apple's Security framework and Windows' credential
 * manager: the libraries have no error codes.
 */
const SIGNS: readonly (readonly [KeychainTrouble, RegExp])[] = [
  ['damaged', /^damaged:/],
  ['no-library', /native binding|ERR_DLOPEN|cannot find module|cannot open shared object/i],
  ['no-bus', /autolaunch|DBUS_SESSION_BUS_ADDRESS|failed to connect to socket/i],
  ['no-bus', /dbus session|dbus-launch|could not connect|connection refused/i],
  ['no-service', /not provided by any \.service files|ServiceUnknown|NameHasNoOwner/i],
  ['no-service', /failed to activate|exited with status|spawn/i],
  ['no-service', /logon session does not exist/i],
  ['not-answering', /did not receive a reply|NoReply|timed? ?out/i],
  ['locked', /prompt (was )?dismissed|connection closed before prompt/i],
  ['locked', /locked|interaction is not allowed|user ?name or passphrase/i],
  ['locked', /cancell?ed|denied|authorization/i],
  ['no-keyring', /no result found|result not returned|default keychain|no keychain/i],
];

export function classify(message: string): KeychainTrouble {
  return SIGNS.find(([, sign]) => sign.test(message))?.[0] ?? 'other';
}

const FILE_INSTEAD = phrase`or keep the login in a file that only you can read: ${sync('login', '--store', 'file')}`;
const IN_CI = ' In CI, set SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN instead.';

export function keychainError(
  trouble: KeychainTrouble,
  facts: { keychain: string; message: string; platform: NodeJS.Platform; attended: boolean },
): SyncError {
  const { keychain, platform } = facts;
  const inCi = facts.attended ? '' : IN_CI;
  const details = { keychain: trouble, said: facts.message.slice(0, 300) };
  switch (trouble) {
    case 'no-bus':
      return new SyncError(
        'KEYCHAIN_MISSING',
        'No keychain found: this is not a desktop session (no D-Bus session bus).',
        { hint: phrase`Run this in your desktop session, ${FILE_INSTEAD}.${inCi}`, details },
      );
    case 'no-service':
      return platform === 'win32'
        ? new SyncError('KEYCHAIN_MISSING', `${keychain} cannot be used from this session.`, {
            hint: phrase`Run this in a session at the screen, ${FILE_INSTEAD}.`,
            details,
          })
        : new SyncError(
            'KEYCHAIN_MISSING',
            'No keychain found: no program here offers the Secret Service.',
            {
              hint: phrase`Install and start gnome-keyring, KWallet or KeePassXC, ${FILE_INSTEAD}.${inCi}`,
              details,
            },
          );
    case 'no-keyring':
      return new SyncError('KEYCHAIN_MISSING', `${keychain} has no default keyring.`, {
        hint:
          platform === 'darwin'
            ? phrase`Create one in Keychain Access, ${FILE_INSTEAD}.`
            : phrase`Create a password keyring and set it as default (in "Passwords and Keys", seahorse), ${FILE_INSTEAD}.`,
        details,
      });
    case 'locked':
      return new SyncError('KEYCHAIN_LOCKED', `${keychain} is locked.`, {
        hint:
          platform === 'darwin'
            ? 'Unlock it (over SSH: `security unlock-keychain`), then try again. You are still logged in.'
            : 'Unlock it (log in at the screen, or answer its prompt), then try again. ' +
              'A login stored there is not lost.',
        details,
      });
    case 'not-answering':
      return new SyncError('KEYCHAIN_LOCKED', `${keychain} did not answer in time.`, {
        hint: 'Look for a prompt that asks to unlock it, then try again. A stored login is not lost.',
        details,
      });
    case 'no-library': {
      // On Windows, the library needs VCRUNTIME140.dll, which Windows itself does not bring.
      const fix =
        platform === 'win32'
          ? 'Install the Microsoft Visual C++ Redistributable (x64)'
          : 'Install athlete-sync again';
      return new SyncError(
        'KEYCHAIN_MISSING',
        'The library that talks to the keychain does not run on this machine.',
        { hint: phrase`${fix}, ${FILE_INSTEAD}.`, details },
      );
    }
    case 'damaged':
      return new SyncError(
        'AUTH_REQUIRED',
        `The login in ${keychain} is damaged: parts of it are missing.`,
        {
          hint: phrase`Run ${sync('login')} to log in again.`,
          details: { ...details, damaged: true },
        },
      );
    case 'other':
      return new SyncError('KEYCHAIN_LOCKED', `${keychain} failed: ${details.said}`, {
        hint: phrase`Try again, ${FILE_INSTEAD}.`,
        details,
      });
  }
}
