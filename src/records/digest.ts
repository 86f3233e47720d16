import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from './types.ts';

/**
 * What the ledger remembers of a record that was confirmed. Two bodies have the same digest if and
 * only if they mean the same JSON: the order of names does not count, the order of lists does.
 */

/** SHA-256 (hex) of a body as it goes out. */
export function recordDigest(body: JsonObject): string {
  return sha256(canonicalJson(body));
}

/** SHA-256 (hex) of one nutrition item as it goes out. */
export function itemDigest(item: JsonObject): string {
  return sha256(canonicalJson(item));
}

/**
 * A key for each item of a day: its digest and which of the identical ones it is, counted from 1
 * (`<hex>#2`). Two gels taken in the same minute are two keys. The key of an item does not depend
 * on the others' order, so the items that were never confirmed are those whose keys are new.
 */
export function itemKeys(items: readonly JsonObject[]): string[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const digest = itemDigest(item);
    const count = (counts.get(digest) ?? 0) + 1;
    counts.set(digest, count);
    return `${digest}#${count}`;
  });
}

/** Do both mean the same JSON? */
export function sameJson(one: JsonValue, other: JsonValue): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** JSON without white space, names sorted by their UTF-16 code units (as RFC 8785 sorts them). */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}
