/** Finds the items of a set by a key; the set may shrink meanwhile. */
export class KeyIndex<Key, Item> {
  readonly #items: ReadonlySet<Item>;
  /** All items with a key; those before `from` have left the set. */
  readonly #lists = new Map<Key, { readonly items: Item[]; from: number }>();

  constructor(items: ReadonlySet<Item>, keyOf: (item: Item) => Key) {
    this.#items = items;
    for (const item of items) {
      const key = keyOf(item);
      const list = this.#lists.get(key);
      if (list === undefined) this.#lists.set(key, { items: [item], from: 0 });
      else list.items.push(item);
    }
  }

  /** Returns the first item with a key that is still in the set, and passes the test. */
  first(key: Key, test: (item: Item) => boolean = () => true): Item | undefined {
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    const isLeft = (item: Item) => this.#items.has(item);
    while (list.from < list.items.length && !isLeft(list.items[list.from] as Item)) list.from++;
    for (let at = list.from; at < list.items.length; at++) {
      const item = list.items[at] as Item;
      if (isLeft(item) && test(item)) return item;
    }
    return undefined;
  }
}
