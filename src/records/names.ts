import { nearestOf } from './nearest.ts';

/**
 * Knows how fields may be spelled. A spelling is recognised if it differs from the field's name in
 * capitals, underscores, hyphens and blanks only (`resting_hr`, `vo2Max`), or if it is listed as
 * another name *of the same thing in the same unit*. A name that might mean something else
 * (`bodyWeight` in pounds, `sleepTime` as a time of day, `glucose`) is not an alias and passes through.
 */
export class Names {
  readonly #canonical = new Map<string, string>();
  readonly #nearest = new Map<string, string | undefined>();

  /** @param fields canonical names, each with its further names. */
  constructor(fields: Readonly<Record<string, { readonly aliases?: readonly string[] }>>) {
    for (const [name, { aliases = [] }] of Object.entries(fields)) {
      for (const spelling of [name, ...aliases]) this.#canonical.set(plain(spelling), name);
    }
  }

  /** Returns the canonical name of a field, if the spelling belongs to one. */
  find(spelling: string): string | undefined {
    return this.#canonical.get(plain(spelling));
  }

  /** Returns the canonical name nearest to an unknown spelling, if one is near, for "did you mean". */
  nearest(spelling: string): string | undefined {
    const text = plain(spelling);
    if (this.#nearest.has(text)) return this.#nearest.get(text);
    if (this.#nearest.size >= MAX_KEPT) this.#nearest.clear();
    const found = nearestOf(text, this.#canonical.keys());
    const name = found === undefined ? undefined : this.#canonical.get(found);
    this.#nearest.set(text, name);
    return name;
  }
}

/** Limits the cached spellings: the same few come in every record. */
const MAX_KEPT = 1_000;

/** Removes what spellings of one name differ in. */
export function plain(spelling: string): string {
  return spelling.replace(/[_\-\s]/g, '').toLowerCase();
}

/**
 * Other programs' names for the local date of a record. They only count in a record that has no
 * `date`, since beside one they may hold anything (`"day": "Sunday"`).
 */
const DATE_NAMES = ['localdate', 'calendardate', 'day'];

/** Finds the member of a record that holds its date, under any of its names. */
export function dateName(names: readonly string[]): string | undefined {
  return (
    names.find((name) => name === 'date') ??
    names.find((name) => plain(name) === 'date') ??
    names.find((name) => DATE_NAMES.includes(plain(name)))
  );
}
