import { sha256 } from '../system/this-process.ts';
import type { JsonValue } from './types.ts';

/** Digests of records, by which the ledger recognises a confirmed one. */

/**
 * SHA-256 (hex) of what the inputs say about a day. Two days have the same digest if and only if they mean the same
 * JSON: the order of names does not count, the order of lists does.
 */
export function recordDigest(day: object): string {
  return sha256(canonicalJson(day));
}

/** Checks that both mean the same JSON. */
export function sameJson(one: JsonValue, other: JsonValue): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

/** JSON without white space, names sorted by their UTF-16 code units (as RFC 8785 sorts them). */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return Number.isFinite(value) ? String(value) : JSON.stringify(value);
  }
  let members = '';
  if (Array.isArray(value)) {
    for (const element of value) members += `,${canonicalJson(element)}`;
    return `[${members.slice(1)}]`;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(object).sort()) {
    members += `,${JSON.stringify(name)}:${canonicalJson(object[name] ?? null)}`;
  }
  return `{${members.slice(1)}}`;
}
