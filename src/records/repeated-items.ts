import { itemKey } from './nutrition/items.ts';
import type { JsonObject } from './types.ts';

/** Counts the items that equal one in another of the lists. */
export function repeatedItems(lists: readonly (readonly JsonObject[])[]): number {
  if (lists.length < 2) return 0;
  const first = new Map<string, number>();
  let count = 0;
  for (const [list, items] of lists.entries()) {
    for (const item of items) {
      const key = itemKey(item);
      if (!first.has(key)) first.set(key, list);
      else if (first.get(key) !== list) count++;
    }
  }
  return count;
}
