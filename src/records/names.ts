import { nearestOf } from './nearest.ts';

/**
 * How fields may be spelled. A spelling is recognised if it differs from the field's name in
 * capitals, underscores, hyphens and blanks only (`resting_hr`, `vo2Max`), or if it is listed as
 * another name *of the same thing in the same unit*. What might mean something else (`bodyWeight`
 * in pounds, `sleepTime` as a time of day, `glucose`) is nobody's alias and passes through.
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

  /** The canonical name of a field, or `undefined` if the spelling belongs to none. */
  find(spelling: string): string | undefined {
    return this.#canonical.get(plain(spelling));
  }

  /** The canonical name that a spelling of none comes nearest to, if one is near: for a question. */
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

/** The answers for so many spellings are kept: the same few come in every record. */
const MAX_KEPT = 1_000;

/** A spelling without what spellings differ in. */
export function plain(spelling: string): string {
  return spelling.replace(/[_\-\s]/g, '').toLowerCase();
}

/**
 * Other programs' names for the local date of a record. They only count in a record that has no
 * `date`, since beside one they may hold anything (`"day": "Sunday"`).
 */
const DATE_NAMES = ['localdate', 'calendardate', 'day'];

/** The member of a record that holds its date, under whatever name. */
export function dateName(names: readonly string[]): string | undefined {
  return (
    names.find((name) => name === 'date') ??
    names.find((name) => plain(name) === 'date') ??
    names.find((name) => DATE_NAMES.includes(plain(name)))
  );
}
