import { execFile } from 'node:child_process';

/** Time limit for the question, in ms: without an answer, the keychain itself is asked. */
const LIMIT_MS = 1_500;

const PATH = '/org/freedesktop/secrets/aliases/default';
const COLLECTION = 'org.freedesktop.Secret.Collection';

/**
 * Programs that read a property over D-Bus, and their answer if the keyring is locked. GLib brings
 * one, systemd the other: a desktop with a Secret Service has at least one of them.
 */
const READERS: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'gdbus',
    [
      ...['call', '--session', '--dest', 'org.freedesktop.secrets', '--object-path', PATH],
      ...['--method', 'org.freedesktop.DBus.Properties.Get', COLLECTION, 'Locked'],
    ],
    /^\(<true>,\)$/,
  ],
  [
    'busctl',
    ['--user', 'get-property', 'org.freedesktop.secrets', PATH, COLLECTION, 'Locked'],
    /^b true$/,
  ],
];

/**
 * Tells whether the default keyring of the Secret Service is locked, without a prompt to unlock it.
 * `false` if that cannot be told: no such program, no such service, no answer.
 */
export async function isKeyringLocked(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'linux') return false;
  for (const [program, args, locked] of READERS) {
    const answer = await run(program, args);
    if (answer !== undefined) return locked.test(answer.trim());
  }
  return false;
}

/** @returns undefined if there is no such program */
async function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve(error?.code === 'ENOENT' ? undefined : stdout),
    );
  });
}
