import { type Failure, SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';

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
  // The child's own time limit ends it with SIGKILL.
  ['not-answering', /did not receive a reply|NoReply|timed? ?out|SIGKILL/i],
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

interface KeychainFacts {
  readonly keychain: string;
  readonly message: string;
  readonly platform: NodeJS.Platform;
  readonly attended: boolean;
}

export function keychainError(trouble: KeychainTrouble, facts: KeychainFacts): SyncError {
  const said = facts.message.slice(0, 300);
  const { code, message, hint } = failureIn(trouble, { ...facts, message: said });
  const details = { keychain: trouble, said, ...(trouble === 'damaged' ? { damaged: true } : {}) };
  return new SyncError(code, message, { hint, details });
}

function failureIn(trouble: KeychainTrouble, facts: KeychainFacts): Failure {
  const { keychain, platform } = facts;
  const inCi = facts.attended ? '' : IN_CI;
  switch (trouble) {
    case 'no-bus':
      return missing(
        'No keychain found: this is not a desktop session (no D-Bus session bus).',
        phrase`Run this in your desktop session, ${FILE_INSTEAD}.${inCi}`,
      );
    case 'no-service':
      return platform === 'win32'
        ? missing(
            `${keychain} cannot be used from this session.`,
            phrase`Run this in a session at the screen, ${FILE_INSTEAD}.`,
          )
        : missing(
            'No keychain found: no program here offers the Secret Service.',
            phrase`Install and start gnome-keyring, KWallet or KeePassXC, ${FILE_INSTEAD}.${inCi}`,
          );
    case 'no-keyring': {
      const create =
        platform === 'darwin'
          ? 'Create one in Keychain Access'
          : 'Create a password keyring and set it as default (in "Passwords and Keys", seahorse)';
      return missing(`${keychain} has no default keyring.`, phrase`${create}, ${FILE_INSTEAD}.`);
    }
    case 'no-library': {
      // On Windows, the library needs VCRUNTIME140.dll, which Windows itself does not bring.
      const fix =
        platform === 'win32'
          ? 'Install the Microsoft Visual C++ Redistributable (x64)'
          : 'Install athlete-sync again';
      return missing(
        'The library that talks to the keychain does not run on this machine.',
        phrase`${fix}, ${FILE_INSTEAD}.`,
      );
    }
    case 'locked':
      return locked(
        `${keychain} is locked.`,
        platform === 'darwin'
          ? 'Unlock it (over SSH: `security unlock-keychain`), then try again. You are still logged in.'
          : 'Unlock it (log in at the screen, or answer its prompt), then try again. A login stored there is not lost.',
      );
    case 'not-answering':
      return locked(
        `${keychain} did not answer.`,
        'Look for a prompt that asks to unlock it, then try again. A stored login is not lost.',
      );
    case 'other':
      return locked(`${keychain} failed: ${facts.message}`, phrase`Try again, ${FILE_INSTEAD}.`);
    case 'damaged': {
      const message = `The login in ${keychain} is damaged: parts of it are missing.`;
      return {
        code: 'AUTH_REQUIRED',
        message,
        hint: phrase`Run ${sync('login')} to log in again.`,
      };
    }
  }
}

function missing(message: string, hint: Text): Failure {
  return { code: 'KEYCHAIN_MISSING', message, hint };
}

/** The keychain may answer later: a login in it is not lost. */
function locked(message: string, hint: Text): Failure {
  return { code: 'KEYCHAIN_LOCKED', message, hint };
}
