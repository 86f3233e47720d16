import { groupBy } from '../../base/group-by.ts';

/** Finds the items of a set by a key; the set may shrink meanwhile. */
export class KeyIndex<Key, Item> {
  readonly #items: ReadonlySet<Item>;
  readonly #lists: ReadonlyMap<Key, Item[]>;

  constructor(items: ReadonlySet<Item>, keyOf: (item: Item) => Key) {
    this.#items = items;
    this.#lists = groupBy(items, keyOf);
  }

  /** Returns the first item with a key that is still in the set, and passes the test. */
  first(key: Key, test: (item: Item) => boolean = () => true): Item | undefined {
    const list = this.#lists.get(key) ?? [];
    const isLeft = (item: Item) => this.#items.has(item);
    // Of many equal items, the first ones have left it.
    while (list[0] !== undefined && !isLeft(list[0])) list.shift();
    return list.find((item) => isLeft(item) && test(item));
  }
}
