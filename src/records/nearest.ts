/** From here on two words are near: `resthr` and `restinghr` are, `hrvscore` and `hrv` are not. */
const NEAR = 0.6;
/** Shorter words are near to too much, longer ones to nothing. */
const SHORTEST = 3;
const LONGEST = 40;

/** The word that is nearest to a text, or `undefined` if none is near; the first of several. */
export function nearestOf(text: string, words: Iterable<string>): string | undefined {
  if (text.length < SHORTEST || text.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestLikeness = 0;
  for (const word of words) {
    const likeness = Math.max(sharedPairs(text, word), keptLetters(text, word));
    if (likeness < NEAR || likeness <= bestLikeness) continue;
    best = word;
    bestLikeness = likeness;
  }
  return best;
}

/** Which part of the pairs of neighbouring letters both have (Dice): finds left out and added parts. */
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

/** 1 less the slips (a letter missing, added, another, or two swapped) a letter: finds typing errors. */
function keptLetters(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = row;
    row = next;
  }
  return 1 - (row[other.length] ?? 0) / Math.max(one.length, other.length);
}
