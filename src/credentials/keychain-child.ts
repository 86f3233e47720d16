/*
 * The child process that talks to the keychain. It is one of its own because an unanswered unlock
 * prompt hangs the process that asked, and nothing short of SIGKILL ends that.
 */
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../base/errors.ts';
import { type Vault, deleteValue, hashOf, loadValue, saveValue } from './chunks.ts';
import { classify } from './keychain-failure.ts';
import { isKeyringLocked } from './keyring-lock.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts';

/** Beyond the limit that the parent keeps, in ms. */
const GRACE_MS = 2_000;
/** The pause before tokens are saved again, in ms. */
const RETRY_MS = 300;

// A Ctrl-C, or a service manager that stops the whole group, must not lose a token that is just
// being stored. The time limit ends this process in any case.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

async function main(): Promise<void> {
  const request = readRequest(await text(process.stdin));
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), request.limitMs + GRACE_MS).unref();
  try {
    const vault = await openVault(request.service);
    answer({ state: 'ready' });
    answer({ state: 'done', ...(await perform(vault, request)) });
  } catch (error) {
    answer({ state: 'failed', message: messageOf(error) });
  }
}

/** The parser's own message would quote the request, and so the tokens: it is not passed on. */
function readRequest(json: string): KeychainRequest {
  try {
    return JSON.parse(json) as KeychainRequest;
  } catch {
    throw new Error('the request is not JSON');
  }
}

async function openVault(service: string): Promise<Vault> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Unpinned, it falls back in silence to a kernel keyring that forgets.
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

/** The library unlocks what is locked, which shows a prompt: nobody is there to answer it. */
async function refusePrompt({ mayPrompt }: KeychainRequest): Promise<void> {
  if (!mayPrompt && (await isKeyringLocked(process.platform))) {
    throw new Error('the default keyring is locked');
  }
}

/**
 * Saves a value, also after the program stopped waiting for it: a refresh token may be the only one
 * left. What was stored since then is not replaced.
 */
async function saveLate(vault: Vault, request: KeychainRequest, value: string): Promise<void> {
  const { account, replaces, maxUnits } = request;
  for (;;) {
    try {
      await refusePrompt(request);
      if (replaces !== undefined) {
        const found = await loadValue(vault, account);
        if (found === null || hashOf(found) !== replaces) {
          throw new Error('another login was stored or removed meanwhile');
        }
      }
      await saveValue(vault, account, value, maxUnits);
      return;
    } catch (error) {
      // The library gives up before the keychain does. The time limit ends this loop.
      const trouble = classify(messageOf(error));
      if (trouble !== 'not-answering' && (trouble !== 'locked' || request.mayPrompt)) throw error;
      await delay(RETRY_MS);
    }
  }
}

/**
 * Writes, reads and deletes an entry. A get alone proves nothing: an empty keychain that cannot be
 * written to answers it, too.
 *
 * @param size of its value, in characters
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

// Nobody may be listening any more.
process.stdout.on('error', () => undefined);

function answer(message: KeychainAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

void main();
