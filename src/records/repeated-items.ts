import { itemIdentity, itemKey } from './nutrition/items.ts';
import type { JsonObject } from './types.ts';

/** Counts the items that equal one in another of the lists. */
export function repeatedItems(lists: readonly (readonly JsonObject[])[]): number {
  if (lists.length < 2) return 0;
  // Equal items have the same identity, which takes less time to find than all of an item's fields.
  const alike = new Map<string, { readonly item: JsonObject; readonly list: number }[]>();
  for (const [list, items] of lists.entries()) {
    for (const item of items) {
      const identity = itemIdentity(item);
      const found = alike.get(identity);
      if (found === undefined) alike.set(identity, [{ item, list }]);
      else found.push({ item, list });
    }
  }
  let count = 0;
  for (const found of alike.values()) {
    if (found.length === 1) continue;
    const first = new Map<string, number>();
    for (const { item, list } of found) {
      const key = itemKey(item);
      if (!first.has(key)) first.set(key, list);
      else if (first.get(key) !== list) count++;
    }
  }
  return count;
}
