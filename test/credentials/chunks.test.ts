import { describe, expect, it } from 'vitest';
import { type Vault, deleteValue, loadValue, saveValue } from '../../src/credentials/chunks.ts';

/** A keychain in memory, which dies (as its process would) before the n-th change. */
function vault(dieBefore = Infinity) {
  const entries = new Map<string, string>();
  let changes = 0;
  const change = () => {
    if (++changes >= dieBefore) throw new Error('killed');
  };
  const store: Vault = {
    get: (account) => Promise.resolve(entries.get(account) ?? null),
    set: async (account, text) => {
      await Promise.resolve();
      change();
      entries.set(account, text);
    },
    delete: async (account) => {
      await Promise.resolve();
      if (!entries.has(account)) return false;
      change();
      return entries.delete(account);
    },
  };
  return {
    entries,
    store,
    live: () => (dieBefore = Infinity),
    die: (n: number) => {
      changes = 0;
      dieBefore = n;
    },
  };
}

const value = (letter: string, length: number) => `{${letter.repeat(length - 2)}}`;

describe('a value in a keychain with short entries', () => {
  it.each([2, 9, 10, 11, 20, 21, 95])('loads a saved value of %i characters', async (length) => {
    const { entries, store } = vault();
    await saveValue(store, 'a', value('x', length), 10);
    expect(await loadValue(store, 'a')).toBe(value('x', length));
    for (const [, text] of [...entries].filter(([name]) => name !== 'a')) {
      expect(text.length).toBeLessThanOrEqual(10);
    }
    expect(await deleteValue(store, 'a', 10)).toBe(true);
    expect([...entries]).toEqual([]);
    expect(await deleteValue(store, 'a', 10)).toBe(false);
    expect(await loadValue(store, 'a')).toBeNull();
  });

  it('keeps a value in one entry without a limit', async () => {
    const { entries, store } = vault();
    await saveValue(store, 'a', value('x', 5_000), undefined);
    expect([...entries.keys()]).toEqual(['a']);
  });

  it.each([
    [5, 50],
    [50, 5],
    [50, 80],
    [80, 50],
  ])('leaves no parts of %i characters after replacing them by %i', async (before, after) => {
    const { entries, store } = vault();
    await saveValue(store, 'a', value('o', before), 10);
    await saveValue(store, 'a', value('n', after), 10);
    expect(await loadValue(store, 'a')).toBe(value('n', after));
    expect([...entries.values()].join('')).not.toContain('o');
  });

  it.each([
    [5, 50],
    [50, 5],
    [50, 80],
    [80, 50],
  ])('loads the old or the new value after a crash: %i by %i', async (before, after) => {
    let finished = false;
    const seen = new Set<string | null>();
    for (let step = 1; !finished; step++) {
      const { entries, store, die, live } = vault();
      await saveValue(store, 'a', value('o', before), 10);
      die(step);
      finished = await saveValue(store, 'a', value('n', after), 10).then(
        () => true,
        () => false,
      );
      live();
      const found = await loadValue(store, 'a');
      expect([value('o', before), value('n', after)]).toContain(found);
      seen.add(found);
      // What the dead writer left behind goes with the next write, and with a logout.
      await saveValue(store, 'a', value('m', 12), 10);
      expect(await loadValue(store, 'a')).toBe(value('m', 12));
      await deleteValue(store, 'a', 10);
      expect([...entries]).toEqual([]);
    }
    expect(seen.size).toBe(2);
  });

  it('reports a missing part as damage, not as absence', async () => {
    const { entries, store } = vault();
    await saveValue(store, 'a', value('x', 50), 10);
    entries.delete('a#a2');
    await expect(loadValue(store, 'a')).rejects.toThrow('damaged');
  });

  it('reads again if another process replaces the value meanwhile', async () => {
    const { store } = vault();
    await saveValue(store, 'a', value('o', 50), 10);
    let replaced = false;
    const busy: Vault = {
      ...store,
      get: async (account) => {
        if (account.endsWith('2') && !replaced) {
          replaced = true;
          await saveValue(store, 'a', value('n', 60), 10);
        }
        return await store.get(account);
      },
    };
    expect(await loadValue(busy, 'a')).toBe(value('n', 60));
  });
});
