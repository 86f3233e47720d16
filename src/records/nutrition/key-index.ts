/** Finds the items of a set by a key; the set may shrink meanwhile. */
export class KeyIndex<Key, Item> {
  readonly #items: ReadonlySet<Item>;
  readonly #lists = new Map<Key, Item[]>();

  constructor(items: ReadonlySet<Item>, keyOf: (item: Item) => Key) {
    this.#items = items;
    for (const item of items) {
      const list = this.#lists.get(keyOf(item));
      if (list === undefined) this.#lists.set(keyOf(item), [item]);
      else list.push(item);
    }
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
