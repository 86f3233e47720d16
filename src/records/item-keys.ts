import { canonicalJson, sha256 } from './digest.ts';
import { writeInstant } from './local-date.ts';
import type { JsonObject } from './types.ts';

/**
 * By what the ledger knows the items of a day again: their instants and their other fields. In which
 * zone an instant was written says nothing: the same input, read after a flight, holds the same items.
 */

/** Keys without it are of the first form: see {@link recogniseFirstForm}. */
const FORM = 'instant:';

/** SHA-256 (hex) of one nutrition item as it goes out, but for the offset of its `logged_at`. */
export function itemDigest(item: JsonObject): string {
  const instant = instantOf(item);
  if (Number.isNaN(instant)) return digestOf(item);
  return digestOf({ ...item, logged_at: new Date(instant).toISOString() });
}

/**
 * A key for each item of a day: its digest and which of the identical ones it is, counted from 1
 * (`instant:<hex>#2`). Two gels taken in the same minute are two keys. The key of an item does not
 * depend on the others' order, so the items that were never confirmed are those whose keys are new.
 */
export function itemKeys(items: readonly JsonObject[]): string[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const digest = itemDigest(item);
    const count = (counts.get(digest) ?? 0) + 1;
    counts.set(digest, count);
    return `${FORM}${digest}#${count}`;
  });
}

/** Every offset in use since 1972, in minutes: from Baker Island to Kiritimati, by quarters of an hour. */
const OFFSETS = Array.from({ length: (12 + 14) * 4 + 1 }, (_, index) => (index - 12 * 4) * 15);

/**
 * Finds items again that a ledger knows by keys of the first form (`<hex>#1`), which were made of
 * the item as it went out, the text of its offset included. A hash cannot be turned into another one,
 * so they are found by making the old keys anew: with the offset of today, then with all others.
 *
 * @param known keys that the ledger has, of either form.
 * @returns first form to today's key, for those of the items that are among them.
 */
export function recogniseFirstForm(
  known: readonly string[],
  items: readonly JsonObject[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const old = byDigest(known.filter((key) => !key.startsWith(FORM)));
  if (old.size === 0) return found;
  const today = new Set(known);
  const wanted = itemKeys(items).map((key, index) => ({ key, item: items[index] ?? {} }));
  const pair = (forms: (item: JsonObject) => Iterable<JsonObject>) => {
    for (const { key, item } of wanted) {
      if (old.size === 0) return;
      if (today.has(key)) continue;
      for (const form of forms(item)) {
        const digest = digestOf(form);
        const first = old.get(digest)?.shift();
        if (first === undefined) continue;
        if (old.get(digest)?.length === 0) old.delete(digest);
        found.set(first, key);
        today.add(key);
        break;
      }
    }
  };
  pair((item) => [item]);
  pair(withEveryOffset);
  return found;
}

function* withEveryOffset(item: JsonObject): Generator<JsonObject> {
  const instant = instantOf(item);
  if (Number.isNaN(instant)) return;
  for (const minutes of OFFSETS) yield { ...item, logged_at: writeInstant(instant, minutes) };
}

/** The keys of each digest, the lowest count first. */
function byDigest(keys: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  const count = (key: string) => Number(key.slice(key.indexOf('#') + 1));
  for (const key of [...keys].sort((one, other) => count(one) - count(other))) {
    const digest = key.slice(0, key.indexOf('#'));
    const group = groups.get(digest);
    if (group === undefined) groups.set(digest, [key]);
    else group.push(key);
  }
  return groups;
}

function digestOf(item: JsonObject): string {
  return sha256(canonicalJson(item));
}

function instantOf({ logged_at: at }: JsonObject): number {
  return typeof at === 'string' ? Date.parse(at) : NaN;
}
