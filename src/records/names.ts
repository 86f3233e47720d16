import { editDistance } from '../base/similar.ts';
import { type FieldTable, ITEM_FIELDS, NUTRITION_FIELDS, WELLNESS_FIELDS } from './fields.ts';

/**
 * Knows how fields may be spelled. A spelling is recognised if it differs from the field's name in
 * capitals, underscores, hyphens and blanks only (`resting_hr`, `vo2Max`), or if it is listed as
 * another name *of the same thing in the same unit*. A name that might mean something else
 * (`bodyWeight` in pounds, `sleepTime` as a time of day, `glucose`) is not an alias and passes through.
 */
export class Names {
  readonly table: FieldTable;
  readonly #canonical = new Map<string, string>();
  readonly #nearest = new Map<string, string | undefined>();

  /** @param table by canonical names */
  constructor(table: FieldTable) {
    this.table = table;
    for (const [name, { aliases = [] }] of Object.entries(table)) {
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
    const found = this.#isEndOfSeveral(text) ? undefined : nearestOf(text, this.#canonical.keys());
    const name = found === undefined ? undefined : this.#canonical.get(found);
    this.#nearest.set(text, name);
    return name;
  }

  /** Checks for a word such as `score` that is the end of several names: any of them may be meant. */
  #isEndOfSeveral(text: string): boolean {
    const ended = [...this.#canonical].filter(([spelling]) => spelling.endsWith(text));
    return new Set(ended.map(([, name]) => name)).size > 1;
  }
}

/** Limits the cached spellings: the same few come in every record. */
const MAX_KEPT = 1_000;

const plainSpellings = new Map<string, string>();

/** Removes what spellings of one name differ in. */
export function plain(spelling: string): string {
  let found = plainSpellings.get(spelling);
  if (found === undefined) {
    if (plainSpellings.size >= MAX_KEPT) plainSpellings.clear();
    found = spelling.replace(/[_\-\s]/g, '').toLowerCase();
    plainSpellings.set(spelling, found);
  }
  return found;
}

export const WELLNESS_NAMES = new Names(WELLNESS_FIELDS);
export const NUTRITION_NAMES = new Names(NUTRITION_FIELDS);
export const ITEM_NAMES = new Names(ITEM_FIELDS);

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

/** Likeness from which two words are near: `resthr` and `restinghr` are, `hrvscore` and `hrv` are not. */
const NEAR = 0.6;
/** The same for the share of letters without a typing error: `sleeptime` is not `sleepscore`. */
const NEAR_TYPING = 0.65;
/** Shorter words are near too many others, longer ones near none. */
const SHORTEST = 3;
const LONGEST = 40;

/** Returns the word nearest to a text, if one is near; the first of several. */
function nearestOf(text: string, words: Iterable<string>): string | undefined {
  if (text.length < SHORTEST || text.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestLikeness = 0;
  for (const word of words) {
    const kept = 1 - editDistance(text, word) / Math.max(text.length, word.length);
    const likeness = Math.max(sharedPairs(text, word), kept < NEAR_TYPING ? 0 : kept);
    if (likeness < NEAR || likeness <= bestLikeness) continue;
    best = word;
    bestLikeness = likeness;
  }
  return best;
}

/** Returns the share of common letter pairs (Dice): finds missing and added parts. */
function sharedPairs(one: string, other: string): number {
  const pairs = (word: string) =>
    Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => word.slice(at, at + 2));
  const left = pairs(other);
  const total = left.length + one.length - 1;
  let shared = 0;
  for (const pair of pairs(one)) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    shared++;
  }
  return (2 * shared) / total;
}
