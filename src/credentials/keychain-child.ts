/*
 * The child process that talks to the keychain. It is one of its own because an unanswered unlock
 * prompt hangs the process that asked, and nothing short of SIGKILL ends that.
 */
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { messageOf } from '../errors.ts';
import { type Vault, deleteValue, loadValue, saveValue } from './chunks.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts';

/** Beyond the limit that the parent keeps, in ms. */
const GRACE_MS = 2_000;

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
  { do: task, account, value, maxUnits }: KeychainRequest,
): Promise<{ value: string | null; existed: boolean }> {
  switch (task) {
    case 'load': {
      const found = await loadValue(vault, account);
      return { value: found, existed: found !== null };
    }
    case 'save':
      if (value === undefined) throw new Error('nothing to save');
      await saveValue(vault, account, value, maxUnits);
      return { value: null, existed: true };
    case 'delete':
      return { value: null, existed: await deleteValue(vault, account, maxUnits) };
    case 'probe':
      await probe(vault, account);
      return { value: null, existed: true };
  }
}

/** A get alone proves nothing: an empty keychain that cannot be written to answers it, too. */
async function probe(vault: Vault, account: string): Promise<void> {
  const nonce = randomBytes(8).toString('hex');
  const name = `${account}#probe-${nonce}`;
  await vault.set(name, nonce);
  try {
    if ((await vault.get(name)) !== nonce) throw new Error('forgets what it is given');
  } finally {
    await vault.delete(name);
  }
}

function answer(message: KeychainAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

void main();
