import { sha256 } from '../system/this-process.ts';

/** The smallest keychain: one text for each account. */
export interface Vault {
  get(account: string): Promise<string | null>;
  set(account: string, text: string): Promise<void>;
  /** @returns false if there was no entry. */
  delete(account: string): Promise<boolean>;
}

/*
 * A value that is too long for one entry is split into parts, `<account>#<generation><number>`. The
 * entry `<account>` then is a manifest: the generation, the number of parts, and the hash of the
 * value. A new value is written to the other generation before the manifest points to it. So after
 * a crash either the old value or the new one is complete. Values begin with `{`, which no manifest
 * does.
 */
const MANIFEST = /^parts ([ab]) (\d{1,4}) ([0-9a-f]{64})$/;
const GENERATIONS = ['a', 'b'] as const;
type Generation = (typeof GENERATIONS)[number];

/** Attempts to read a value that other processes replace meanwhile. */
const READ_ATTEMPTS = 3;

/** Loads the value of an account, or `null`. @throws Error if parts of it are missing. */
export async function loadValue(vault: Vault, account: string): Promise<string | null> {
  let head = await vault.get(account);
  for (let attempt = 1; ; attempt++) {
    if (head === null) return null;
    const manifest = readManifest(head);
    if (manifest === undefined) return head;
    const parts: string[] = [];
    for (let number = 0; number < manifest.count; number++) {
      parts.push((await vault.get(partName(account, manifest.generation, number))) ?? '');
    }
    const value = parts.join('');
    if (sha256(value) === manifest.hash) return value;
    const again = await vault.get(account);
    if (again === head || attempt >= READ_ATTEMPTS) {
      throw new Error('damaged: parts of the stored login are missing');
    }
    head = again;
  }
}

/**
 * Replaces the value of an account.
 *
 * @param value begins with `{`; ASCII, so that it can be split anywhere.
 * @param maxUnits longest text of one entry, in UTF-16 units; absent: no limit.
 */
export async function saveValue(
  vault: Vault,
  account: string,
  value: string,
  maxUnits: number | undefined,
): Promise<void> {
  if (maxUnits === undefined) {
    await vault.set(account, value);
    return;
  }
  const head = await vault.get(account);
  const before = head === null ? undefined : readManifest(head);
  if (value.length <= maxUnits) {
    await vault.set(account, value);
  } else {
    const generation: Generation = before?.generation === 'a' ? 'b' : 'a';
    const count = Math.ceil(value.length / maxUnits);
    for (let number = 0; number < count; number++) {
      const part = value.slice(number * maxUnits, (number + 1) * maxUnits);
      await vault.set(partName(account, generation, number), part);
    }
    // A process that crashed may have left a longer value there.
    await deleteParts(vault, account, generation, count);
    await vault.set(account, `parts ${generation} ${count} ${sha256(value)}`);
  }
  if (before !== undefined) await deleteParts(vault, account, before.generation, 0);
}

/** Deletes the parts, then the manifest. @returns false if there was no entry. */
export async function deleteValue(
  vault: Vault,
  account: string,
  maxUnits: number | undefined,
): Promise<boolean> {
  if (maxUnits !== undefined) {
    for (const generation of GENERATIONS) await deleteParts(vault, account, generation, 0);
  }
  return await vault.delete(account);
}

/**
 * Deletes the last part first: after a crash the rest still begins at `from`, and is found again.
 */
async function deleteParts(
  vault: Vault,
  account: string,
  generation: Generation,
  from: number,
): Promise<void> {
  let end = from;
  while ((await vault.get(partName(account, generation, end))) !== null) end++;
  while (end > from) await vault.delete(partName(account, generation, --end));
}

function readManifest(
  head: string,
): { generation: Generation; count: number; hash: string } | undefined {
  const [, generation, count, hash] = MANIFEST.exec(head) ?? [];
  if (generation === undefined || count === undefined || hash === undefined) return undefined;
  return { generation: generation === 'a' ? 'a' : 'b', count: Number(count), hash };
}

function partName(account: string, generation: Generation, number: number): string {
  return `${account}#${generation}${number}`;
}
