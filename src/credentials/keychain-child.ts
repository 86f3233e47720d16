import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../base/errors.ts';
import { answer, onRequest } from '../system/child-side.ts';
import { childEnv } from '../system/environment.ts';
import { type Vault, deleteValue, loadValue, saveValue } from './chunks.ts';
import { type KeychainTrouble, classify } from './keychain-failure.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts';
import { sha256 } from '../system/this-process.ts';
/*
 * The child process that calls the keychain. An unanswered unlock prompt hangs the calling process,
 * and only SIGKILL ends it: so the program itself never calls the keychain.
 */

/** Time that this process has beyond the parent's time limit (ms). */
const GRACE_MS = 2_000;
/** Pause before the next attempt to save tokens (ms). */
const RETRY_MS = 300;

const tell: (message: KeychainAnswer) => Promise<void> = answer;

// Ctrl-C, or a service manager that stops the whole group, must not lose a token while it is
// stored. The time limit ends this process in any case.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

async function serve(request: KeychainRequest): Promise<void> {
  try {
    const vault = await openVault(request.service);
    // Until here the parent limits the time: loading the library takes seconds on a machine that boots.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), request.limitMs + GRACE_MS).unref();
    await tell({ state: 'ready' });
    await tell({ state: 'done', ...(await perform(vault, request)) });
  } catch (error) {
    await tell({ state: 'failed', message: messageOf(error) });
  }
}

async function openVault(service: string): Promise<Vault> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Without `store`, the library silently falls back to a kernel keyring that forgets.
  const entry = (account: string) =>
    new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  return {
    get: async (account) => (await entry(account).getPassword()) ?? null,
    set: async (account, value) => await entry(account).setPassword(value),
    delete: async (account) => await entry(account).deletePassword(),
  };
}

async function perform(
  vault: Vault,
  request: KeychainRequest,
): Promise<{ value: string | null; existed: boolean }> {
  const { do: task, account, value, maxUnits } = request;
  if (task !== 'save') await refusePrompt(request);
  switch (task) {
    case 'load': {
      const found = await loadValue(vault, account);
      return { value: found, existed: found !== null };
    }
    case 'save':
      if (value === undefined) throw new Error('nothing to save');
      await saveLate(vault, request, value);
      return { value: null, existed: true };
    case 'prepare':
      if (value === undefined) throw new Error('nothing to save');
      await probe(vault, account, value.length, maxUnits);
      await saveValue(vault, account, value, maxUnits);
      return { value: null, existed: true };
    case 'delete':
      return { value: null, existed: await deleteValue(vault, account, maxUnits) };
    case 'probe':
      await probe(vault, account, 0, maxUnits);
      return { value: null, existed: true };
  }
}

/** Refuses a locked keyring in an unattended process: the library would show an unlock prompt. */
async function refusePrompt({ mayPrompt }: KeychainRequest): Promise<void> {
  if (!mayPrompt && (await isKeyringLocked(process.platform))) {
    throw new Error('the default keyring is locked');
  }
}

/**
 * Saves a value, also after the program stopped waiting: it may contain the only valid refresh
 * token. Does not replace a login that was stored since then.
 */
async function saveLate(vault: Vault, request: KeychainRequest, value: string): Promise<void> {
  const { account, replaces, maxUnits } = request;
  for (;;) {
    try {
      await refusePrompt(request);
      if (replaces !== undefined) {
        const found = await loadValue(vault, account);
        if (found === null || sha256(found) !== replaces) {
          throw new Error('another login was stored or removed meanwhile');
        }
      }
      await saveValue(vault, account, value, maxUnits);
      return;
    } catch (error) {
      if (!mayPass(classify(messageOf(error)), request)) throw error;
      // The time limit ends this loop.
      await delay(RETRY_MS);
    }
  }
}

/** Returns whether a save can succeed later without a change by the user. */
function mayPass(trouble: KeychainTrouble, { mayPrompt, replaces }: KeychainRequest): boolean {
  switch (trouble) {
    case 'not-answering':
      // The library times out before the keychain does.
      return true;
    case 'locked':
      return !mayPrompt;
    case 'no-service':
      // It held the login that is replaced: it restarts.
      return replaces !== undefined;
    default:
      return false;
  }
}

/**
 * Writes, reads and deletes an entry. Reading alone proves nothing: a keychain that cannot be
 * written to answers as an empty one does.
 *
 * @param size length of the value, in characters
 */
async function probe(
  vault: Vault,
  account: string,
  size: number,
  maxUnits: number | undefined,
): Promise<void> {
  const nonce = randomBytes(8).toString('hex');
  const name = `${account}#probe-${nonce}`;
  const value = `{${nonce}`.padEnd(size, '.');
  await saveValue(vault, name, value, maxUnits);
  try {
    if ((await loadValue(vault, name)) !== value) throw new Error('forgets what it is given');
  } finally {
    await deleteValue(vault, name, maxUnits);
  }
}

/** Time limit for reading the property (ms); after it, the keychain itself is called. */
const LOCK_QUERY_LIMIT_MS = 1_500;

const DEFAULT_KEYRING = '/org/freedesktop/secrets/aliases/default';
const COLLECTION = 'org.freedesktop.Secret.Collection';

/**
 * Programs that read a property over D-Bus, and their output if the keyring is locked. GLib
 * contains one, systemd the other: a desktop with a Secret Service has at least one of them.
 */
const PROPERTY_READERS: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'gdbus',
    [
      ...'call --session --dest org.freedesktop.secrets --object-path'.split(' '),
      ...[DEFAULT_KEYRING, '--method', 'org.freedesktop.DBus.Properties.Get', COLLECTION, 'Locked'],
    ],
    /^\(<true>,\)$/,
  ],
  [
    'busctl',
    ['--user', 'get-property', 'org.freedesktop.secrets', DEFAULT_KEYRING, COLLECTION, 'Locked'],
    /^b true$/,
  ],
];

/**
 * Returns whether the default keyring of the Secret Service is locked, without a prompt to unlock
 * it. False if that is unknown: no such program, no such service, no answer.
 */
async function isKeyringLocked(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'linux') return false;
  for (const [program, args, locked] of PROPERTY_READERS) {
    const answer = await outputOf(program, args);
    if (answer !== undefined) return locked.test(answer.trim());
  }
  return false;
}

/** @returns undefined if there is no such program */
async function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        env: childEnv(process.env, 'session'),
        timeout: LOCK_QUERY_LIMIT_MS,
        killSignal: 'SIGKILL',
      },
      (error, stdout) => resolve(error?.code === 'ENOENT' ? undefined : stdout),
    );
  });
}

/** The parent turns the message into an error of the keychain; the trace of a fault helps no user. */
process.on('uncaughtException', (error) => {
  void tell({ state: 'failed', message: messageOf(error) });
  process.exitCode = 1;
});
onRequest(serve);
