import { editDistance } from '../base/similar.ts';

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
    // Many names are plain as they are written.
    return this.#canonical.get(spelling) ?? this.#canonical.get(plain(spelling));
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
    if (!mayBeNear(text, word)) continue;
    const kept = 1 - editDistance(text, word) / Math.max(text.length, word.length);
    const likeness = Math.max(sharedPairs(text, word), kept < NEAR_TYPING ? 0 : kept);
    if (likeness < NEAR || likeness <= bestLikeness) continue;
    best = word;
    bestLikeness = likeness;
  }
  return best;
}

/**
 * Checks quickly for enough common letters to be near: they limit both measures of likeness. Most names
 * in a file of another program are near to none.
 */
function mayBeNear(one: string, other: string): boolean {
  const common = commonLetters(one, other);
  const mostKept = common / Math.max(one.length, other.length);
  const mostPairs = (2 * common) / (one.length + other.length - 2);
  return mostKept >= NEAR_TYPING || mostPairs >= NEAR;
}

const letterCounts = new Uint8Array(64);

/** Counts the letters that two words have in common, in any order; perhaps some too many. */
function commonLetters(one: string, other: string): number {
  letterCounts.fill(0);
  for (let at = 0; at < other.length; at++) {
    const letter = other.charCodeAt(at) % letterCounts.length;
    letterCounts[letter] = (letterCounts[letter] ?? 0) + 1;
  }
  let common = 0;
  for (let at = 0; at < one.length; at++) {
    const letter = one.charCodeAt(at) % letterCounts.length;
    const left = letterCounts[letter] ?? 0;
    if (left === 0) continue;
    letterCounts[letter] = left - 1;
    common++;
  }
  return common;
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
